import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArrayHeap, BY_ANYBODY, BY_NOBODY, BY_OTHERS, BY_PINS } from '../../../../src/core/memory/array-blocks.js';
import { W_LOCK, W_TORN } from '../../../../src/core/memory/heap-layout.js';
import { expectSound } from '../../../helpers/heap-invariants.js';

/** As large at birth as it will be, so that the words are never replaced under the test's eyes. */
const SIZES = { maximumPages: [16], fixedBytes: [] };

class Death extends Error {}

/** Lets a realm's heap die at its n-th store to shared words: each store is a point where `terminate` can strike. */
function mortal(heap: ArrayHeap): { liveFor(stores: number): void } {
  let left = Number.POSITIVE_INFINITY;
  const watch = (words: Int32Array): Int32Array =>
    new Proxy(words, {
      get(target, key) {
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set(target, key, value) {
        if (left-- <= 0) throw new Death();
        return Reflect.set(target, key, value, target);
      },
    });
  heap.memory.words = watch(heap.memory.words);
  Object.defineProperty(heap, 'root', { value: watch(heap.root) });
  return {
    liveFor: (n) => {
      left = n;
    },
  };
}

type Step =
  | { kind: 'bytes'; bytes: number }
  | { kind: 'array'; bytes: number }
  | { kind: 'shrink'; pick: number; percent: number }
  | { kind: 'keep'; begin: boolean }
  | { kind: 'freeArray'; pick: number; named: number }
  | { kind: 'freeBytes' | 'release' | 'retain' | 'hold' | 'endDeferral' | 'unpin'; pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('shrink' as const), pick: fc.nat(), percent: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ kind: fc.constant('keep' as const), begin: fc.boolean() }),
  fc.record({
    kind: fc.constant('freeArray' as const),
    pick: fc.nat(),
    named: fc.constantFrom(BY_NOBODY, BY_OTHERS, BY_PINS, BY_ANYBODY),
  }),
  fc.record({ kind: fc.constantFrom('bytes' as const, 'array' as const), bytes: fc.integer({ min: 1, max: 3_000 }) }),
  fc.record({
    kind: fc.constantFrom(
      'freeBytes' as const,
      'unpin' as const,
      'release' as const,
      'retain' as const,
      'hold' as const,
      'endDeferral' as const,
    ),
    pick: fc.nat(),
  }),
);

/** A realm that runs steps, and remembers what it has. */
class Realm {
  readonly heap: ArrayHeap;
  readonly offsets: number[] = [];
  readonly held: { block: number; serial: number }[] = [];
  readonly epochs: number[] = [];
  /** What it has freed while it was pinned. */
  readonly pinned: { block: number; serial: number }[] = [];

  constructor(heap: ArrayHeap) {
    this.heap = heap;
  }

  run(step: Step, from: Realm): void {
    if (step.kind === 'bytes') this.offsets.push(this.heap.allocBytes(step.bytes, this.heap.thread));
    else if (step.kind === 'array') this.hold(this.heap.allocate(step.bytes));
    else if (step.kind === 'shrink') this.#shrink(step.pick, step.percent);
    else if (step.kind === 'freeBytes') this.#pick(this.offsets, step.pick, (offset) => this.heap.freeBytes(offset));
    else if (step.kind === 'freeArray')
      this.#pick(this.held, step.pick, ({ block, serial }) => this.#free(block, serial, step.named));
    else if (step.kind === 'unpin')
      this.#pick(this.pinned, step.pick, ({ block, serial }) => this.heap.unpin(block, serial));
    else if (step.kind === 'keep') step.begin ? this.heap.beginKeeping() : this.heap.endKeeping();
    else if (step.kind === 'release')
      this.#pick(this.held, step.pick, ({ block, serial }) => this.heap.release(block, serial, false));
    else if (step.kind === 'hold') this.epochs.push(this.heap.beginDeferral());
    else if (step.kind === 'endDeferral') this.#pick(this.epochs, step.pick, (epoch) => this.heap.endDeferral(epoch));
    else if (from.held.length > 0) {
      const { block, serial } = from.held[step.pick % from.held.length] as { block: number; serial: number };
      const known = this.held.some((mine) => mine.block === block && mine.serial === serial);
      if (!known && from.heap.isLive(block, serial) && this.heap.retain(block)) this.hold(block);
    }
  }

