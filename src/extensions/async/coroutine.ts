/**
 * An asynchronous task that has begun on this thread, and its scope.
 *
 * It ends when its body has settled and all that it has forked has ended. If the body throws, forks that nobody has started are
 * cancelled, the signals of those that run abort, and all are awaited.
 */

import { registrationOf } from '../../core/code/registry.js';
import { show } from '../../core/errors.js';
import { unionOfDependencies } from '../../core/job/code-dependencies.js';
import { keepArrays } from '../../core/memory/heap.js';
import type { Strand } from '../../core/observe/observer.js';
import { host } from '../../core/platform/host.js';
import type { AbortSignalLike } from '../../core/task/abort-signal.js';
import {
  dropScope,
  type InnerScope,
  type JoinedAll,
  putScope,
  RUN_JOB,
  type Scope,
  type ScopeFork,
  type ScopeSignal,
  type SettledAll,
} from '../../core/task/async-task.js';
import { isCallTask } from '../../core/task/call-task.js';
import { type ForkJoinTask, mark, nameOf, RUNNING } from '../../core/task/fork-join-task.js';
import { functions } from '../../core/task/function-task.js';
import { isPromise } from '../../core/task/slow-paths.js';
import { carriedBy, carrying } from '../../core/worker/carried.js';
import { noneSucceeded, raceTasks } from '../../core/worker/race-tasks.js';
import { sendReport } from '../../core/worker/report.js';
import { cancelledByForker } from '../../core/worker/requests.js';
import { requireFresh, taskOf } from '../../core/worker/scheduler.js';
import { thread as realm, type WorkerSlot } from '../../core/worker/worker-slot.js';
import { CoroutineFork, ENDED, STARTED } from './coroutine-fork.js';
import { Race } from './race.js';
import type { Spread } from './spread.js';

type CoroutineBody = (scope: Scope, ...args: unknown[]) => unknown;

/** The thread of a coroutine, as it sees it (coroutine-scheduler.ts). */
export interface CoroutineHost {
  /** Null without a pool. */
  readonly own: WorkerSlot | null;
  /** Undefined without a pool. */
  readonly spread: Spread | undefined;
  /** Takes a new fork. */
  offer(fork: CoroutineFork): void;
  /** Runs a fork, unless somebody has started it, or other things come first. */
  tryRun(fork: CoroutineFork): void;
  /** Takes a fork that nobody has started, to cancel it. */
  tryClaim(fork: CoroutineFork): boolean;
  /** Cancels a fork that somebody has started. */
  cancelStarted(fork: CoroutineFork, error: unknown): void;
  /** Calls `act` when the grace of a coroutine that was cancelled is over; returns a function that prevents it. */
  afterGrace(invocation: number, act: () => void): () => void;
  /** Cancels coroutines if a request to cancel has arrived. */
  lookForCancellation(): void;
  /** Sees to it that the thread runs forks when what runs now has returned. */
  lookSoon(): void;
  ended(coroutine: Coroutine, failed: boolean, value: unknown): void;
}

/** The one whose body runs on this thread up to its first `await`. */
export let beginning: Coroutine | undefined;

export class Coroutine implements InnerScope {
  readonly task: ForkJoinTask<unknown>;
  readonly thread: CoroutineHost;
  /** As the entry of the root's record. */
  readonly invocation: number;
  readonly dependencies: number;
  /** It completes this when it ends: the record that this thread has taken, or the fork of another coroutine here. */
  readonly completes: number | CoroutineFork;
  /** The race that it belongs to, as `setRace` has it. */
  readonly race: number;
  /** If somebody observes. */
  strand: Strand | undefined;
  /** Forks that have not ended, or whose failure nobody has seen; in fork order. */
  #forks: Set<CoroutineFork> | undefined;
  /** Number of these that have not ended, and of the body if it has not. */
  #running = 1;
  /** The result of `Spread.begins`. */
  #begun = 0;
  /** Set once it is cancelled: what it fails with if it is abandoned. */
  #cancelled: { readonly error: unknown } | undefined;
  #stopGrace: (() => void) | undefined;
  #controller: AbortController | undefined;
  /** Once it is abandoned: gives up what its body may still name. */
  #letGo: (() => void) | undefined;
  /** The outcome of the body, which has settled or was abandoned. */
  #outcome: { readonly failed: boolean; readonly value: unknown } | undefined;

