/**
 * Ends an invocation before its time, by its signal, its time-out or its pool; runs on the thread that owns the pool.
 *
 * An invocation that nobody has begun is withdrawn. For any other the reason goes into its root's record, and the threads that work for it
 * are asked to look. What has not stopped when the grace is over is ended: coroutines are abandoned, and then the workers are ended.
 */
import { preloadCure } from '../code/explain-import.js';
import { CancellationError, type CancellationReason } from '../errors.js';
import { REQUEST_CANCEL } from '../memory/layout.js';
import {
  ABANDONED,
  CANCELLED_BY_POOL,
  CANCELLED_BY_RACE,
  CANCELLED_BY_SIGNAL,
  CANCELLED_BY_TIMEOUT,
  coroutineGraceMs,
  setReason,
} from '../memory/record-kinds.js';
import { DONE, FAILED, stateOf } from '../memory/records.js';
import { isAsync } from '../task/async-task.js';
import { type ForkJoinTask, nameOf } from '../task/fork-join-task.js';
import { after } from '../worker/grace.js';
import { requestOfAll } from '../worker/requests.js';
import type { TaskOutcome } from '../worker/wait.js';
import { invocationOf } from '../worker/worker-slot.js';
import type { SubmitOptions } from './options.js';
import { watchEnds } from './signal.js';
import type { WorkerGroup } from './worker-group.js';

/** Part of an invocation that cancellation needs. */
export interface CancellableInvocation {
  readonly task: ForkJoinTask<unknown>;
  readonly options: SubmitOptions;
  /** The entry of its root's record; `NO_RECORD` while it waits for one. */
  entry: number;
  /** Set once it is cancelled: how its promise ends. */
  cancelled: TaskOutcome | undefined;
  /** Called when it has ended. */
  readonly atEnd: (() => void)[];
}

/** The invocations, as cancellation sees them. */
interface InvocationsInFlight<I> {
  isInFlight(invocation: I): boolean;
  /** Ends a cancelled invocation that no thread has begun; false if one has. */
  tryWithdraw(invocation: I): boolean;
  /** Ends those whose roots are done. */
  collect(): void;
}

const REASONS: Readonly<Partial<Record<CancellationReason, number>>> = {
  timeout: CANCELLED_BY_TIMEOUT,
  terminate: CANCELLED_BY_POOL,
  race: CANCELLED_BY_RACE,
};

/**
 * Reason that the tasks of an invocation are given when its signal cancels it: the signal of a larger call has the reason for which that has
 * ended.
 */
const reasonOf = (error: unknown): number =>
  (CancellationError.is(error) ? REASONS[error.reason] : undefined) ?? CANCELLED_BY_SIGNAL;

/** Time that workers have for abandoning coroutines before they are ended (milliseconds). */
const ABANDON_MS = 500;

export class Cancellation<I extends CancellableInvocation> {
  readonly #group: WorkerGroup;
  readonly #all: InvocationsInFlight<I>;

  constructor(group: WorkerGroup, all: InvocationsInFlight<I>) {
    this.#group = group;
    this.#all = all;
  }

  /** Cancels the invocation when its signal is aborted or its time is up, until it has ended. */
  watch(invocation: I): void {
    const { signal, timeoutMs } = invocation.options;
    if (signal === undefined && timeoutMs === undefined) return;
    const stop = watchEnds(invocation.options, 'the invocation', (error) =>
      this.cancel(invocation, reasonOf(error), error),
    );
    invocation.atEnd.push(() => {
      try {
        stop();
      } catch (error) {
        invocation.cancelled ??= { failed: true, value: error };
      }
    });
  }

  /**
   * Ends the invocation as soon as possible. Its promise rejects with `error` once nothing of it runs any more.
   *
   * @param reason what its tasks are told (`CANCELLED_BY_...`)
   */
  cancel(invocation: I, reason: number, error: unknown): void {
    if (invocation.cancelled !== undefined || !this.#all.isInFlight(invocation)) return;
    invocation.cancelled = { failed: true, value: error };
    const { roots, memory, settings } = this.#group;
    if (reason === CANCELLED_BY_TIMEOUT) this.#explain(error);
    if (memory.isReleased) return; // its record is gone: abandonAll ends it
    if (this.#all.tryWithdraw(invocation)) return;
    const record = roots.records.wordOf(invocation.entry);
    setReason(memory.words, record, reason); // C1: before the bit; a thread that sees the bit sees the reason
    requestOfAll(memory, REQUEST_CANCEL);
    const graceMs = invocation.options.graceMs ?? settings.graceMs;
    if (isAsync(invocation.task)) this.#endCoroutines(invocation, record, reason, graceMs);
    else invocation.atEnd.push(after(graceMs, () => this.#endGrace(invocation, graceMs)));
  }

  /** Adds to the error of a time-out what a worker may have waited for. */
  #explain(error: unknown): void {
    const [url] = this.#group.slowImports;
    if (url === undefined || !CancellationError.is(error) || error.message.includes(url)) return;
    error.message += ` A worker is still importing ${url}. ${preloadCure(url)}`;
  }

  /** Workers that sleep while coroutines wait must see the cancellation. After the grace, coroutines that have not ended are abandoned. */
  #endCoroutines(invocation: I, record: number, reason: number, graceMs: number): void {
    const { memory } = this.#group;
    this.#group.wakeAll();
    const stop = after(coroutineGraceMs(graceMs), () => {
      if (memory.isReleased) return;
      setReason(memory.words, record, reason | ABANDONED); // C1
      requestOfAll(memory, REQUEST_CANCEL);
      this.#group.wakeAll();
      // Synchronous code that does not end keeps its worker from abandoning anything.
      invocation.atEnd.push(after(Math.max(graceMs, ABANDON_MS), () => this.#endGrace(invocation, graceMs)));
    });
    invocation.atEnd.push(stop);
  }

  /**
   * A cancelled invocation still runs, and any worker may run a part of it: only the end of all workers can stop it. While its workers
   * run roots on top of it, it has more time, and as much again when they are back.
   */
  #endGrace(invocation: I, graceMs: number, wasBelow = false): void {
    this.#all.collect(); // it may have ended just now
    if (!this.#all.isInFlight(invocation) || this.#isDone(invocation)) return;
    const isBelow = !this.#isComputing(invocation);
    if (isBelow || wasBelow)
      invocation.atEnd.push(after(Math.max(graceMs, 1), () => this.#endGrace(invocation, graceMs, isBelow)));
    else this.#group.endWorkers(`${nameOf(invocation.task)} had not stopped ${graceMs} ms after it was cancelled`);
  }

  /** Returns true if nothing of it runs any more. Then it is in flight only until its reports are delivered. */
  #isDone({ entry }: I): boolean {
    const { roots, memory } = this.#group;
    const state = stateOf(memory.words, roots.records.wordOf(entry));
    return state === DONE || state === FAILED;
  }

  /**
   * Checks whether a thread computes a part of it now, and no root on top of it. What coroutines do after an `await`, nobody knows:
   * they may.
   */
  #isComputing({ task, entry }: I): boolean {
    const { memory } = this.#group;
    return isAsync(task) || Array.from({ length: memory.slots }, (_, k) => invocationOf(memory, k)).includes(entry);
  }
}
