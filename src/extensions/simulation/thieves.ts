/**
 * Simulated thieves: at each fork, join and checkpoint of a task, they may run forked tasks that nobody has begun. A seed decides. Runs on the thread that calls a
 * `SimulatedPool`.
 *
 * They are the observer of the thread, because an observer hears of each fork, join and checkpoint, and nobody else pays for that. A task that a thief has begun
 * runs to its end on top of the stack of the thread, where other thieves may begin others, one for each simulated thread. Its outcome waits in its place on the private stack,
 * where its join finds it, as that of a task which another thread has ended.
 */
import { ENDED, Forked, local, putForked } from '../../core/deque/private-stack.js';
import type { Observer, Strand } from '../../core/observe/observer.js';
import { taskAt } from '../../core/task/call-task.js';
import { LocalsOfThread } from '../../core/worker/worker-local.js';
import { thread } from '../../core/worker/worker-slot.js';
import { runAsStolen } from './as-stolen.js';

/** A generator of random numbers from 0 to 1: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The probability that a thread is too late to take a part of what another thread has. */
const MISSES = 0.5;

/** Nobody asks what a task has cost. */
const noStrand = (): Strand => ({
  mark: noMark(),
  fork: noMark,
  run: (body) => body(),
  leave() {},
  account: () => undefined,
});
const noMark = (): Strand['mark'] => ({ account: undefined, arrive() {} });

export class Thieves implements Observer {
  readonly mode = 0;
  readonly seesForks = true;
  readonly isFine = false;
  steals = 0;
  /** Positions on the private stack of tasks whose joins are about to run them. */
  readonly #joined = new Set<number>();
  readonly #random: () => number;
  readonly #stealing: number;
  /** Values of `workerLocal`s, of each simulated thread but the first. */
  readonly #locals: readonly LocalsOfThread[];
  /** Stolen tasks that run, each on a thread of its own. */
  #running = 0;

  constructor({
    seed,
    parallelism,
    stealing,
  }: {
    readonly seed: number;
    readonly parallelism: number;
    readonly stealing: number;
  }) {
    this.#random = randomFrom(seed);
    this.#stealing = stealing;
    this.#locals = Array.from({ length: parallelism - 1 }, () => new LocalsOfThread());
  }

  /** A fork or a checkpoint. */
  looked(): void {
    this.#maySteal();
  }

  /** A join of a task that nobody has begun, and nobody else may begin. */
  begins(position: number): undefined {
    this.#joined.add(position);
    this.#maySteal();
    this.#joined.delete(position);
  }

  /** A join of a task that was stolen. */
  joined(): void {
    this.#maySteal();
  }

  /** Returns true if a thread would take a part of what this one has, if it were forked. */
  asks(): boolean {
    return this.#running < this.#locals.length && this.#random() < this.#stealing;
  }

  /** A stolen task may find nothing to take though there is something. So the task around it goes on with what was left. */
  leaves(): boolean {
    return this.#running > 0 && this.#random() < MISSES;
  }

  #maySteal(): void {
    while (this.asks()) {
      const open: number[] = [];
      for (let k = local.floor; k < local.sp; k++)
        if (!this.#joined.has(k) && !(local.stack[k] instanceof Forked)) open.push(k);
      if (open.length === 0) return;
      this.#steal(open[Math.floor(this.#random() * open.length)]);
    }
  }

  #steal(position: number): void {
    const forked = new Forked(local.stack[position], ENDED);
    const task = taskAt(position, forked.task);
    putForked(position, forked);
    this.steals++;
    const locals = this.#locals[this.#running++];
    const { isolated } = thread;
    const { floor } = local;
    try {
      Object.assign(
        forked,
        locals.during(() => runAsStolen(task)),
      );
    } finally {
      this.#running--;
      thread.isolated = isolated;
      local.floor = floor;
    }
    if (forked.task !== null) task.$state = -1 - position; // its join finds it here
  }

  ended(): void {}
  apart(): Strand {
    return noStrand();
  }
  waits(): void {}
  noted(): void {}
  beside(): void {}
  mark(): Strand['mark'] {
    return noMark();
  }
  units(lo: number, hi: number, _calls: string, run: (lo: number, hi: number) => number | undefined): number {
    return run(lo, hi) ?? 0;
  }
  stageEnded(): void {}
  node<R>(_graph: object, _node: number, _name: string, run: () => R): R {
    return run();
  }
  graphEnded(): void {}
  aside<R>(run: () => R): [value: R, cost: number] {
    return [run(), 0];
  }
  advance(): void {}
}
