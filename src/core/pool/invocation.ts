/**
 * Roots in flight: each has a record in the roots' slot and a promise; runs on the thread that owns the pool.
 *
 * A worker that completes a root counts up one word; this thread waits on it without blocking (`Atomics.waitAsync`)
 * while anything is in flight, and then looks at every root's status.
 */

import { unionOfDependencies } from '../call/code-dependencies.js';
import { CancellationError, WorkerCrashError } from '../errors.js';
import { load, store, waitAsync } from '../memory/atomics.js';
import { deferFrees } from '../memory/heap.js';
import { C_SETTLED, REQUEST_CANCEL } from '../memory/layout.js';
import {
  DONE,
  FAILED,
  NO_RECORD,
  PUBLIC,
  R_CANCEL,
  R_DEPENDENCIES,
  R_INVOCATION,
  setPublic,
  stateOf,
  tryClaim,
} from '../memory/records.js';
import { host } from '../platform/host.js';
import { decodeOutcome, encodeTask } from '../task/codec.js';
import { type ForkJoinTask, nameOf, RUNNING } from '../task/fork-join-task.js';
import { freeBlob } from '../task/values.js';
import { MAX_UNSPUN, OWNER_SPIN_US } from '../tuning.js';
import { conclude } from '../worker/join.js';
import {
  CANCELLED_BY_POOL,
  CANCELLED_BY_SIGNAL,
  CANCELLED_BY_TIMEOUT,
  cancellationError,
  requestOfAll,
} from '../worker/requests.js';
import { wakeOne } from '../worker/sleep.js';
import { NO_INVOCATION } from '../worker/worker-slot.js';
import type { AbortSignalLike } from './abort-signal.js';
import type { InvokeOptions } from './options.js';
import { after } from './timers.js';
import type { Crash, WorkerGroup } from './worker-group.js';

/** How an invocation is run, as the pool passes it on. */
export interface SubmitOptions extends InvokeOptions {
  /** When the call began of which this invocation is a part, by `performance.now()`: its time-out counts from there. */
  readonly startedMs?: number;
}

interface Invocation {
  readonly task: ForkJoinTask<unknown>;
  readonly options: SubmitOptions;
  /** As in records: what its job needs beside the library. */
  readonly dependencies: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Its root record's entry, `NO_RECORD` while it waits for one. */
  entry: number;
  /** Why it was cancelled, 0 while it was not. */
  cancelled: number;
  release: () => void;
  stopWatching: () => void;
  /** Set off by its cancellation, if its grace is finite. */
  stopGrace: () => void;
}

/** How often it looks without being told (milliseconds): a safety net only. */
const GUARD_MS = 1000;

export class Invocations {
  readonly #group: WorkerGroup;
  readonly #onIdle: () => void;
  /** In the order of submission, which is that of publication. */
  readonly #inFlight = new Set<Invocation>();
  /** Those that wait for a record. */
  readonly #waiting = new Set<Invocation>();
  #watching = false;
  #guarded = false;
  #lookQueued = false;
  /** Invocations to let pass before the next spin, and after the one after that. */
  #unspun = 0;
  #nextUnspun = 1;

  constructor(group: WorkerGroup, onIdle: () => void) {
    this.#group = group;
    this.#onIdle = onIdle;
  }

  get count(): number {
    return this.#inFlight.size;
  }

