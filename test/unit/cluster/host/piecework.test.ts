import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runTree, treeAt } from '../../../../src/cluster/client/tree.js';
import { Piecework, type PieceworkEnd } from '../../../../src/cluster/host/piecework.js';
import { RecursiveTask } from '../../../../src/core/index.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

/** A sum whose bits depend on the tree. */
class Terms extends RecursiveTask<number> {
  static {
    this.register(import.meta.url, 'Terms');
  }
  readonly lo: number;
  readonly hi: number;
  readonly width: number;
  constructor(lo: number, hi: number, width: number) {
    super();
    this.lo = lo;
    this.hi = hi;
    this.width = width;
  }
  split(): Terms[] | undefined {
    const { lo, hi, width } = this;
    if (hi - lo <= width) return undefined;
    const size = Math.ceil((hi - lo) / width);
    return Array.from({ length: Math.ceil((hi - lo) / size) }, (_, k) => {
      const from = lo + k * size;
      return new Terms(from, Math.min(from + size, hi), width);
    });
  }
  combine(results: number[]): number {
    return results.reduce((a, b) => a + b);
  }
  compute(): number {
    const parts = this.split();
    if (parts !== undefined) return this.combine(parts.map((part) => part.compute()));
    let sum = 0;
    for (let i = this.lo; i < this.hi; i++) sum += 1 / (i + 1);
    return sum;
  }
}

interface Flight {
  readonly task: Terms;
  readonly signal: AbortSignal;
  resolve(value: number): void;
  reject(error: unknown): void;
}

/** The time that pieces see (milliseconds). */
let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

/** Piecework whose pieces end when a test lets them, in which each number takes `MS_A_NUMBER`. */
class Bench {
  readonly flights: Flight[] = [];
  readonly begun: Terms[] = [];
  readonly controller = new AbortController();
  readonly work: Piecework;
  readonly end: Promise<PieceworkEnd>;
  isOver = false;

