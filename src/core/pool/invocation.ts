/** Invocations in flight: each root has a record in the roots' slot, and a promise; runs on the thread that owns the pool. */

import { OwnerDeque } from '../deque/public-deque.js';
import { CancellationError } from '../errors.js';
import { store } from '../memory/atomics.js';
import { deferFrees } from '../memory/heap.js';
import { C_LOW, HIGH_ROOTS, INBOX_DEQUE, LOW_ROOTS, NORMAL_ROOTS, REQUEST_CANCEL } from '../memory/layout.js';
import {
  DONE,
  FAILED,
  LOW_ROOT,
  NO_RECORD,
  NOBODY_LISTENS,
  OF_STACK,
  PUBLIC,
  R_CANCEL,
  R_REPORTS,
  stateOf,
  tryClaim,
} from '../memory/records.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { isAsync } from '../task/async-task.js';
import { type ForkJoinTask, nameOf, RUNNING } from '../task/fork-join-task.js';
import { conclude } from '../worker/join.js';
import { dropRecord, publishRecord, trimDeque } from '../worker/publish.js';
import { type Listener, reports } from '../worker/report.js';
import {
  ABANDONED,
  CANCELLED_BY_LISTENER,
  CANCELLED_BY_POOL,
  CANCELLED_BY_SIGNAL,
  CANCELLED_BY_TIMEOUT,
  cancellationError,
  requestOfAll,
} from '../worker/requests.js';
import { wakeForRoot, wakeOne, wakeSlot } from '../worker/sleep.js';
import { type Outcome, outcomeOf } from '../worker/wait.js';
import { invocationOf, NO_INVOCATION } from '../worker/worker-slot.js';
import { Ageing } from './ageing.js';
import { type Crash, crashError } from './crash.js';
import type { InvokeOptions, Priority } from './options.js';
import { RootWatch } from './root-watch.js';
import { WaitingLine } from './waiting-line.js';
import type { WorkerGroup } from './worker-group.js';

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
  /** The one that is to run it; 0 for any. */
  readonly worker: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  queue: RootQueue;
  /** The entry of its root's record; `NO_RECORD` while it waits for one. */
  entry: number;
  /** Set once it is cancelled: how its promise ends. */
  cancelled: Outcome | undefined;
  /** Undefined without `onReport`. */
  readonly listener: Listener | undefined;
  /** Called when it has ended. */
  readonly atEnd: (() => void)[];
}

/** The invocations of one priority, or for one worker. */
interface RootQueue {
  /** Those in flight, in the order of publication. */
  readonly invocations: Set<Invocation>;
  /** Where their roots go. */
  readonly deque: OwnerDeque;
}

const queueOn = (deque: OwnerDeque): RootQueue => ({ invocations: new Set(), deque });

/** How long cancelled coroutines may go on where no `graceMs` says so (milliseconds). */
export const COROUTINE_GRACE_MS = 1000;

