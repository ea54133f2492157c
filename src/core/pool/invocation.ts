/**
 * Invocations in flight: each root has a record in the roots' slot, and a promise; runs on the thread that owns the pool.
 *
 * A worker that completes a root adds 1 to one word. While anything is in flight, this thread waits for that word to change
 * without blocking (`Atomics.waitAsync`), and then looks at the status of the roots.
 */

import { CancellationError } from '../errors.js';
import { load, store, waitAsync } from '../memory/atomics.js';
import { deferFrees } from '../memory/heap.js';
import { C_SETTLED, REQUEST_CANCEL } from '../memory/layout.js';
import { DONE, FAILED, NO_RECORD, PUBLIC, R_CANCEL, stateOf, tryClaim } from '../memory/records.js';
import { host } from '../platform/host.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { isAsync } from '../task/async-task.js';
import { type ForkJoinTask, nameOf, RUNNING } from '../task/fork-join-task.js';
import { MAX_UNSPUN, OWNER_SPIN_US } from '../tuning.js';
import { conclude } from '../worker/join.js';
import { dropRecord, publishRecord } from '../worker/publish.js';
import {
  ABANDONED,
  CANCELLED_BY_POOL,
  CANCELLED_BY_SIGNAL,
  CANCELLED_BY_TIMEOUT,
  cancellationError,
  requestOfAll,
} from '../worker/requests.js';
import { wakeOne } from '../worker/sleep.js';
import { type Outcome, outcomeOf } from '../worker/wait.js';
import { NO_INVOCATION } from '../worker/worker-slot.js';
import type { InvokeOptions } from './options.js';
import { type Crash, crashError, type WorkerGroup } from './worker-group.js';

/** How an invocation is run, as the pool passes it on. */
export interface SubmitOptions extends InvokeOptions {
  /** When the call began that this invocation belongs to, by `performance.now()`: its time-out counts from then. */
  readonly startedMs?: number;
  /** Whether it belongs to a call that holds the pool: see `ForkJoinPool.hold`. */
  readonly isHeld?: boolean;
}

interface Invocation {
  readonly task: ForkJoinTask<unknown>;
  readonly options: SubmitOptions;
  /** The code that its job needs beside the library, as a word for `R_DEPENDENCIES`. */
  readonly dependencies: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The entry of its root's record; `NO_RECORD` while it waits for one. */
  entry: number;
  /** Set once it is cancelled: what its promise rejects with. */
  cancelled: CancellationError | undefined;
  /** Called when it has ended. */
  readonly atEnd: (() => void)[];
}

/** How long cancelled coroutines may go on where no `graceMs` says so (milliseconds). */
const COROUTINE_GRACE_MS = 1000;

/** How long workers have for abandoning coroutines before they are ended (milliseconds). */
const ABANDON_MS = 500;

/** How often the owner looks without being woken (milliseconds): a safety net only. */
const GUARD_MS = 1000;

