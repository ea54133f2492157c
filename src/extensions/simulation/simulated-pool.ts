/** `SimulatedPool`: a pool without threads, whose schedule a seed decides; for tests, on the thread that calls. */
import { numberOf, readOptions } from '../../core/options.js';
import { CallingThread } from '../../core/pool/calling-thread.js';
import {
  type Executor,
  type ExecutorCore,
  type Invoker,
  invokerWith,
  limitedInvoke,
  provideCore,
} from '../../core/pool/executor.js';
import { invokeAny } from '../../core/pool/invoke-any.js';
import { type InvokeOptions, invokeOptions, poolSettings, type SubmitOptions } from '../../core/pool/options.js';
import type { AnyForkable, AnyTask, ArgumentsAfter, ResultOf, SyncWork } from '../../core/task/async-task.js';
import { type ForkJoinTask, runTask } from '../../core/task/fork-join-task.js';
import { raceTasks } from '../../core/worker/race-tasks.js';
import { isInTask, refuseAsync, rootTask } from '../../core/worker/scheduler.js';
import { thread } from '../../core/worker/worker-slot.js';
import { Thieves } from './thieves.js';

/** Options of a `SimulatedPool`. */
export interface SimulatedPoolOptions {
  /** An integer; the same seed gives the same schedule. By default a random one, which the pool tells (`seed`). */
  readonly seed?: number | undefined;
  /** Simulated threads, 1 to 64; 4 by default. With one, nothing is stolen. */
  readonly parallelism?: number | undefined;
  /** The probability that a simulated thread begins a task at a fork, join or checkpoint, from 0 to less than 1; 0.5 by default. */
  readonly stealing?: number | undefined;
}

const PARALLELISM = 4;
const MOST_THREADS = 64;
const STEALING = 0.5;
const SEEDS = 2 ** 32;

const CALL = 'new SimulatedPool(options)';
const OPTIONS = {
  seed: numberOf((value) => Number.isSafeInteger(value), 'an integer'),
  parallelism: numberOf(
    (value) => Number.isInteger(value) && value >= 1 && value <= MOST_THREADS,
    `an integer from 1 to ${MOST_THREADS}`,
  ),
  stealing: numberOf((value) => value >= 0 && value < 1, 'from 0 to less than 1'),
};

/** Runs what is handed to it on the thread that calls, while simulated thieves look for what it forks. */
class SimulatedCore implements ExecutorCore {
  readonly runsHere = true;
  /** Whatever the clock says: an algorithm does its elements one by one, as far as its user says nothing else. */
  readonly chunkElements = 1;
  readonly #below: CallingThread;
  readonly #thieves: Thieves;

  constructor(below: CallingThread, thieves: Thieves) {
    this.#below = below;
    this.#thieves = thieves;
  }

  get settings(): CallingThread['settings'] {
    return this.#below.settings;
  }

  get inFlight(): number {
    return this.#below.inFlight;
  }

  checkOpen(): void {
    this.#below.checkOpen();
  }

  startEarly(): void {}

  hold(terminated: (error: unknown) => void): () => void {
    return this.#below.hold(terminated);
  }

  /** A synchronous task has ended when this returns. */
  submit<T>(task: ForkJoinTask<T>, options: SubmitOptions): Promise<T> {
    return this.#simulated(() => this.#below.submit(task, options));
  }

  computeHere<T>(what: string, body: () => T): T {
    return this.#simulated(() => this.#below.computeHere(what, body));
  }

  close(): Promise<void> {
    return this.#below.close();
  }

  #simulated<T>(act: () => T): T {
    const { observer } = thread;
    if (observer !== undefined && observer !== this.#thieves)
      throw new Error(
        'furcate: a SimulatedPool cannot be observed by profile() or trace(). Take a ForkJoinPool or a SequentialExecutor there.',
      );
    thread.observer = this.#thieves;
    try {
      return act();
    } finally {
      thread.observer = observer;
    }
  }
}

