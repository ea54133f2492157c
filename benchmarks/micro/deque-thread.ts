/** One thread of the benchmark of deques: the owner, or a thief; runs in a worker, which the build made plain JavaScript for. */
import { parentPort, workerData } from 'node:worker_threads';
import { EMPTY, OwnerDeque, ThiefDeque } from '../../src/core/deque/public-deque.js';
import { type Layout, layoutOf } from '../../src/core/memory/layout.js';
import { LockedDeque } from './locked-deque.js';

/** What all threads of a run know. */
export interface DequeRun {
  readonly kind: 'ours' | 'locked';
  readonly words: Int32Array;
  /** How many threads are ready; whether the owner has ended. */
  readonly control: Int32Array;
  readonly threads: number;
  readonly rounds: number;
}

/** What a thread has done. */
export interface DequeResult {
  readonly ms: number;
  /** Entries that this thread has taken, and their sum. */
  readonly taken: number;
  readonly sum: number;
}

export const SLOT = 1;
export const LAYOUT: Layout = layoutOf(1, { ringLog2: 8, recordsPerSlot: 8 });
/** Entries that the owner pushes before it pops: a body that forks some tasks and joins them. */
export const BATCH = 4;

interface Ends {
  push(entry: number): boolean;
  pop(): number;
  take(): number;
}

function endsOf({ kind, words }: DequeRun): Ends {
  if (kind === 'locked') {
    const deque = new LockedDeque(words);
    return { push: (entry) => deque.tryPush(entry), pop: () => deque.pop(), take: () => deque.take() };
  }
  const owner = new OwnerDeque(words, LAYOUT, SLOT);
  const thief = new ThiefDeque(words, LAYOUT, SLOT);
  return {
    push: (entry) => owner.tryPush(entry),
    pop: () => owner.pop(),
    take() {
      if (!thief.seemsFilled) return EMPTY;
      const entry = thief.peek();
      return entry !== EMPTY && thief.tryTake() ? entry : EMPTY;
    },
  };
}

function own(ends: Ends, rounds: number): Omit<DequeResult, 'ms'> {
  let [taken, sum] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < BATCH; k++) if (!ends.push(round & 0xff)) throw new Error('The deque is full.');
    for (let k = 0; k < BATCH; k++) {
      const entry = ends.pop();
      if (entry === EMPTY) break;
      taken++;
      sum += entry;
    }
  }
  return { taken, sum };
}

function steal(ends: Ends, control: Int32Array): Omit<DequeResult, 'ms'> {
  let [taken, sum] = [0, 0];
  for (;;) {
    const hasEnded = Atomics.load(control, 1) === 1; // before the look: what was pushed earlier is seen
    const entry = ends.take();
    if (entry !== EMPTY) {
      taken++;
      sum += entry;
    } else if (hasEnded) return { taken, sum };
  }
}

/** The main thread imports this file for its constants, and has no data. */
const isOwner = (workerData as { readonly isOwner: boolean } | null)?.isOwner === true;

parentPort?.on('message', (run: DequeRun) => {
  const { control, threads, rounds } = run;
  const ends = endsOf(run);
  Atomics.add(control, 0, 1);
  while (Atomics.load(control, 0) < threads); // all begin together
  const startMs = performance.now();
  const done = isOwner ? own(ends, rounds) : steal(ends, control);
  const ms = performance.now() - startMs;
  if (isOwner) Atomics.store(control, 1, 1);
  parentPort?.postMessage({ ms, ...done } satisfies DequeResult);
});