  /** Only the root realm has pins: those of a dead thread would never end. */
  #free(block: number, serial: number, named: number): void {
    const isPinned = named === BY_PINS && this.heap.isRoot;
    if (isPinned) this.pinned.push({ block, serial });
    this.heap.free(block, serial, named === BY_PINS && !isPinned ? BY_ANYBODY : named);
  }

  #shrink(pick: number, percent: number): void {
    const live = this.held.filter(({ block, serial }) => this.heap.isLive(block, serial));
    if (live.length === 0) return;
    const { block } = live[pick % live.length] as { block: number };
    this.heap.shrink(block, Math.floor((this.heap.bytesOf(block) * percent) / 100));
  }

  hold(block: number): void {
    this.held.push({ block, serial: this.heap.serialOf(block) });
  }

  #pick<T>(list: T[], pick: number, use: (item: T) => void): void {
    if (list.length === 0) return;
    const [item] = list.splice(pick % list.length, 1) as [T];
    use(item);
  }
}

/** Whether the realm died in there, which leaves the lock as a terminated thread does. */
function diesIn(body: () => void, root: Realm, doomed: Realm): boolean {
  try {
    body();
    return false;
  } catch (error) {
    if (!(error instanceof Death)) throw error;
    root.heap.memory.words[W_LOCK] = doomed.heap.thread + 1; // the test's throw released it
    root.heap.memory.words[W_TORN] = 0;
    return true;
  }
}

describe('repair after a thread that died at any store', () => {
  test('leaves a sound heap, with every block of the living and none of the dead', () => {
    let deaths = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), step), { maxLength: 40 }),
        step,
        fc.nat(40),
        (steps, last, stores) => {
          const root = new Realm(ArrayHeap.create(SIZES));
          const doomed = new Realm(ArrayHeap.adopt(root.heap.handle()));
          const body = mortal(doomed.heap);
          for (const [isRoot, each] of steps) isRoot ? root.run(each, doomed) : doomed.run(each, root);
          // Holds are the root realm's in earnest: one of the dead would hold frees back for ever.
          for (const epoch of doomed.epochs.splice(0)) doomed.heap.endDeferral(epoch);
          for (const [i, offset] of root.offsets.entries()) root.heap.bytesAt(offset, 1).fill(i);

          body.liveFor(stores);
          if (diesIn(() => doomed.run(last, root), root, doomed)) {
            deaths++;
            body.liveFor(Number.POSITIVE_INFINITY);
          }
          root.heap.repairAfter(doomed.heap.thread);
          if (last.kind === 'hold') for (const epoch of doomed.epochs) root.heap.endDeferral(epoch);
          root.heap.freeTagged(doomed.heap.thread);
          expectSound(root.heap);

          const marks = root.offsets.map((offset) => root.heap.bytesAt(offset, 1)[0]);
          expect(marks).toEqual([...root.offsets.keys()]);
          const live = root.held.filter(({ block, serial }) => root.heap.isLive(block, serial));
          for (const offset of root.offsets) root.heap.freeBytes(offset);
          for (const { block, serial } of live) root.heap.release(block, serial, false);
          expectEndsEmpty(root, last);
        },
      ),
      { numRuns: 800 },
    );
    expect(deaths).toBeGreaterThan(50);
  });
});

/** What the property above meets too rarely: a block of several holders, and a death at each store in turn. */
test.each(['freeArray', 'release'] as const)(
  'a thread that dies in %s of a shared array leaves nothing behind',
  (kind) => {
    for (const frees of ['at once', 'held back']) {
      for (let stores = 0, dies = true; dies; stores++) {
        const root = new Realm(ArrayHeap.create(SIZES));
        const doomed = new Realm(ArrayHeap.adopt(root.heap.handle()));
        const body = mortal(doomed.heap);
        root.run({ kind: 'array', bytes: 100 }, doomed);
        doomed.run({ kind: 'retain', pick: 0 }, root);
        const { block, serial } = root.held[0] as { block: number; serial: number };
        if (frees === 'held back') root.run({ kind: 'hold', pick: 0 }, doomed);

        body.liveFor(stores);
        dies = diesIn(() => doomed.run({ kind, pick: 0, named: BY_ANYBODY }, root), root, doomed);
        root.heap.repairAfter(doomed.heap.thread);
        expectSound(root.heap);
        if (root.heap.isLive(block, serial)) root.heap.release(block, serial, false);
        for (const epoch of root.epochs) root.heap.endDeferral(epoch);
        expect(root.heap.stats().blocks, `${frees}, dead at store ${stores}`).toBe(0);
        expectSound(root.heap);
      }
    }
  },
);

/** With every hold ended nothing is left, except where the dead thread died in the midst of its own hold. */
function expectEndsEmpty(root: Realm, last: Step): void {
  root.heap.endKeeping();
  for (const { block, serial } of root.pinned) root.heap.unpin(block, serial);
  for (const epoch of root.epochs) root.heap.endDeferral(epoch);
  expectSound(root.heap);
  if (last.kind !== 'hold' && last.kind !== 'endDeferral') expect(root.heap.stats().blocks).toBe(0);
}
