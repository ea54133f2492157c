/** The pool's option `maxQueue`: which invocations wait for a worker, and how many may; runs on the thread that owns the pool. */
import { RejectedExecutionError } from '../errors.js';
import { load } from '../memory/atomics.js';
import { isTaken, NO_RECORD, PUBLIC, R_STATUS, STATE_MASK, stateOf } from '../memory/records.js';
import { invocationOf, NO_INVOCATION } from '../worker/worker-slot.js';
import type { WorkerGroup } from './worker-group.js';

/** The error for an invocation that would have to wait, where as many wait as may. */
export const lineIsFull = (name: string, maxQueue: number): RejectedExecutionError =>
  new RejectedExecutionError(
    `furcate: pool '${name}' takes no more work: all workers are busy, and maxQueue = ${maxQueue} invocations wait. Call again later, or raise maxQueue.`,
  );

interface Waiting {
  /** The entry of its root's record; `NO_RECORD` while it waits for one. */
  readonly entry: number;
  readonly atEnd: (() => void)[];
}

export class WaitingLine {
  readonly #group: WorkerGroup;
  /** Those that have not ended, and that were waiting when they were last looked at. Empty if all may wait. */
  readonly #waiting = new Set<Waiting>();

  constructor(group: WorkerGroup) {
    this.#group = group;
  }

  /** @throws RejectedExecutionError if as many wait as may */
  requireRoom(): void {
    const { maxQueue, name } = this.#group.settings;
    if (maxQueue === Number.POSITIVE_INFINITY) return;
    for (;;) {
      const waiting = this.#countWaiting();
      if (waiting < maxQueue) return;
      const free = this.#freeWorkers();
      // One that a worker takes between the two counts would count twice: it waits, and its worker is not free.
      if (this.#countWaiting() !== waiting) continue;
      if (waiting < maxQueue + free) return;
      throw lineIsFull(name, maxQueue);
    }
  }

  #countWaiting(): number {
    for (const other of this.#waiting) if (!this.#waits(other)) this.#waiting.delete(other);
    return this.#waiting.size;
  }

  add(invocation: Waiting): void {
    if (this.#group.settings.maxQueue === Number.POSITIVE_INFINITY) return;
    this.#waiting.add(invocation);
    invocation.atEnd.push(() => this.#waiting.delete(invocation));
  }

  #waits({ entry }: Waiting): boolean {
    const { roots, memory } = this.#group;
    return entry === NO_RECORD || stateOf(memory.words, roots.records.wordOf(entry)) === PUBLIC;
  }

  /** Number of workers that can begin an invocation at once: they run none that has not ended. */
  #freeWorkers(): number {
    const { roots, memory, settings } = this.#group;
    let free = 0;
    for (let slot = 1; slot <= settings.parallelism; slot++) {
      const entry = invocationOf(memory, slot);
      // A worker that has just completed a root may not have said so yet.
      const status = entry === NO_INVOCATION ? 0 : load(memory.words, roots.records.wordOf(entry) + R_STATUS);
      if (status >>> 16 !== entry >>> 16 || !isTaken(status & STATE_MASK)) free++;
    }
    return free;
  }
}