  constructor(
    thread: CoroutineHost,
    task: ForkJoinTask<unknown>,
    invocation: number,
    dependencies: number,
    completes: number | CoroutineFork,
    race: number,
  ) {
    this.thread = thread;
    this.task = task;
    this.invocation = invocation;
    this.dependencies = dependencies;
    this.completes = completes;
    this.race = race;
  }

  /** Runs the body up to its first `await`. */
  begin(): void {
    const { task } = this;
    let result: unknown;
    let isPending: boolean;
    const outer = beginning;
    beginning = this;
    this.#begun = this.thread.spread?.begins() ?? 0;
    this.thread.spread?.waits(1);
    try {
      const unwritable = mark(task, RUNNING);
      if (unwritable !== undefined) throw unwritable;
      const { completes } = this;
      this.strand = realm.observer?.apart(task, typeof completes === 'number' ? completes : undefined);
      const body = (): unknown => this.#body();
      result = carrying(carriedBy(this.thread.own, this.invocation), () =>
        this.strand === undefined ? body() : this.strand.run(body),
      );
      isPending = isPromise(result);
    } catch (error) {
      this.#bodyEnded(true, error);
      return;
    } finally {
      beginning = outer;
      this.strand?.leave();
    }
    if (!isPending) this.#bodyEnded(false, result);
    else
      Promise.resolve(result).then(
        (value) => this.#bodyEnded(false, value),
        (error: unknown) => this.#bodyEnded(true, error),
      );
  }