  /** Hands a task to the workers; the promise settles once nothing of it runs any more. */
  submit(task: ForkJoinTask<unknown>, options: SubmitOptions, dependencies: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const invocation: Invocation = {
        task,
        options,
        dependencies,
        resolve,
        reject,
        entry: NO_RECORD,
        cancelled: 0,
        release: () => {},
        stopWatching: () => {},
        stopGrace: () => {},
      };
      invocation.stopWatching = this.#watchOptions(invocation); // first: a signal that throws leaves nothing behind
      invocation.release = deferFrees();
      task.$state = RUNNING; // also while it waits for a record: it cannot be invoked twice
      this.#inFlight.add(invocation);
      this.#group.keepAlive(this, true);
      if (this.#waiting.size > 0 || !this.#publish(invocation)) this.#waiting.add(invocation);
      this.#lookSoon();
    });
  }

  /** False when there is no record for it now. */
  #publish(invocation: Invocation): boolean {
    const { roots, memory } = this.#group;
    const entry = roots.records.allocate();
    if (entry === NO_RECORD) return false;
    const record = roots.records.wordOf(entry);
    try {
      encodeTask(memory, record, invocation.task);
      memory.words[record + R_DEPENDENCIES] = unionOfDependencies(
        invocation.dependencies,
        memory.words[record + R_DEPENDENCIES],
      ); // plain: not public yet
    } catch (error) {
      roots.records.release(entry);
      this.#settle(invocation, true, error);
      return true;
    }
    memory.words[record + R_INVOCATION] = entry; // plain: not public yet
    store(memory.words, record + R_CANCEL, 0);
    setPublic(memory.words, record, entry);
    if (!roots.deque.tryPush(entry)) {
      freeBlob(memory, record);
      roots.records.release(entry);
      return false;
    }
    invocation.entry = entry;
    wakeOne(memory, NO_INVOCATION);
    return true;
  }

  #watchOptions(invocation: Invocation): () => void {
    const { signal, timeoutMs, startedMs } = invocation.options;
    const abort = (): void => this.#cancel(invocation, CANCELLED_BY_SIGNAL);
    signal?.addEventListener('abort', abort, { once: true });
    const spentMs = startedMs === undefined ? 0 : performance.now() - startedMs;
    const stopTimer = after((timeoutMs ?? Number.POSITIVE_INFINITY) - spentMs, () =>
      this.#cancel(invocation, CANCELLED_BY_TIMEOUT),
    );
    return () => {
      stopTimer();
      try {
        signal?.removeEventListener('abort', abort);
      } catch {
        // of a signal that is not the platform's: the listener stays, and does nothing once this has settled
      }
    };
  }

  #cancel(invocation: Invocation, reason: number): void {
    if (invocation.cancelled !== 0 || !this.#inFlight.has(invocation)) return;
    invocation.cancelled = reason;
    const { roots, memory } = this.#group;
    if (memory.isReleased) return; // its record is void: abandonAll settles it
    if (invocation.entry === NO_RECORD) {
      this.#waiting.delete(invocation);
      this.#settle(invocation, true, undefined);
      return;
    }
    const record = roots.records.wordOf(invocation.entry);
    if (tryClaim(memory.words, record, invocation.entry)) {
      this.#drop(invocation.entry, record);
      this.#settle(invocation, true, undefined);
      return;
    }
    store(memory.words, record + R_CANCEL, reason); // C1: before the bit; whoever sees the bit sees the reason
    requestOfAll(memory, REQUEST_CANCEL);
    const graceMs = invocation.options.graceMs ?? this.#group.settings.graceMs;
    invocation.stopGrace = after(graceMs, () => this.#endGrace(invocation, graceMs));
  }

  /** A cancelled invocation still runs: only the end of its workers can stop it, and any of them may run a part of it. */
  #endGrace(invocation: Invocation, graceMs: number): void {
    this.#collect(); // it may have ended just now
    if (!this.#inFlight.has(invocation)) return;
    this.#group.endWorkers(`${nameOf(invocation.task)} had not stopped ${graceMs} ms after it was cancelled`);
  }

  /** The worker group is gone: whatever has not settled never will. */
  abandonAll(crash: Crash | undefined): void {
    const running = [...this.#inFlight].map(({ task }) => nameOf(task)).join(', ');
    this.#waiting.clear();
    for (const invocation of [...this.#inFlight]) {
      if (crash === undefined) this.#settle(invocation, true, cancellationError(CANCELLED_BY_POOL));
      else this.#settle(invocation, true, crashError(crash, running, this.#group.settings.name));
    }
  }

  #watch(): void {
    if (this.#inFlight.size === 0) return;
    this.#guard();
    if (this.#watching) return;
    this.#watching = true;
    const { words } = this.#group.memory;
    const seen = load(words, C_SETTLED); // S8: before the look; a root settled later changes it
    this.#collect();
    const again = (): void => {
      this.#watching = false;
      this.#watch();
    };
    if (this.#inFlight.size === 0) {
      this.#watching = false;
    } else if (waitAsync === undefined) {
      setTimeout(again, 1);
    } else {
      const outcome = waitAsync(words, C_SETTLED, seen); // no time-out: Node would set a timer for each, for 30 us
      if (outcome.async) void outcome.value.then(again);
      else queueMicrotask(again);
    }
  }

  /** One timer for all waits. */
  #guard(): void {
    if (this.#guarded) return;
    this.#guarded = true;
    host().backgroundTimer(GUARD_MS, () => {
      this.#guarded = false;
      this.#collect();
      if (this.#inFlight.size > 0) this.#guard();
    });
  }

  /** Looks for the end once everything of this turn is submitted: at a spin if the last ones were short. */
  #lookSoon(): void {
    if (this.#lookQueued) return;
    this.#lookQueued = true;
    queueMicrotask(() => {
      this.#lookQueued = false;
      if (this.#unspun === 0) this.#spin();
      else this.#unspun--;
      this.#watch();
    });
  }

  #spin(): void {
    const { memory, settings } = this.#group;
    if (this.#inFlight.size === 0 || this.#inFlight.size > settings.parallelism) return;
    const { words } = memory;
    const untilMs = performance.now() + OWNER_SPIN_US / 1000;
    let seen = load(words, C_SETTLED);
    do {
      this.#collect();
      if (this.#inFlight.size === 0) {
        this.#nextUnspun = 1;
        return;
      }
      while (load(words, C_SETTLED) === seen && performance.now() < untilMs);
      seen = load(words, C_SETTLED);
    } while (performance.now() < untilMs);
    this.#unspun = this.#nextUnspun;
    this.#nextUnspun = Math.min(MAX_UNSPUN, this.#nextUnspun * 2);
  }

  #collect(): void {
    const { roots, memory } = this.#group;
    // What survivors of a crash make of it does not count, and what is released cannot be read: abandonAll comes then.
    if (this.#group.crashed || memory.isReleased) return;
    let unstarted = 0;
    for (const invocation of this.#inFlight) {
      if (invocation.entry === NO_RECORD) break; // and all that follow
      const record = roots.records.wordOf(invocation.entry);
      const state = stateOf(memory.words, record);
      // Roots are taken in order. Each worker may have passed one that it has not marked yet; beyond, nothing has begun.
      if (state === PUBLIC && ++unstarted > this.#group.settings.parallelism) break;
      if (state !== DONE && state !== FAILED) continue;
      let failed = state === FAILED;
      let value: unknown;
      try {
        value = decodeOutcome(memory, record, invocation.task);
      } catch (error) {
        failed = true; // its result is an array that was freed meanwhile, for one
        value = error;
      }
      this.#drop(invocation.entry, record);
      this.#settle(invocation, failed, value);
    }
    for (const invocation of this.#waiting) {
      if (!this.#publish(invocation)) break;
      this.#waiting.delete(invocation);
    }
  }

  #drop(entry: number, record: number): void {
    const { roots, memory } = this.#group;
    freeBlob(memory, record);
    roots.records.release(entry);
  }

  #settle(invocation: Invocation, failed: boolean, value: unknown): void {
    this.#inFlight.delete(invocation);
    invocation.stopWatching();
    invocation.stopGrace();
    invocation.release();
    const outcome = invocation.cancelled === 0 ? value : this.#cancelledError(invocation);
    const isFailure = failed || invocation.cancelled !== 0;
    conclude(invocation.task, isFailure, outcome);
    if (isFailure) invocation.reject(outcome);
    else invocation.resolve(outcome);
    if (this.#inFlight.size === 0) {
      this.#group.keepAlive(this, false);
      this.#onIdle();
    }
  }

  #cancelledError({ cancelled, options }: Invocation): CancellationError {
    if (cancelled === CANCELLED_BY_SIGNAL) return abortError(options.signal as AbortSignalLike);
    if (cancelled === CANCELLED_BY_TIMEOUT) {
      return new CancellationError(`furcate: the invocation took longer than timeoutMs = ${options.timeoutMs}.`);
    }
    return cancellationError(cancelled);
  }
}

export const abortError = (signal: AbortSignalLike): CancellationError =>
  new CancellationError('furcate: the invocation was aborted by its signal.', { aborted: true, cause: signal.reason });

/** What a process is told of a crash that no call waits for. */
export function crashWarning({ slot, exitCode, error }: Crash, pool: string): string {
  const why = error === undefined ? '' : ` for an error outside of tasks:\n${textOf(error)}`;
  return `furcate: worker ${slot} of pool '${pool}' ended with exit code ${exitCode} while nothing was in flight${why}`;
}

/** An error with its stack and its own properties is printed by whoever catches it; here only text gets through. */
function textOf(error: unknown): string {
  const { stack } = Object(error) as { stack?: unknown };
  return typeof stack === 'string' ? stack : String(error);
}

export function crashError(crash: Crash, running: string, pool: string): WorkerCrashError {
  const { slot, exitCode, error, endedBecause } = crash;
  if (endedBecause !== undefined) {
    return new WorkerCrashError(
      `furcate: the workers of pool '${pool}' were ended, because ${endedBecause}. The pool starts new workers for the next call.`,
      { running },
    );
  }
  const why = error instanceof Error ? `: ${error.message}` : '';
  const during = running === '' ? '' : ` while ${running} was in flight`;
  return new WorkerCrashError(
    `furcate: worker ${slot} of pool '${pool}' ended with exit code ${exitCode}${during}${why}. The pool starts new workers for the next call.`,
    { exitCode, running, ...(error === undefined ? {} : { cause: error }) },
  );
}