/**
 * Runs tasks in a schedule that a seed decides, on the thread that calls: for tests of tasks. A forked task runs at its join, or at an earlier fork, join or
 * `checkpoint()` of whatever task runs, as if another thread had stolen it: with copies of its fields or arguments, and its result copied back. So one seed of many
 * may show what a test with threads shows once in a thousand runs: a task that leans on the order of joins, or that reads a shared array, forks, and writes what it has read. The
 * same seed shows it again.
 *
 * Tasks take turns at forks, joins and checkpoints only: a race between two instructions in between is not found. All simulated threads share module variables, which those of a
 * pool do not; a `workerLocal` has a value of each. Algorithms do their elements one by one, unless `threshold` says otherwise. What an asynchronous task does after
 * its first `await`, and in which order pipelines run their stages, the seed does not decide.
 *
 * @example
 * for (let seed = 0; seed < 20; seed++) {
 *   const pool = new SimulatedPool({ seed });
 *   const sorted = await pool.invoke(sortWords, words);
 *   if (String(sorted) !== 'fork,join,steal') throw new Error(`wrong with seed ${seed}`);
 * }
 */
export class SimulatedPool implements Executor {
  readonly name = 'simulated';
  /** Simulated threads. */
  readonly parallelism: number;
  /** Decides the schedule. */
  readonly seed: number;
  readonly #thieves: Thieves;
  readonly #core: SimulatedCore;

  /** @throws TypeError or RangeError naming the option */
  constructor(options: SimulatedPoolOptions = {}) {
    const given = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
    const { seed = Math.floor(Math.random() * SEEDS), parallelism = PARALLELISM, stealing = STEALING } = given;
    if (isInTask()) throw new Error('furcate: new SimulatedPool() inside a task. Make it outside.');
    this.seed = seed;
    this.parallelism = parallelism;
    this.#thieves = new Thieves({ seed, parallelism, stealing });
    const settings = poolSettings({ parallelism, name: this.name });
    this.#core = new SimulatedCore(new CallingThread(settings, this, 'the simulated pool'), this.#thieves);
    provideCore(this, this.#core);
  }

  /** The number of tasks that were stolen so far. */
  get steals(): number {
    return this.#thieves.steals;
  }

  /**
   * Runs a task, or a call of a forkable function, to its end.
   *
   * @returns its result
   * @throws what it threw; RejectedExecutionError once the pool is closed; Error within `profile` or `trace`
   */
  invokeSync<W extends SyncWork>(work: W, ...args: ArgumentsAfter<W>): ResultOf<W>;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    const task = rootTask('invokeSync', work, args);
    refuseAsync('invokeSync()', task);
    return this.#core.computeHere('', () => runTask(task));
  }

  /**
   * As `invokeSync`, but returns a promise. A synchronous task has ended before the promise is returned.
   *
   * @param options for a task: those of a `SequentialExecutor`
   */
  invoke<W extends AnyTask | AnyForkable>(
    work: W,
    ...rest: ArgumentsAfter<W, [options?: InvokeOptions | undefined]>
  ): Promise<ResultOf<W>>;
  async invoke(work: unknown, ...args: unknown[]): Promise<unknown> {
    const task = rootTask('invoke', work, args);
    return this.#submit(task, typeof work === 'function' ? {} : invokeOptions(args[0]));
  }

  /** As `invokeAny` of a pool. The tasks run one after the other, until one succeeds; asynchronous ones beside each other. */
  async invokeAny<const Tasks extends readonly AnyTask[]>(
    tasks: Tasks,
    options?: InvokeOptions,
  ): Promise<ResultOf<Tasks[number]>> {
    if (isInTask())
      throw new Error('furcate: invokeAny() inside a task. In an asynchronous task, use await scope.invokeAny().');
    const all = raceTasks('invokeAny', tasks);
    const checked = invokeOptions(options);
    this.#core.checkOpen();
    return invokeAny(this, all, checked) as Promise<ResultOf<Tasks[number]>>;
  }

  /** As `with` of a pool. @throws TypeError or RangeError naming the option */
  with(options: InvokeOptions): Invoker {
    return invokerWith(options, async (work, args, checked) => this.#submit(rootTask('invoke', work, args), checked));
  }

  #submit(task: ForkJoinTask<unknown>, options: InvokeOptions): Promise<unknown> {
    this.#core.checkOpen();
    return limitedInvoke(options)?.invoke(this, task, options) ?? this.#core.submit(task, options);
  }

  /** Takes no more work; resolves when the promises of all calls in flight have settled. */
  async close(): Promise<void> {
    await this.#core.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Shows the seed. */
  toString(): string {
    return `SimulatedPool({ seed: ${this.seed}, parallelism: ${this.parallelism} })`;
  }
}
