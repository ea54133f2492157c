/** Invocations in flight: each root has a record in the roots' slot, and a promise; runs on the thread that owns the pool. */

import { whileMoving } from '../code/platform-objects.js';
import { OwnerDeque } from '../deque/public-deque.js';
import { dependenciesOf } from '../job/code-dependencies.js';
import { store } from '../memory/atomics.js';
import { deferFrees } from '../memory/heap.js';
import { C_LOW, HIGH_ROOTS, INBOX_DEQUE, LOW_ROOTS, NORMAL_ROOTS } from '../memory/layout.js';
import { type Moves, numbered } from '../memory/moved-objects.js';
import { Pins, pinTo } from '../memory/pins.js';
import { CANCELLED_BY_LISTENER, CANCELLED_BY_POOL, LOW_ROOT, OF_STACK, openRoot } from '../memory/record-kinds.js';
import { DONE, FAILED, NO_RECORD, PUBLIC, stateOf, tryClaim } from '../memory/records.js';
import type { ForkMark } from '../observe/observer.js';
import { inThisContext } from '../platform/caller-context.js';
import { host } from '../platform/host.js';
import { type ForkJoinTask, mark, nameOf, RUNNING } from '../task/fork-join-task.js';
import { hooks, type Listener } from '../worker/extension.js';
import { conclude } from '../worker/join.js';
import { dropRecord, publishRecord, trimDeque } from '../worker/publish.js';
import { cancellationError } from '../worker/requests.js';
import { wakeForRoot, wakeOne, wakeSlot } from '../worker/sleep.js';
import { outcomeOf, type TaskOutcome } from '../worker/wait.js';
import { invocationOf, NO_INVOCATION, thread } from '../worker/worker-slot.js';
import { Ageing } from './ageing.js';
import { type CancellableInvocation, Cancellation } from './cancellation.js';
import { type Crash, crashError } from './crash.js';
import { moveTo } from './moving.js';
import type { PoolSettings, Priority, SubmitOptions } from './options.js';
import { Overview } from './overview.js';
import { RootWatch } from './root-watch.js';
import { WaitingLine } from './waiting-line.js';
import { WorkerGroup } from './worker-group.js';

interface Invocation extends CancellableInvocation {
  /** Time of submission, by the clock of the host. */
  readonly sinceMs: number;
  /** The code that its job needs beside the library, as a word for `R_DEPENDENCIES`. */
  dependencies: number;
  /** The block of what it carries, as `carriedBlock` gives it. */
  carried: number;
  /** The one that is to run it; 0 for any. */
  readonly worker: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  queue: RootQueue;
  /** The arrays that it names. */
  readonly pins: Pins;
  /** Objects that go to its worker. */
  readonly moves: Moves | undefined;
  /** Beginning of the invocation, if this thread is observed. */
  mark: ForkMark | undefined;
  /** Undefined without `onReport`. */
  readonly listener: Listener | undefined;
}

/** The invocations of one priority, or for one worker. */
interface RootQueue {
  /** Those in flight, in the order of publication. */
  readonly invocations: Set<Invocation>;
  /** Deque to which their roots go. */
  readonly deque: OwnerDeque;
}

const queueOn = (deque: OwnerDeque): RootQueue => ({ invocations: new Set(), deque });

export class Invocations {
  readonly group: WorkerGroup;
  /** Overview of what waits, for those who ask. */
  readonly overview: Overview;
  /** Of invocations for any worker. */
  readonly #byPriority: Readonly<Record<Priority, RootQueue>>;
  readonly #byWorker = new Map<number, RootQueue>();
  /** All queues. */
  readonly #queues: RootQueue[];
  #inFlight = 0;
  readonly #ageing: Ageing;
  /** Number of invocations that wait for a record. */
  #unpublished = 0;
  readonly #line: WaitingLine;
  readonly #cancellation: Cancellation<Invocation>;
  readonly #watch: RootWatch;