/** How long workers have for abandoning coroutines before they are ended (milliseconds). */
const ABANDON_MS = 500;

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
  /** Of invocations for any worker. */
  readonly #byPriority: Readonly<Record<Priority, RootQueue>>;
  readonly #byWorker = new Map<number, RootQueue>();
  /** All queues. */
  readonly #queues: RootQueue[];
  #inFlight = 0;
  readonly #ageing: Ageing;
  /** How many wait for a record. */
  #unpublished = 0;
  readonly #line: WaitingLine;
  readonly #watch: RootWatch;

  constructor(group: WorkerGroup) {
    this.group = group;
    const { deques } = group.roots;
    this.#byPriority = {
      high: queueOn(deques[HIGH_ROOTS]),
      normal: queueOn(deques[NORMAL_ROOTS]),
      low: queueOn(deques[LOW_ROOTS]),
    };
    this.#queues = Object.values(this.#byPriority);
    this.#ageing = new Ageing(group.roots, (entry) => this.#countsAsNormal(entry));
    this.#line = new WaitingLine(group);
    this.#watch = new RootWatch(group, { look: () => this.#collect(), inFlight: () => this.#inFlight });
    group.beforeRelease = () => this.#deliverRest();
  }

  /**
   * Hands a task to the workers; the promise settles once nothing of it runs any more.
   *
   * @param worker the one that is to run it; 0 for any
   */
  submit(task: ForkJoinTask<unknown>, options: SubmitOptions, dependencies: number, worker = 0): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { onReport } = options;
      const invocation: Invocation = {
        task,
        options,
        dependencies,
        worker,
        queue: worker > 0 ? this.#inboxOf(worker) : this.#byPriority[options.priority ?? 'normal'],
        resolve,
        reject,
        entry: NO_RECORD,
        cancelled: undefined,
        listener: onReport && reports.listen(this.group.memory, onReport, () => this.#collect()),
        atEnd: [],
      };
      const isCounted = worker === 0 && options.isHeld !== true;
      if (isCounted) this.requireRoom();
      this.#watchOptions(invocation); // first: a signal that throws leaves nothing behind
      if (isCounted) this.#line.add(invocation);
      invocation.atEnd.push(deferFrees(), this.group.retain());
      task.$state = RUNNING; // also while it waits for a record: it cannot be invoked twice
      this.#inFlight++;
      invocation.queue.invocations.add(invocation);
      if (this.#unpublished > 0 || !this.#publish(invocation)) this.#unpublished++;
      if (this.#inFlight > 1) this.#ageing.watch();
      this.#watch.lookSoon();
    });
  }

  /** @throws RejectedExecutionError if as many invocations wait as may */
  requireRoom(): void {
    this.#line.requireRoom();
  }

  /** False if no record is free, or the deque is full. */
  #publish(invocation: Invocation): boolean {
    const { roots, memory } = this.group;
    const entry = roots.records.allocate();
    if (entry === NO_RECORD) return false;
    store(memory.words, roots.records.wordOf(entry) + R_CANCEL, 0);
    const head = invocation.listener === undefined ? NOBODY_LISTENS : 0;
    store(memory.words, roots.records.wordOf(entry) + R_REPORTS, head);
    const { task, dependencies, worker, queue } = invocation;
    const { high, normal, low } = this.#byPriority;
    if (queue === low) this.#countLow();
    const next = queue === low ? LOW_ROOT : OF_STACK;
    try {
      if (!publishRecord(roots, entry, task, entry, dependencies, next, queue.deque)) return false;
    } catch (error) {
      this.#settle(invocation, { failed: true, value: error });
      return true;
    }
    invocation.entry = entry;
    if (queue === low) this.#ageing.pushedLow();
    if (worker > 0) wakeSlot(memory, worker);
    else if (queue === high || (queue === normal && low.invocations.size > 0)) wakeForRoot(memory);
    else wakeOne(memory, NO_INVOCATION);
    return true;
  }

  /** A low root has waited so long that it counts as normal. */
  #countsAsNormal(entry: number): void {
    const { low, normal } = this.#byPriority;
    for (const invocation of low.invocations) {
      if (invocation.entry !== entry) continue;
      low.invocations.delete(invocation);
      normal.invocations.add(invocation);
      invocation.queue = normal;
      this.#countLow();
      return;
    }
  }

  #countLow(): void {
    store(this.group.memory.words, C_LOW, this.#byPriority.low.invocations.size);
  }

  #inboxOf(worker: number): RootQueue {
    const known = this.#byWorker.get(worker);
    if (known !== undefined) return known;
    const { words, layout } = this.group.memory;
    const made = queueOn(new OwnerDeque(words, layout, worker, INBOX_DEQUE));
    this.#byWorker.set(worker, made);
    this.#queues.push(made);
    return made;
  }

  get #all(): Invocation[] {
    return this.#queues.flatMap(({ invocations }) => [...invocations]);
  }

  #watchOptions(invocation: Invocation): void {
    const { signal, timeoutMs, startedMs } = invocation.options;
    if (signal !== undefined) this.#watchSignal(invocation, signal);
    if (timeoutMs === undefined) return;
    const spentMs = startedMs === undefined ? 0 : performance.now() - startedMs;
    const stopTimer = after(timeoutMs - spentMs, () => {
      const error = new CancellationError(`furcate: the invocation took longer than timeoutMs = ${timeoutMs}.`);
      this.#cancel(invocation, CANCELLED_BY_TIMEOUT, error);
    });
    invocation.atEnd.push(stopTimer);
  }

  #watchSignal(invocation: Invocation, signal: AbortSignalLike): void {
    const abort = (): void => this.#cancel(invocation, CANCELLED_BY_SIGNAL, abortError(signal));
    signal.addEventListener('abort', abort, { once: true });
    invocation.atEnd.push(() => {
      try {
        signal.removeEventListener('abort', abort);
      } catch {
        // a signal that is not the platform's: the listener stays, and does nothing once the invocation has ended
      }
    });
  }

  #cancel(invocation: Invocation, reason: number, error: unknown): void {
    if (invocation.cancelled !== undefined || !invocation.queue.invocations.has(invocation)) return;
    invocation.cancelled = { failed: true, value: error };
    const { roots, memory } = this.group;
    if (memory.isReleased) return; // its record is gone: abandonAll ends it
    const record = roots.records.wordOf(invocation.entry);
    if (invocation.entry === NO_RECORD) this.#unpublished--;
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

  /**
   * A cancelled invocation still runs, and any worker may run a part of it: only the end of all workers can stop it. While its workers
   * run roots on top of it, it has more time, and as much again when they are back.
   */
  #endGrace(invocation: Invocation, graceMs: number, wasBelow = false): void {
    this.#collect(); // it may have ended just now
    if (!invocation.queue.invocations.has(invocation)) return;
    const isBelow = !this.#isComputing(invocation);
    if (isBelow || wasBelow)
      invocation.atEnd.push(after(Math.max(graceMs, 1), () => this.#endGrace(invocation, graceMs, isBelow)));
    else this.group.endWorkers(`${nameOf(invocation.task)} had not stopped ${graceMs} ms after it was cancelled`);
  }

  /** Does a thread compute a part of it now, and no root on top of it? What coroutines do after an `await`, nobody knows: they may. */
  #isComputing({ task, entry }: Invocation): boolean {
    const { memory } = this.group;
    return isAsync(task) || Array.from({ length: memory.slots }, (_, k) => invocationOf(memory, k)).includes(entry);
  }

  /** The worker group is gone: invocations that have not ended never will. */
  abandonAll(crash: Crash | undefined): void {
    const all = this.#all;
    const running = all.map(({ task }) => nameOf(task)).join(', ');
    for (const invocation of all) {
      invocation.entry = NO_RECORD; // its record is gone
      if (crash === undefined) invocation.cancelled ??= { failed: true, value: cancellationError(CANCELLED_BY_POOL) };
      this.#settle(invocation, { failed: true, value: crash && crashError(crash, running, this.group.settings.name) });
    }
  }

  #collect(): void {
    const { memory } = this.group;
    // After a crash the survivors' results do not count, and released memory cannot be read: abandonAll ends the invocations.
    if (memory.hasCrashed || memory.isReleased) return;
    for (const { invocations } of this.#queues) {
      if (invocations.size === 0) continue;
      let unstarted = 0;
      for (const invocation of invocations) {
        if (invocation.entry === NO_RECORD) {
          if (!this.#publish(invocation)) break; // all that follow wait for a record, too
          this.#unpublished--;
          continue;
        }
        // Roots are taken in order, and each thread may have taken one that it has not marked yet, on top of another. No later root
        // has started.
        if (this.#lookAt(invocation) === PUBLIC && ++unstarted > 2 * memory.slots) break;
      }
    }
  }

  /** Delivers the reports of an invocation, and settles it if it has ended; returns the state of its root. */
  #lookAt(invocation: Invocation): number {
    const { roots, memory } = this.group;
    const record = roots.records.wordOf(invocation.entry);
    const state = stateOf(memory.words, record); // N1: before the look at its reports
    if (this.#deliver(invocation, record, false) && (state === DONE || state === FAILED))
      this.#settle(invocation, outcomeOf(memory, record, invocation.task));
    return state;
  }

  /** Hands what the tasks of an invocation have reported to its `onReport`; false if some of it is left for later. */
  #deliver(invocation: Invocation, record: number, isLast: boolean): boolean {
    try {
      return invocation.listener?.deliver(record, isLast) ?? true;
    } catch (error) {
      this.#cancel(invocation, CANCELLED_BY_LISTENER, error);
      return true;
    }
  }

  /** The workers are gone, and their memory is about to be: what they have reported is handed over. */
  #deliverRest(): void {
    for (const invocation of this.#all) {
      const { entry } = invocation;
      if (entry !== NO_RECORD) this.#deliver(invocation, this.group.roots.records.wordOf(entry), true);
    }
  }

  /** Ends an invocation. `outcome` does not count if it was cancelled. */
  #settle(invocation: Invocation, outcome?: Outcome): void {
    const { task, queue, cancelled, resolve, reject, atEnd } = invocation;
    const { normal, low } = this.#byPriority;
    if (invocation.entry !== NO_RECORD) {
      dropRecord(this.group.roots, invocation);
      if (queue !== normal) trimDeque(this.group.roots, queue.deque);
    }
    this.#inFlight--;
    queue.invocations.delete(invocation);
    if (queue === low) this.#countLow();
    for (const act of atEnd) act();
    const { failed, value } = cancelled ?? (outcome as Outcome);
    conclude(task, failed, value);
    if (failed) reject(value);
    else resolve(value);
  }
}

export const abortError = (signal: AbortSignalLike): CancellationError =>
  new CancellationError('furcate: the invocation was aborted by its signal.', { aborted: true, cause: signal.reason });