/** The longest time of the platform's timers (milliseconds), which fire at once beyond it. Such a time counts as for ever. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `then` after a time, which may be for ever; returns a function that prevents it. */
export function after(ms: number, then: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

export class Invocations {
  readonly group: WorkerGroup;
  /** In the order of submission, which is the order of publication. */
  readonly #inFlight = new Set<Invocation>();
  /** Whether the last ones in flight may wait for a record. */
  #isFull = false;
  #watching = false;
  #guarded = false;
  #lookQueued = false;
  /** How many turns still pass without a spin, and how many will after the next spin if that is in vain. */
  #unspun = 0;
  #nextUnspun = 1;

  constructor(group: WorkerGroup) {
    this.group = group;
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
        cancelled: undefined,
        atEnd: [],
      };
      this.#watchOptions(invocation); // first: a signal that throws leaves nothing behind
      invocation.atEnd.push(deferFrees(), this.group.retain());
      task.$state = RUNNING; // also while it waits for a record: it cannot be invoked twice
      this.#inFlight.add(invocation);
      if (!this.#isFull) this.#isFull = !this.#publish(invocation);
      this.#lookSoon();
    });
  }

  /** False if no record is free, or the deque is full. */
  #publish(invocation: Invocation): boolean {
    const { roots, memory } = this.group;
    const entry = roots.records.allocate();
    if (entry === NO_RECORD) return false;
    store(memory.words, roots.records.wordOf(entry) + R_CANCEL, 0);
    try {
      if (!publishRecord(roots, entry, invocation.task, entry, invocation.dependencies)) return false;
    } catch (error) {
      this.#settle(invocation, { failed: true, value: error });
      return true;
    }
    invocation.entry = entry;
    wakeOne(memory, NO_INVOCATION);
    return true;
  }

  #watchOptions(invocation: Invocation): void {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY, startedMs } = invocation.options;
    const abort = (): void => this.#cancel(invocation, CANCELLED_BY_SIGNAL, abortError(signal as AbortSignalLike));
    signal?.addEventListener('abort', abort, { once: true });
    const spentMs = startedMs === undefined ? 0 : performance.now() - startedMs;
    const stopTimer = after(timeoutMs - spentMs, () => {
      const error = new CancellationError(`furcate: the invocation took longer than timeoutMs = ${timeoutMs}.`);
      this.#cancel(invocation, CANCELLED_BY_TIMEOUT, error);
    });
    invocation.atEnd.push(stopTimer, () => {
      try {
        signal?.removeEventListener('abort', abort);
      } catch {
        // a signal that is not the platform's: the listener stays, and does nothing once the invocation has ended
      }
    });
  }

  #cancel(invocation: Invocation, reason: number, error: CancellationError): void {
    if (invocation.cancelled !== undefined || !this.#inFlight.has(invocation)) return;
    invocation.cancelled = error;
    const { roots, memory } = this.group;
    if (memory.isReleased) return; // its record is gone: abandonAll ends it
    const record = roots.records.wordOf(invocation.entry);
    if (invocation.entry === NO_RECORD || tryClaim(memory.words, record, invocation.entry)) {
      this.#settle(invocation);
      return;
    }
    store(memory.words, record + R_CANCEL, reason); // C1: before the bit; a thread that sees the bit sees the reason
    requestOfAll(memory, REQUEST_CANCEL);
    const graceMs = invocation.options.graceMs ?? this.group.settings.graceMs;
    if (isAsync(invocation.task)) this.#endCoroutines(invocation, record, reason, graceMs);
    else invocation.atEnd.push(after(graceMs, () => this.#endGrace(invocation, graceMs)));
  }

  /** Workers that sleep while coroutines wait must see the cancellation. After the grace, coroutines that have not ended are abandoned. */
  #endCoroutines(invocation: Invocation, record: number, reason: number, graceMs: number): void {
    const { memory } = this.group;
    this.group.wakeAll();
    const patienceMs = graceMs === Number.POSITIVE_INFINITY ? COROUTINE_GRACE_MS : graceMs;
    const stop = after(patienceMs, () => {
      if (memory.isReleased) return;
      store(memory.words, record + R_CANCEL, reason | ABANDONED); // C1
      requestOfAll(memory, REQUEST_CANCEL);
      this.group.wakeAll();
      // Synchronous code that does not end keeps its worker from abandoning anything.
      invocation.atEnd.push(after(Math.max(graceMs, ABANDON_MS), () => this.#endGrace(invocation, graceMs)));
    });
    invocation.atEnd.push(stop);
  }

  /** A cancelled invocation still runs, and any worker may run a part of it: only the end of all workers can stop it. */
  #endGrace(invocation: Invocation, graceMs: number): void {
    this.#collect(); // it may have ended just now
    if (!this.#inFlight.has(invocation)) return;
    this.group.endWorkers(`${nameOf(invocation.task)} had not stopped ${graceMs} ms after it was cancelled`);
  }

  /** The worker group is gone: invocations that have not ended never will. */
  abandonAll(crash: Crash | undefined): void {
    const running = [...this.#inFlight].map(({ task }) => nameOf(task)).join(', ');
    for (const invocation of [...this.#inFlight]) {
      invocation.entry = NO_RECORD; // its record is gone
      if (crash === undefined) invocation.cancelled ??= cancellationError(CANCELLED_BY_POOL);
      this.#settle(invocation, { failed: true, value: crash && crashError(crash, running, this.group.settings.name) });
    }
  }

  #watch(): void {
    if (this.#inFlight.size === 0) return;
    this.#guard();
    if (this.#watching) return;
    const { words } = this.group.memory;
    const seen = load(words, C_SETTLED); // S8: before the look; a root settled later changes it
    this.#collect();
    if (this.#inFlight.size === 0) return;
    this.#watching = true;
    const again = (): void => {
      this.#watching = false;
      this.#watch();
    };
    const outcome = waitAsync?.(words, C_SETTLED, seen); // no time-out, for which Node would set a timer: 30 us
    if (outcome === undefined) setTimeout(again, 1);
    else if (outcome.async) void outcome.value.then(again);
    else queueMicrotask(again);
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

  /** Looks for the end once everything of this turn is submitted. */
  #lookSoon(): void {
    if (this.#lookQueued) return;
    this.#lookQueued = true;
    queueMicrotask(() => {
      this.#lookQueued = false;
      if (this.#unspun > 0) this.#unspun--;
      else if (this.#inFlight.size <= this.group.settings.parallelism) this.#spin();
      this.#watch();
    });
  }

  /** Spins for the end of short invocations; the more often that is in vain, the more rarely it is done. */
  #spin(): void {
    const { words } = this.group.memory;
    const untilMs = performance.now() + OWNER_SPIN_US / 1000;
    while (this.#inFlight.size > 0 && performance.now() < untilMs) {
      const seen = load(words, C_SETTLED);
      this.#collect();
      if (this.#inFlight.size > 0) while (load(words, C_SETTLED) === seen && performance.now() < untilMs);
    }
    const inVain = this.#inFlight.size > 0;
    this.#unspun = inVain ? this.#nextUnspun : 0;
    this.#nextUnspun = inVain ? Math.min(MAX_UNSPUN, this.#nextUnspun * 2) : 1;
  }

  #collect(): void {
    const { roots, memory } = this.group;
    // After a crash the survivors' results do not count, and released memory cannot be read: abandonAll ends the invocations.
    if (memory.hasCrashed || memory.isReleased) return;
    let unstarted = 0;
    for (const invocation of this.#inFlight) {
      if (invocation.entry === NO_RECORD) {
        this.#isFull = !this.#publish(invocation);
        if (this.#isFull) break; // all that follow wait for a record, too
        continue;
      }
      const record = roots.records.wordOf(invocation.entry);
      const state = stateOf(memory.words, record);
      // Roots are taken in order, and each worker may have taken one that it has not marked yet. No later root has started.
      if (state === PUBLIC && ++unstarted > this.group.settings.parallelism) break;
      if (state === DONE || state === FAILED) this.#settle(invocation, outcomeOf(memory, record, invocation.task));
    }
  }

  /** Ends an invocation. `outcome` does not count if it was cancelled. */
  #settle(invocation: Invocation, outcome?: Outcome): void {
    const { task, cancelled, resolve, reject, atEnd } = invocation;
    if (invocation.entry !== NO_RECORD) dropRecord(this.group.roots, invocation);
    this.#inFlight.delete(invocation);
    for (const act of atEnd) act();
    const { failed, value } =
      outcome === undefined || cancelled !== undefined ? { failed: true, value: cancelled } : outcome;
    conclude(task, failed, value);
    if (failed) reject(value);
    else resolve(value);
  }
}

export const abortError = (signal: AbortSignalLike): CancellationError =>
  new CancellationError('furcate: the invocation was aborted by its signal.', { aborted: true, cause: signal.reason });