  constructor(settings: PoolSettings, crashed: (crash: Crash) => void) {
    const group = new WorkerGroup(settings, { crashed, releasing: () => this.deliverRest() });
    this.group = group;
    const { deques } = group.roots;
    this.#byPriority = {
      high: queueOn(deques[HIGH_ROOTS]),
      normal: queueOn(deques[NORMAL_ROOTS]),
      low: queueOn(deques[LOW_ROOTS]),
    };
    this.#queues = Object.values(this.#byPriority);
    this.overview = new Overview(group, () => this.#all);
    this.#ageing = new Ageing(group.roots, (entry) => this.#countsAsNormal(entry));
    this.#line = new WaitingLine(group);
    this.#cancellation = new Cancellation(group, {
      isInFlight: (invocation) => invocation.queue.invocations.has(invocation),
      tryWithdraw: (invocation) => this.#tryWithdraw(invocation),
      collect: () => this.#collect(),
    });
    this.#watch = new RootWatch(group, {
      look: () => this.#collect(),
      inFlight: () => this.#inFlight,
      guard: (delay) => {
        this.overview.delay = delay;
        hooks.guard(this.overview);
      },
    });
  }

  /**
   * Hands a task to the workers; the promise settles once nothing of it runs any more.
   *
   * @param address that of the thread that is to run it; 0 for any. Any runs it, too, where that thread has gone with its worker group
   */
  submit(task: ForkJoinTask<unknown>, options: SubmitOptions, dependencies: number, address = 0): Promise<unknown> {
    let worker = this.group.memory.slotAt(address);
    return new Promise((resolve, reject) => {
      const { onReport, transfer } = options;
      const pins = new Pins();
      const moves = options.moves ?? (transfer && numbered(transfer));
      const isForAny = worker === 0;
      if (moves !== undefined && isForAny) worker = this.#leastBusy();
      const invocation: Invocation = {
        task,
        options,
        dependencies,
        carried: 0,
        worker,
        queue: worker > 0 ? this.#inboxOf(worker) : this.#byPriority[options.priority ?? 'normal'],
        resolve,
        reject,
        entry: NO_RECORD,
        cancelled: undefined,
        pins,
        moves,
        mark: undefined,
        sinceMs: host().nowMs(),
        listener: onReport && hooks.listen(this.group.memory, inThisContext(onReport), pins, () => this.#collect()),
        atEnd: [],
      };
      const { held } = options;
      const isCounted = isForAny && held !== 'later';
      if (isCounted && held === undefined) this.requireRoom();
      this.#prepare(invocation);
      invocation.mark = thread.observer?.mark(task, options.called); // not of one that was refused: it never arrives
      if (isCounted) this.#line.add(invocation); // from here on nothing throws
      invocation.atEnd.push(this.group.retain());
      this.#inFlight++;
      invocation.queue.invocations.add(invocation);
      if (this.#unpublished > 0 || !this.#publish(invocation)) this.#unpublished++;
      if (this.#inFlight > 1) this.#ageing.watch();
      this.#watch.lookSoon(invocation.sinceMs);
    });
  }

  /** Does what may throw before an invocation is in flight; if it does throw, nothing of the invocation is left. */
  #prepare(invocation: Invocation): void {
    const { atEnd, task } = invocation;
    try {
      this.#cancellation.watch(invocation);
      atEnd.push(deferFrees());
      if (invocation.options.carry !== undefined) this.#carry(invocation);
      const unwritable = mark(task, RUNNING); // also while it waits for a record: it cannot be invoked twice
      if (unwritable !== undefined) throw unwritable;
      if (invocation.moves !== undefined) atEnd.push(moveTo(this.group.threadOf(invocation.worker), invocation.moves));
    } catch (error) {
      for (const act of atEnd) act();
      throw error;
    }
  }

  /** Packs what an invocation is to carry. @throws NotShareableError; RangeError when the heap is full */
  #carry(invocation: Invocation): void {
    const { memory } = this.group;
    const packed = invocation.pins.during(() => hooks.carry(memory, invocation.options.carry));
    if (packed === undefined) return;
    invocation.carried = packed.block;
    invocation.atEnd.push(() => memory.free(packed.block * 16));
    invocation.dependencies = dependenciesOf([...packed.codes], invocation.dependencies);
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
    const graceMs = invocation.options.graceMs ?? this.group.settings.graceMs;
    const { task, dependencies, worker, queue, carried, moves } = invocation;
    const isHeard = invocation.listener !== undefined;
    openRoot(memory.words, roots.records.wordOf(entry), { graceMs, isHeard, carried });
    const { high, normal, low } = this.#byPriority;
    if (queue === low) this.#countLow();
    const origin = queue === low ? LOW_ROOT : OF_STACK;
    const outer = pinTo(invocation.pins);
    try {
      const publish = (): boolean => publishRecord(roots, entry, task, entry, dependencies, origin, queue.deque);
      if (!whileMoving(moves, publish)) return false;
    } catch (error) {
      this.#settle(invocation, { failed: true, value: error });
      return true;
    } finally {
      pinTo(outer);
    }
    invocation.entry = entry;
    if (invocation.mark !== undefined) invocation.mark.bytes = thread.observer?.packedBytes;
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

  /** The worker that could begin an invocation of its own soonest. */
  #leastBusy(): number {
    const { memory } = this.group;
    const workOf = (slot: number): number =>
      2 * (this.#byWorker.get(slot)?.invocations.size ?? 0) + Number(invocationOf(memory, slot) !== NO_INVOCATION);
    let best = 1;
    for (let slot = 2; slot <= memory.lastWorker; slot++) if (workOf(slot) < workOf(best)) best = slot;
    return best;
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

  /** Ends an invocation that is cancelled, if no thread has begun it. */
  #tryWithdraw(invocation: Invocation): boolean {
    const { roots, memory } = this.group;
    const { entry } = invocation;
    if (entry === NO_RECORD) this.#unpublished--;
    else if (!tryClaim(memory.words, roots.records.wordOf(entry), entry)) return false;
    this.#settle(invocation);
    return true;
  }

  /** The worker group is gone: invocations that have not ended never will. */
  abandonAll(crash: Crash | undefined): void {
    const all = this.#all;
    const running = [...new Set(all.map(({ task, options }) => options.called ?? nameOf(task)))].join(', ');
    for (const invocation of all) {
      invocation.entry = NO_RECORD; // its record is gone
      if (crash === undefined) invocation.cancelled ??= { failed: true, value: cancellationError(CANCELLED_BY_POOL) };
      this.#settle(invocation, { failed: true, value: crash && crashError(crash, running, this.group.settings.name) });
    }
  }

  /** Cancels all. The pool ends its workers beside, which may not work while they compute. */
  cancelAll(reason: number, error: unknown): void {
    for (const invocation of this.#all) this.#cancellation.cancel(invocation, reason, error);
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

  /** Delivers the reports of an invocation, and resolves or rejects its promise if it has ended; returns the state of its root. */
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
      this.#cancellation.cancel(invocation, CANCELLED_BY_LISTENER, error);
      return true;
    }
  }

  /** The workers are gone, and their memory is about to be: what they have reported is handed over. */
  deliverRest(): void {
    for (const invocation of this.#all) {
      const { entry } = invocation;
      if (entry !== NO_RECORD) this.#deliver(invocation, this.group.roots.records.wordOf(entry), true);
    }
  }

  /** Ends an invocation. `outcome` does not count if it was cancelled. */
  #settle(invocation: Invocation, outcome?: TaskOutcome): void {
    const { task, queue, resolve, reject, atEnd } = invocation;
    const { normal, low } = this.#byPriority;
    if (invocation.entry !== NO_RECORD) {
      dropRecord(this.group.roots, invocation);
      if (queue !== normal) trimDeque(this.group.roots, queue.deque);
    }
    this.#inFlight--;
    queue.invocations.delete(invocation);
    if (queue === low) this.#countLow();
    for (const act of atEnd) act();
    invocation.pins.release();
    const { mark } = invocation;
    if (mark !== undefined)
      Object.assign(mark, { account: outcome?.account }).arrive(invocation.options.held !== undefined);
    const { cancelled, options } = invocation; // here: its signal may have thrown now
    const ended = cancelled ?? (outcome as TaskOutcome);
    if (cancelled !== undefined && outcome?.failed === false) options.onLate?.(outcome.value as never);
    const { failed, value } = conclude(task, ended.failed, ended.value);
    if (failed) reject(value);
    else resolve(value);
  }
}
