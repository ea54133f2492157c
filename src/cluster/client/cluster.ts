/** A client of an application's hosts, as users have it. */
import {
  type AsyncForkable,
  type AsyncTask,
  CancellationError,
  type Forkable,
  type ForkJoinTask,
  RejectedExecutionError,
} from 'furcate';
import { show } from '../../core/show.js';
import { type HostFunction, nameOfHostFunction } from '../host-function.js';
import { stalled, watchEnds, withPermits } from '../library.js';
import { type JobEntry, jobsOf, purgeRun, type RunEntry, runsOf } from '../link/inventory.js';
import { Link } from '../link/link.js';
import { checkClient, checkItems, checkRun, type LinkOptions } from '../link/options.js';
import { type ClusterStats, statsOf } from '../link/stats.js';
import { isSplittable } from '../split.js';
import { keepClock } from '../timeline.js';
import { within } from '../within.js';
import { ClusterCall } from './call.js';
import { Cleaner } from './cleaner.js';
import { foldInBlocks } from './fold.js';
import { type ClusterCallOptions, type ClusterItemsOptions, checkOptions, ITEMS_OPTIONS, placeOf } from './options.js';
import { Quota } from './quota.js';
import { ClientRuns } from './runs.js';
import { Sharing } from './sharing.js';
import { runCheckedTask, runTask, type Submit } from './tree-jobs.js';
import { keyOf, workOf } from './work.js';

/** Options of a client. */
export interface ClusterOptions extends LinkOptions {
  /** Compares what `combine` of a task gives with what its `compute` gives, for every task that is split. For tests. Default false. */
  readonly checked?: boolean | undefined;
  /**
   * Number of jobs that this client may have at the server at the same time, waiting or running. Those of its calls that come later wait in its
   * memory, in their order. Default: any number.
   */
  readonly maxQueued?: number | undefined;
}

/** Function that hosts run for each item of a call: a host function, or a forkable function of one argument. */
export type ItemFunction<A, R> = HostFunction<A, R> | Forkable<[A], R> | AsyncForkable<[A], R>;

/** Jobs that a task is split into, at least, and for each host. */
const LEAST_JOBS = 64;
const JOBS_A_HOST = 16;

/**
 * Time that a client that is closed waits for the server to delete what its calls have left (milliseconds): it may be away.
 */
const CLEANED_MS = 5000;

/** Names the option in errors of limits. */
const LIMIT = 'a call of the cluster: options.limit';

/** Time between two looks of a call at its jobs at the server (milliseconds), beside each reconnection. */
const RECOVER_MS = 15_000;
/** Time after that until it looks once more (milliseconds). */
const SETTLED_MS = 3000;

export class Cluster {
  readonly #link: Link;
  readonly #version: string;
  readonly #isChecked: boolean;
  readonly #quota: Quota;
  readonly #cleaner: Cleaner;
  readonly #runs: ClientRuns;
  /** Functions that end a call before its time, for each in flight. */
  readonly #calls = new Map<ClusterCall, (error: unknown) => Promise<void>>();
  readonly #sharing: Sharing;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #timer: ReturnType<typeof setInterval>;
  #count = 0;
  #isClosed = false;