  constructor(task: Terms, shares = 0) {
    const run = (piece: unknown, signal: AbortSignal): Promise<unknown> =>
      new Promise<number>((resolve, reject) => {
        this.begun.push(piece as Terms);
        this.flights.push({ task: piece as Terms, signal, resolve, reject });
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    this.work = new Piecework(task, run, { signal: this.controller.signal, shares });
    this.end = this.work.run().finally(() => {
      this.isOver = true;
    });
    this.end.catch(() => {});
  }

  static readonly MS_A_NUMBER = 10;

  /** Ends a piece in flight, and lets what follows from that happen. */
  async next(which: number): Promise<void> {
    const [flight] = this.flights.splice(which % this.flights.length, 1);
    if (flight === undefined) throw new Error('nothing is in flight');
    nowMs += (flight.task.hi - flight.task.lo) * Bench.MS_A_NUMBER;
    flight.resolve(flight.task.compute());
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const here = async (_: string, task: { compute(): unknown }): Promise<unknown> => task.compute();
const trees = fc.record({ size: fc.integer({ min: 1, max: 3000 }), width: fc.integer({ min: 2, max: 5 }) });

describe('a job in pieces', () => {
  test('gives the bits of compute(), and each number is in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.array(fc.nat(1), { minLength: 1 }), async ({ size, width }, order) => {
        const bench = new Bench(new Terms(0, size, width));
        for (let k = 0; !bench.isOver; k++) await bench.next(order[k % order.length] as number);
        expect(await bench.end).toEqual({ isShared: false, value: new Terms(0, size, width).compute() });
        expect(bench.begun.reduce((sum, { lo, hi }) => sum + hi - lo, 0)).toBe(size);
      }),
      { numRuns: 50 },
    );
  });

  test('that is shared at any time leaves what has not begun, and the whole has the bits of compute()', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(20), fc.integer({ min: 1, max: 40 }), async ({ size, width }, steps, wanted) => {
        const task = new Terms(0, size, width);
        const bench = new Bench(task);
        for (let k = 0; k < steps && !bench.isOver; k++) await bench.next(0);
        bench.work.share(wanted);
        while (!bench.isOver) await bench.next(0);
        const end = await bench.end;
        if (!end.isShared) {
          expect(end.value).toBe(task.compute());
          return;
        }
        const done = bench.begun.reduce((sum, { lo, hi }) => sum + hi - lo, 0);
        let left = 0;
        const results = new Map(end.done.map(({ name: [path], value }) => [path, value]));
        const names = [...end.done.map(({ name }) => name), ...end.left];
        const value = await runTree(treeAt(task, names), async (path, node) => {
          if (results.has(path)) return results.get(path);
          left += (node as Terms).hi - (node as Terms).lo;
          return here(path, node as Terms);
        });
        expect(value).toBe(task.compute());
        expect(done + left).toBe(size);
      }),
      { numRuns: 50 },
    );
  });

  test('that is asked to share at once is left in as many parts as wanted', async () => {
    const bench = new Bench(new Terms(0, 1000, 2));
    bench.work.share(16);
    while (!bench.isOver) await bench.next(0);
    const end = await bench.end;
    expect(end.isShared && end.left.length).toBeGreaterThanOrEqual(16);
    expect(end.isShared && end.done.map(({ name: [path] }) => path)).toEqual(['-0-0-0-0-0']); // two pieces of 1/64 each
  });

  test('goes on by itself when what is left turns out to be short', async () => {
    const bench = new Bench(new Terms(0, 8, 2));
    await bench.next(0);
    await bench.next(0);
    bench.work.share(4);
    while (!bench.isOver) await bench.next(0);
    expect((await bench.end).isShared).toBe(false);
  });

  test('gives up a piece that lasts, and leaves its parts', async () => {
    const bench = new Bench(new Terms(0, 1024, 2));
    const [first, second] = bench.flights as [Flight, Flight];
    nowMs += 150;
    bench.work.share(4);
    expect(first.signal.aborted).toBe(false);
    nowMs += 100;
    bench.work.share(4);
    expect([first, second].map(({ signal }) => signal.aborted)).toEqual([true, true]);
    const end = await bench.end;
    expect(end.isShared && end.done.length).toBe(0);
    expect(end.isShared && end.left.length).toBeGreaterThanOrEqual(4);
  });

  test('lets a piece last longer that is a part of a task which was shared', async () => {
    const bench = new Bench(new Terms(0, 1024, 2), 1);
    const [first] = bench.flights as [Flight, Flight];
    nowMs += 750;
    bench.work.share(4);
    expect(first.signal.aborted).toBe(false);
    nowMs += 100;
    bench.work.share(4);
    expect(first.signal.aborted).toBe(true);
    await bench.end;
  });

  test('keeps what a piece has computed that runs to its end although it was given up', async () => {
    const late: { readonly signal: AbortSignal; end(): void }[] = [];
    const run = (task: object, signal: AbortSignal, onLate: (value: unknown) => void): Promise<unknown> =>
      new Promise((_resolve, reject) => {
        const end = (): void => {
          onLate((task as Terms).compute());
          reject(signal.reason);
        };
        late.push({ signal, end });
      });
    const work = new Piecework(new Terms(0, 1024, 2), run, { signal: new AbortController().signal });
    const end = work.run();
    nowMs += 300;
    work.share(4);
    expect(late.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    for (const flight of late) {
      flight.end();
      await Promise.resolve();
      nowMs += 300;
    }
    const given = await end;
    expect(given.isShared && given.done.map(({ name: [path] }) => path)).toEqual(['-0-0-0-0-0']); // both, combined
    expect(given.isShared && given.left.length).toBeGreaterThanOrEqual(4);
  });

  test('gives nothing away of which nothing is left', async () => {
    const bench = new Bench(new Terms(0, 2, 2));
    bench.work.share(4);
    await bench.next(0);
    expect(await bench.end).toEqual({ isShared: false, value: new Terms(0, 2, 2).compute() });
  });

  test('fails with what a piece has thrown, and aborts the others', async () => {
    const bench = new Bench(new Terms(0, 1000, 2));
    const [first, second] = bench.flights as [Flight, Flight];
    first.reject(new RangeError('no'));
    await expect(bench.end).rejects.toThrow(RangeError);
    expect(second.signal.aborted).toBe(true);
    expect(bench.begun).toHaveLength(2);
  });

  test('ends when it is aborted', async () => {
    const bench = new Bench(new Terms(0, 1000, 2));
    bench.controller.abort(new Error('enough'));
    await expect(bench.end).rejects.toThrow();
    expect(bench.begun).toHaveLength(2);
  });
});