  #body(): unknown {
    const { task } = this;
    if (isCallTask(task)) return (functions[task.index] as CoroutineBody)(this, ...task.args);
    putScope(task, this);
    return task.compute();
  }

  fork(work: unknown, ...args: unknown[]): ScopeFork<never> {
    this.#requireOpen('fork');
    const task = taskOf('scope.fork', work, args);
    requireFresh('scope.fork', task);
    if (!isCallTask(task)) registrationOf(task);
    return this.#forkTask(task, this.dependencies) as unknown as ScopeFork<never>;
  }

  #forkTask(task: ForkJoinTask<unknown>, dependencies: number): CoroutineFork {
    const unwritable = mark(task, RUNNING);
    if (unwritable !== undefined) throw unwritable;
    const fork = this.#add(new CoroutineFork(this, task, dependencies));
    this.thread.offer(fork);
    return fork;
  }

  #add(fork: CoroutineFork): CoroutineFork {
    if (this.#forks === undefined) {
      this.#forks = new Set();
      this.thread.spread?.isKnown(this.#begun, 'forked');
    }
    this.#forks.add(fork);
    fork.mark = this.strand?.fork();
    if (this.#running++ === 1 && this.#outcome === undefined) this.thread.spread?.waits(-1);
    return fork;
  }

  /** For algorithms. @internal */
  async [RUN_JOB]<R>(root: ForkJoinTask<R>, dependencies: number, signal?: AbortSignalLike): Promise<R> {
    this.#requireOpen('fork');
    const fork = this.#forkTask(root, unionOfDependencies(this.dependencies, dependencies));
    signal?.addEventListener('abort', () => this.#cancelFork(fork, signal.reason));
    await undefined; // a caller that forks several can do so before the first of them runs here
    return this.join(fork as unknown as ScopeFork<R>);
  }

  join<R>(given: ScopeFork<R>): Promise<R> {
    const fork = given as unknown as CoroutineFork;
    if (!this.#isOwn(fork)) return Promise.reject(noFork(given));
    if (this.#outcome !== undefined) return Promise.reject(this.#useAfterEnd('join'));
    this.#start(fork);
    if (fork.state !== ENDED || fork.failed) return quiet(fork.result()) as Promise<R>;
    fork.mark?.arrive();
    return Promise.resolve(fork.value as R);
  }

  joinAll<const Forks extends readonly ScopeFork<unknown>[]>(given: Forks): Promise<JoinedAll<Forks>> {
    return quiet(this.#resultsOf(given)) as Promise<JoinedAll<Forks>>;
  }

  async #resultsOf(given: unknown): Promise<unknown[]> {
    const forks = await this.#allEnded('joinAll', given);
    const failed = forks.find((fork) => fork.failed);
    if (failed !== undefined) throw failed.value;
    return forks.map((fork) => fork.value);
  }

  joinAllSettled<const Forks extends readonly ScopeFork<unknown>[]>(given: Forks): Promise<SettledAll<Forks>> {
    return quiet(this.#outcomesOf(given)) as Promise<SettledAll<Forks>>;
  }

  async #outcomesOf(given: unknown): Promise<unknown[]> {
    const forks = await this.#allEnded('joinAllSettled', given);
    return forks.map(({ failed, value }) =>
      failed ? { status: 'rejected', reason: value } : { status: 'fulfilled', value },
    );
  }

  /** For a join of several forks: runs those that nobody has started, and waits for all. */
  async #allEnded(what: string, given: unknown): Promise<readonly CoroutineFork[]> {
    if (!Array.isArray(given))
      throw new TypeError(`furcate: ${what}() takes an array of forks; it was given ${show(given)}.`);
    const forks = given as CoroutineFork[];
    const foreign = forks.find((fork) => !this.#isOwn(fork));
    if (foreign !== undefined) throw noFork(foreign);
    if (this.#outcome !== undefined) throw this.#useAfterEnd(what);
    for (let k = forks.length - 1; k >= 0; k--) this.#start(forks[k] as CoroutineFork); // the newest first
    for (const fork of forks) if (fork.state !== ENDED) await fork.whenEnded;
    for (const fork of forks) fork.mark?.arrive();
    return forks;
  }

  invokeAny(given: readonly unknown[]): Promise<never> {
    return quiet(this.#winnerOf(given)) as Promise<never>;
  }

  async #winnerOf(given: readonly unknown[]): Promise<unknown> {
    this.#requireOpen('invokeAny');
    const tasks = raceTasks('scope.invokeAny', given);
    const race = new Race<CoroutineFork>(this.thread.own, this.race, tasks.length, (fork, reason) =>
      this.#cancelFork(fork, reason),
    );
    const forks = tasks.map((task) => this.#add(new CoroutineFork(this, task, this.dependencies, race)));
    for (const fork of forks) race.forks.push(fork);
    for (const fork of [...forks].reverse()) this.#enter(fork); // this thread takes the newest, and so begins with the first
    await race.over;
    if (race.winner !== undefined) return race.winner.value;
    this.throwIfCancelled();
    throw noneSucceeded(forks.map(({ value }) => value));
  }

  /** Lets a fork take part in its race. What becomes of it concerns nobody else. */
  #enter(fork: CoroutineFork): void {
    fork.observed = true;
    const unwritable = mark(fork.task, RUNNING);
    if (unwritable === undefined) this.thread.offer(fork);
    else fork.end(true, unwritable);
  }

  yield(): Promise<void> {
    return quiet(this.#turn());
  }

  async #turn(): Promise<void> {
    this.#requireOpen('yield');
    await host().turn();
    this.#requireOpen('yield');
  }

  report(value: unknown): void {
    if (this.#outcome !== undefined) throw this.#useAfterEnd('report');
    sendReport(this.thread.own, this.invocation, value);
  }

  carried<T>(): T | undefined {
    if (this.#outcome !== undefined) throw this.#useAfterEnd('carried');
    return carriedBy(this.thread.own, this.invocation) as T | undefined;
  }

  #isOwn(fork: unknown): boolean {
    return fork instanceof CoroutineFork && fork.parent === this;
  }

  /** Runs a fork for a join, if nobody has started it. */
  #start(fork: CoroutineFork): void {
    if (fork.state < STARTED) this.thread.tryRun(fork);
    fork.observed = true;
    if (fork.state === ENDED) this.#forks?.delete(fork);
  }

  get signal(): ScopeSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      host().allowListeners?.(this.#controller.signal);
      if (this.#cancelled !== undefined) this.#controller.abort(this.#cancelled.error);
    }
    return this.#controller.signal as ScopeSignal;
  }

  /** Aborts its signal, cancels all that it has forked, and abandons it after the grace. */
  cancel(error: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { error };
    this.#controller?.abort(error);
    this.#cancelForks(error);
    if (this.#outcome === undefined) this.#stopGrace = this.thread.afterGrace(this.invocation, () => this.abandon());
  }

  /**
   * Ends a cancelled coroutine whose promise does not settle. It may go on, and write to the arrays that it knows: they keep their bytes
   * until its body has ended.
   */
  abandon(): void {
    if (this.#outcome !== undefined) return;
    this.#letGo = keepArrays(); // before its invocation ends, and arrays can be freed
    this.#bodyEnded(true, this.#cancelled?.error);
  }

  forkEnded(fork: CoroutineFork): void {
    if (fork.observed || !fork.failed) this.#forks?.delete(fork);
    this.#oneEnded();
  }

  #bodyEnded(failed: boolean, value: unknown): void {
    if (this.#outcome !== undefined) {
      this.#letGo?.(); // it was abandoned
      return;
    }
    if (this.#running === 1) this.thread.spread?.waits(-1);
    if (this.#forks === undefined) this.thread.spread?.isKnown(this.#begun, 'ended');
    this.#outcome = { failed, value };
    this.#stopGrace?.();
    if (failed) this.#cancelForks(undefined);
    else
      for (const fork of this.#forks ?? [])
        if (fork.state !== ENDED && fork.contest === undefined) fork.observed = false; // nobody awaits its join any more
    this.#oneEnded();
    if (this.#running > 0) this.thread.lookSoon();
  }

  /** @param error what they fail with; undefined when the body has thrown */
  #cancelForks(error: unknown): void {
    for (const fork of [...(this.#forks ?? [])].reverse())
      this.#cancelFork(fork, error ?? cancelledByForker(fork.task));
  }

  #cancelFork(fork: CoroutineFork, reason: unknown): void {
    if (fork.state === ENDED) return;
    if (this.thread.tryClaim(fork)) fork.end(true, reason);
    else this.thread.cancelStarted(fork, reason);
  }

  #oneEnded(): void {
    if (--this.#running === 0) this.#end();
    else if (this.#running === 1 && this.#outcome === undefined) this.thread.spread?.waits(1);
  }

  #end(): void {
    const { failed, value } = this.#outcome as { failed: boolean; value: unknown };
    if (!isCallTask(this.task)) dropScope(this.task);
    const failure = failed || this.#forks === undefined ? undefined : [...this.#forks].find((fork) => fork.failed);
    this.#forks = undefined;
    if (failure === undefined) this.thread.ended(this, failed, value);
    else this.thread.ended(this, true, failure.value);
  }

  /** @throws Error once the task has completed, CancellationError once it is cancelled */
  #requireOpen(what: string): void {
    if (this.#outcome !== undefined) throw this.#useAfterEnd(what);
    this.throwIfCancelled();
  }

  /** @throws CancellationError once it is cancelled */
  throwIfCancelled(): void {
    this.thread.lookForCancellation();
    if (this.#cancelled !== undefined) throw this.#cancelled.error;
  }

  #useAfterEnd(what: string): Error {
    return new Error(
      `furcate: scope.${what}() after ${nameOf(this.task)} has completed. Await what uses the scope before the task returns.`,
    );
  }
}

/**
 * Marks a promise of a scope as handled. If nobody awaits it, because the body has failed meanwhile, its rejection must not end the worker, and with it the
 * invocations beside.
 */
function quiet<R>(promised: Promise<R>): Promise<R> {
  promised.catch(() => {});
  return promised;
}

const noFork = (value: unknown): Error =>
  value instanceof CoroutineFork
    ? new Error('furcate: scope.join() of a fork of another scope. Only the task that forked it may join it.')
    : new TypeError(`furcate: scope.join() takes what scope.fork() gave; it was given ${show(value)}.`);