  private constructor(
    link: Link,
    { version = '', checked = false, maxQueued = Number.POSITIVE_INFINITY }: ClusterOptions,
  ) {
    this.#link = link;
    this.#version = version;
    this.#isChecked = checked;
    this.#quota = new Quota(maxQueued);
    this.#cleaner = new Cleaner(link, ({ run, call }) =>
      [...this.#calls.keys()].some(({ name }) => name.run === run && name.call === call),
    );
    this.#runs = new ClientRuns(link, this.#cleaner);
    this.#sharing = new Sharing(link);
    void link.connection.closed().then((cause) => this.#endCalls(closedError(cause)));
    link.onReconnect(() => {
      void this.#recover();
      setTimeout(() => void this.#lookAgain(), SETTLED_MS).unref(); // hosts have acknowledged by then what was brought back
    });
    this.#timer = setInterval(() => void this.#lookAgain(), RECOVER_MS);
    this.#timer.unref();
  }

  /** @internal */
  static async open(options: ClusterOptions): Promise<Cluster> {
    checkClient(options);
    const link = await Link.open(options, { name: 'furcate client' });
    keepClock(link, 'client');
    const cluster = new Cluster(link, options);
    try {
      await cluster.#runs.showLife();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /**
   * Runs a task, or a call of a function, on a host. A task with `split` and `combine` is split into jobs for all hosts.
   *
   * @returns its result
   * @throws what it threw; TaskRegistrationError where the host does not know it; WorkerCrashError when it has lost three hosts;
   *   CancellationError; RejectedExecutionError once the cluster is closed
   */
  invoke<T>(
    task: ForkJoinTask<T> | AsyncTask<T>,
    options?: ClusterCallOptions<ForkJoinTask<T> | AsyncTask<T>>,
  ): Promise<T>;
  invoke<A, R>(fn: HostFunction<A, R>, argument: A, options?: ClusterCallOptions<HostFunction<A, R>>): Promise<R>;
  invoke<A extends unknown[], R>(fn: Forkable<A, R> | AsyncForkable<A, R>, ...args: A): Promise<R>;
  async invoke(work: unknown, ...args: unknown[]): Promise<unknown> {
    const isHostFunction = nameOfHostFunction(work) !== undefined;
    const isFunction = typeof work === 'function' && !isHostFunction;
    const call = `cluster.invoke(${isHostFunction ? 'fn, argument' : 'task'}, options)`;
    const options: ClusterCallOptions<unknown> = isFunction ? {} : checkOptions(args[isHostFunction ? 1 : 0], call);
    if (isSplittable(work)) return this.#invokeTree(work, options);
    const job = workOf('cluster.invoke', work, isFunction || isHostFunction ? args : []);
    return this.#run('invoke', options, (call) => call.submit(keyOf('root', job), job, placeOf(options, work)));
  }

  /**
   * Runs a function for each item, each as a job of its own. An item should be worth 100 ms or more.
   *
   * @returns the results in the order of the items
   * @throws as `invoke`: the first failure, once nothing of the call is queued any more
   */
  async parallelMap<A, R>(items: Iterable<A>, fn: ItemFunction<A, R>, options?: ClusterItemsOptions<A>): Promise<R[]> {
    const name = 'cluster.parallelMap';
    const checked = checkOptions<ClusterItemsOptions<A>>(options, `${name}(items, fn, options)`, ITEMS_OPTIONS);
    return this.#map<A, R>('map', name, { items, fn, options: checked });
  }

  /**
   * Runs a function for each item, as `parallelMap` does, and combines the results on this thread in the fixed tree of `parallelReduce`: the
   * result is the same, bit for bit, however many hosts there are.
   *
   * @param combine takes two neighbours; must be associative
   * @throws as `parallelMap`; TypeError for no items
   */
  async parallelReduce<A, R>(
    items: Iterable<A>,
    fn: ItemFunction<A, R>,
    combine: (left: R, right: R) => R,
    options?: ClusterItemsOptions<A>,
  ): Promise<R> {
    const name = 'cluster.parallelReduce';
    const checked = checkOptions<ClusterItemsOptions<A>>(
      options,
      `${name}(items, fn, combine, options)`,
      ITEMS_OPTIONS,
    );
    if (typeof combine !== 'function')
      throw new TypeError(`furcate: ${name}: combine must be a function; it was ${show(combine)}.`);
    const results = await this.#map<A, R>('reduce', name, { items, fn, options: checked });
    return foldInBlocks(results, combine);
  }

  /**
   * Returns what the server has of the application, and the hosts that answer; a third of a second.
   *
   * @throws RejectedExecutionError once the cluster is closed
   */
  async stats(): Promise<ClusterStats> {
    this.#checkOpen();
    return statsOf(this.#link);
  }

  /**
   * The jobs that wait, or that hosts have taken.
   *
   * @param run only those of this run, as `run` of an entry names it
   * @throws RejectedExecutionError once the cluster is closed
   */
  async jobs(run?: string): Promise<JobEntry[]> {
    this.#checkOpen();
    if (run !== undefined) checkRun('cluster.jobs(run)', run);
    return jobsOf(this.#link, run);
  }

  /**
   * The runs of which the server has something: those that go on, and what is left of others.
   *
   * @throws RejectedExecutionError once the cluster is closed
   */
  async runs(): Promise<RunEntry[]> {
    this.#checkOpen();
    return runsOf(this.#link);
  }

  /**
   * Cancels a run at all hosts, and deletes its jobs and results. A client that waits for them submits its jobs again.
   *
   * @returns how many jobs and results that were
   * @throws RejectedExecutionError once the cluster is closed
   */
  async purge(run: string): Promise<{ readonly jobs: number; readonly results: number }> {
    this.#checkOpen();
    checkRun('cluster.purge(run)', run);
    return purgeRun(this.#link, run);
  }

  /** Takes no more calls; resolves when those in flight have ended and the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
    clearInterval(this.#timer);
    for (const feed of this.#runs.feeds) void feed.stop();
    await this.#link.close();
  }

  /** Takes no more calls, cancels all in flight, and closes the connection. */
  async terminate(): Promise<void> {
    this.#isClosed = true;
    await this.#endCalls(new CancellationError('furcate: the cluster was terminated.', { reason: 'terminate' }));
    await this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #invokeTree(task: ForkJoinTask<unknown>, options: ClusterCallOptions<unknown>): Promise<unknown> {
    return this.#run('invoke', options, async (call) => {
      const jobs = Math.max(LEAST_JOBS, JOBS_A_HOST * (await this.#hosts()));
      const submit: Submit = (key, work, node) => call.submit(key, work, placeOf(options, node));
      return this.#isChecked ? runCheckedTask(submit, task, jobs) : runTask(submit, task, jobs);
    });
  }

  /**
   * About how many hosts there are, rounded up to a power of two: a run that goes on should be split as before. Pulls that wait tell how many are idle,
   * at once. A busy host runs any number of jobs, so busy hosts are asked.
   */
  async #hosts(): Promise<number> {
    const { num_waiting: idle, num_ack_pending: busy } = await this.#link.patiently(() => this.#link.consumer());
    const alive = busy === 0 ? [] : (await this.#link.who()).filter(({ version }) => version === this.#version);
    const hosts = Math.max(idle, alive.length);
    return 2 ** Math.ceil(Math.log2(Math.max(1, hosts)));
  }

  #map<A, R>(
    kind: string,
    name: string,
    {
      items,
      fn,
      options,
    }: { readonly items: Iterable<A>; readonly fn: unknown; readonly options: ClusterItemsOptions<A> },
  ): Promise<R[]> {
    if (typeof fn !== 'function')
      throw new TypeError(
        `furcate: ${name}: fn must be a function made with hostFunction(), forkable() or asyncForkable(); it was ${show(fn)}.`,
      );
    checkItems(name, items);
    const works = Array.from(items, (item) => ({ work: workOf(name, fn, [item]), place: placeOf(options, item) }));
    let done = 0;
    return this.#run(kind, options, (call) =>
      Promise.all(
        works.map(async ({ work, place }, i) => {
          const result = await call.submit(keyOf(`${i}`, work), work, place);
          options.onProgress?.(++done, works.length);
          return result as R;
        }),
      ),
    );
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new RejectedExecutionError('furcate: the cluster is closed. Connect again.');
  }

  /** Runs a call from its begin to its end. */
  #run<R>(kind: string, options: ClusterCallOptions<unknown>, body: (call: ClusterCall) => Promise<R>): Promise<R> {
    this.#checkOpen();
    const running = this.#runToEnd(kind, options, body);
    const ended = running.then(
      () => {},
      () => {},
    );
    this.#inFlight.add(ended);
    void ended.then(() => this.#inFlight.delete(ended));
    return running;
  }

  async #runToEnd<R>(
    kind: string,
    options: ClusterCallOptions<unknown>,
    body: (call: ClusterCall) => Promise<R>,
  ): Promise<R> {
    const name = options.run === undefined ? `${++this.#count}` : kind;
    const { connections } = this.#link;
    const run = this.#runs.enter(options.run, name);
    const call = new ClusterCall(this.#link, run.feed, {
      run: run.name,
      call: name,
      version: this.#version,
      quota: this.#quota,
      jobTimeoutMs: options.jobTimeoutMs,
    });
    const stopSharing = this.#sharing.watch(call);
    let cancelled: Promise<void> | undefined;
    let stopWatching = (): void => {};
    const ended = new Promise<never>((_, reject) => {
      const end = (error: unknown): Promise<void> => {
        cancelled ??= call.cancel(error).finally(() => reject(error));
        return cancelled;
      };
      this.#calls.set(call, end);
      try {
        stopWatching = watchEnds(options, 'the call', end);
      } catch (error) {
        void end(error); // it is aborted already
      }
    });
    ended.catch(() => {});
    try {
      const begun = options.run === undefined ? run.ready : run.ready.then(() => call.resume());
      const start = (): Promise<R> => Promise.race([ended, begun.then(() => body(call))]);
      return await withPermits(options.limit, LIMIT, start, ended);
    } catch (error) {
      await (cancelled ?? call.cancel(error));
      throw error;
    } finally {
      stopWatching();
      stopSharing();
      this.#calls.delete(call);
      const { aborted: isCancelled } = call;
      const cleaned = call.end().then(() => this.#cleaner.clean(call.name, { isCancelled, connections }));
      const left = within(CLEANED_MS, this.#runs.leave(run, cleaned));
      this.#inFlight.add(left);
      void left.then(() => this.#inFlight.delete(left));
    }
  }

  async #endCalls(error: unknown): Promise<void> {
    await Promise.all([...this.#calls.values()].map((end) => end(error)));
  }

  async #recover(): Promise<void> {
    await Promise.allSettled(this.#runs.feeds.map((feed) => feed.startAgain()));
    await this.#recoverCalls();
  }

  async #lookAgain(): Promise<void> {
    if (this.#calls.size === 0) return;
    await this.#link.restore(); // and that recovers, where something was deleted
    await this.#recoverCalls();
  }

  async #recoverCalls(): Promise<void> {
    await Promise.allSettled([...this.#calls.keys()].map((call) => call.recover()));
  }
}

/** Error with which calls end when the connection is closed while they are in flight. */
const closedError = (cause: unknown): Error =>
  new Error('furcate: the connection to the NATS server is closed. Connect again.', { cause });

/**
 * Connects to the server of an application, whose hosts run what is invoked.
 *
 * @throws TypeError, RangeError naming an option; Error when no server answers, or it runs without JetStream, or the NATS packages are not installed
 */
export function connect(options: ClusterOptions): Promise<Cluster> {
  return stalled('connect') ?? Cluster.open(options);
}
