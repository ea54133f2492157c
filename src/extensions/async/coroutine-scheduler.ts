/**
 * The asynchronous tasks of one thread: the forks that nobody has started, and the coroutines that run or wait.
 *
 * Forks go to the end of a list. This thread takes the newest, from the list or back from its ready deque. When other threads have
 * nothing to do, the older half is published: thieves take the oldest. Whoever completes a published fork puts its record into a list of
 * this slot (`W_COMPLETED`), which this thread empties between two tasks.
 */

import { isOfStack } from '../../core/code/engine-messages.js';
import { EMPTY } from '../../core/deque/public-deque.js';
import { and, exchange, load, or, store } from '../../core/memory/atomics.js';
import { isHeapFull } from '../../core/memory/heap.js';
import { C_ASYNC, C_SLEEPERS, REQUEST_CANCEL, slotWord, W_COMPLETED, W_REQUESTS } from '../../core/memory/layout.js';
import {
  ABANDONED,
  CANCELLED_BY_FORKER,
  CANCELLED_BY_RACE,
  graceLeft,
  isRaceOver,
  nextCompleted,
  OF_COROUTINE,
  OF_RACE,
  reasonOf,
  rootOf,
  setRace,
  setReason,
} from '../../core/memory/record-kinds.js';
import { isTaken, NO_RECORD, stateOf, thiefIn, tryClaim, tryTake } from '../../core/memory/records.js';
import { host } from '../../core/platform/host.js';
import { probeStep } from '../../core/probe.js';
import { isAsync } from '../../core/task/async-task.js';
import { type ForkJoinTask, runTask } from '../../core/task/fork-join-task.js';
import { COROUTINE_GRACE_MS, MAX_NESTED_STARTS, MAX_PUBLISH, TURN_MS } from '../../core/tuning.js';
import { attach, attached, detach, enter, leave } from '../../core/worker/activation.js';
import { after } from '../../core/worker/grace.js';
import { hasIdle } from '../../core/worker/in-sight.js';
import { dropRecord, publishRecord, trimDeque } from '../../core/worker/publish.js';
import { cancellationError } from '../../core/worker/requests.js';
import { wakeOne, wakeSlot } from '../../core/worker/sleep.js';
import { completeTask, enterInvocation, runStolen } from '../../core/worker/steal.js';
import { outcomeOf } from '../../core/worker/wait.js';
import { NO_INVOCATION, type PoolView, thread, type WorkerSlot } from '../../core/worker/worker-slot.js';
import { Coroutine, type CoroutineHost } from './coroutine.js';
import { type CoroutineFork, PRIVATE, PUBLIC, STARTED } from './coroutine-fork.js';
import { Spread } from './spread.js';
import type { WithoutWorkers } from './without-workers.js';

/** Joins that run a fork between two looks at the clock. */
const JOINS_PER_LOOK = 8;
/** If a fork and join takes less on average (milliseconds), forks are published only if there are `JOINS_PER_LOOK` of them. */
const FINE_MS = 0.01;
/** Asynchronous tasks that have begun on this thread, with a pool or without, and have not ended: their number. */
let living = 0;
export const hasLiving = (): boolean => living > 0;

export class CoroutineScheduler implements CoroutineHost {
  /** Null without a pool. */
  readonly own: WorkerSlot | null;
  /** Private forks, the oldest first; among them forks that were private once. */
  readonly #forks: CoroutineFork[] = [];
  /** Published forks by the first word of their record. */
  readonly #published = new Map<number, CoroutineFork>();
  readonly #live = new Set<Coroutine>();
  /** Number of joins that start forks now, each in a body that another one has begun. */
  #depth = 0;
  #joins = 0;
  /** Time of the last look at the clock, and what a fork and join took since the look before (milliseconds). */
  #lookMs = 0;
  #pairMs = Number.POSITIVE_INFINITY;
  /** Time at which the event loop is due (milliseconds). */
  #turnAtMs = Number.POSITIVE_INFINITY;
  #isLookDue = false;
  /** Set while coroutines have not seen a request to cancel that has arrived. */
  #wasRequestCleared = false;
  /** Ends the sleep of this thread. */
  unpark: (() => void) | undefined;

  /** Undefined without a pool. */
  readonly spread: Spread | undefined;
  readonly #pool: PoolView | undefined;
  readonly #alone: WithoutWorkers | undefined;

  constructor(own: WorkerSlot | null, pool: PoolView | undefined, alone?: WithoutWorkers) {
    this.own = own;
    this.spread = own === null ? undefined : new Spread(own);
    this.#pool = pool;
    this.#alone = alone;
  }

  begin(
    task: ForkJoinTask<unknown>,
    invocation: number,
    dependencies: number,
    completes: number | CoroutineFork,
    race: number,
  ): Coroutine {
    const coroutine = new Coroutine(this, task, invocation, dependencies, completes, race);
    this.#live.add(coroutine);
    living++;
    coroutine.begin();
    return coroutine;
  }

  ended(coroutine: Coroutine, failed: boolean, value: unknown): void {
    this.#live.delete(coroutine);
    living--;
    const { completes, task, strand } = coroutine;
    if (typeof completes !== 'number') completes.end(failed, value, strand?.account());
    else if (this.own !== null)
      completeTask(this.own, completes, task, failed, value, strand)(this.own.memory, completes);
    else this.#alone?.rootEnded(failed, value, strand);
  }

  /** Takes a new fork. */
  offer(fork: CoroutineFork): void {
    this.#forks.push(fork);
    const { own } = this;
    if (own !== null && (own.checked || (this.#isWorthPublishing() && hasIdle(own)))) this.feed(own);
    this.lookSoon();
  }

  /** A lone fork of a body that joins fine ones at once would only wake thieves in vain. */
  #isWorthPublishing(): boolean {
    return this.#pairMs > FINE_MS || this.#forks.length >= JOINS_PER_LOOK;
  }

  /** Publishes the older half of the private forks, unless the published ones suffice for all that sleep; or all of them. */
  feed(own: WorkerSlot, all = own.checked): void {
    const { ready, words, memory } = own;
    if (!all && ready.size > 0 && ready.size >= load(words, C_SLEEPERS)) return;
    const forks = this.#forks;
    const want = all ? forks.length : Math.min(MAX_PUBLISH, (forks.length + 1) >> 1);
    let k = 0;
    for (let done = 0; done < want && k < forks.length; k++) {
      const fork = forks[k] as CoroutineFork;
      if (fork.state !== PRIVATE) continue;
      if (!this.#publish(own, fork)) break;
      if (done++ === 0) wakeOne(memory, NO_INVOCATION); // the thief wakes up while the others are encoded
    }
    forks.splice(0, k);
    if (k > 1) wakeOne(memory, NO_INVOCATION);
  }

  /** False when there is no record, or no room on heap or stack: then the fork stays private. */
  #publish(own: WorkerSlot, fork: CoroutineFork): boolean {
    const entry = own.records.allocate();
    if (entry === NO_RECORD) return false;
    try {
      const { invocation } = fork.parent;
      const origin = fork.contest?.isShared === true ? OF_RACE : OF_COROUTINE;
      setRace(own.words, own.records.wordOf(entry), fork.race);
      if (!publishRecord(own, entry, fork.task, invocation, fork.dependencies, origin, own.ready)) return false;
    } catch (error) {
      if (isHeapFull(error) || isOfStack(error)) return false;
      fork.end(true, error); // it cannot be encoded
      return true;
    }
    fork.state = PUBLIC;
    fork.entry = entry;
    this.#published.set(own.records.wordOf(entry), fork);
    own.note('published', 1, entry);
    probeStep('coroutine: fork published');
    return true;
  }

  /** Takes a fork that nobody has started, to run or to cancel it. */
  tryClaim(fork: CoroutineFork): boolean {
    const { own } = this;
    if (fork.state === PUBLIC && own !== null) {
      const record = own.records.wordOf(fork.entry);
      if (!tryClaim(own.words, record, fork.entry)) return false;
      this.#drop(own, record, fork);
      probeStep('coroutine: fork claimed');
      own.note('reclaimed');
    } else if (fork.state !== PRIVATE) return false;
    fork.state = STARTED;
    const forks = this.#forks;
    while (forks.length > 0 && (forks[forks.length - 1] as CoroutineFork).state !== PRIVATE) forks.pop();
    return true;
  }

  #drop(own: WorkerSlot, record: number, fork: CoroutineFork): void {
    this.#published.delete(record);
    dropRecord(own, fork);
    trimDeque(own, own.ready);
  }

  /** For a join: runs a fork here if nobody has started it, unless other things come first. */
  tryRun(fork: CoroutineFork): void {
    if (this.own?.checked === true || this.#depth >= MAX_NESTED_STARTS || this.#isTurnDue() || this.#leaves(fork))
      this.lookSoon();
    else if (this.tryClaim(fork)) this.#run(fork);
  }

  /** Returns true if another thread should begin a fork, which is then published. */
  #leaves({ task }: CoroutineFork): boolean {
    if (this.own === null || !isAsync(task) || this.spread?.leaves() !== true) return false;
    this.feed(this.own);
    return true;
  }

  #isTurnDue(): boolean {
    if (++this.#joins % JOINS_PER_LOOK !== 0) return false;
    const nowMs = host().nowMs();
    this.#pairMs = (nowMs - this.#lookMs) / JOINS_PER_LOOK;
    this.#lookMs = nowMs;
    if (this.#turnAtMs === Number.POSITIVE_INFINITY) this.#turnAtMs = nowMs + TURN_MS;
    return nowMs > this.#turnAtMs;
  }

  #run(fork: CoroutineFork): void {
    const { task, parent } = fork;
    this.#depth++;
    if (isAsync(task)) {
      const coroutine = this.begin(task, parent.invocation, fork.dependencies, fork, fork.race);
      if (fork.state === STARTED) fork.coroutine = coroutine;
    } else this.#runToEnd(fork);
    this.#depth--;
  }

  /** Runs a synchronous fork. */
  #runToEnd(fork: CoroutineFork): void {
    const { own } = this;
    const below = own === null ? enter(null, this.#pool, this.#alone?.look) : undefined;
    const outer = attached();
    const strand = thread.observer?.apart(fork.task);
    let failed = false;
    let value: unknown;
    try {
      if (own === null) attach(null, fork.parent.invocation, 0);
      else enterInvocation(own, fork.parent.invocation, fork.dependencies, fork.race);
      value = runTask(fork.task);
    } catch (error) {
      failed = true;
      value = error;
    }
    strand?.leave();
    if (below === undefined) detach(outer);
    else leave(below);
    fork.end(failed, value, strand?.account());
  }

  /** See `Hooks.serve`. */
  serve(): boolean {
    const { own } = this;
    this.spread?.turned();
    let did = own !== null && this.bringHome(own);
    this.lookForCancellation();
    this.#turnAtMs = host().nowMs() + TURN_MS;
    while (this.#runNewest()) {
      did = true;
      if (own !== null) this.bringHome(own);
      if (host().nowMs() > this.#turnAtMs) break;
    }
    return did;
  }

  #runNewest(): boolean {
    if (this.#forks.length > 1 && this.own !== null && hasIdle(this.own)) this.feed(this.own); // what follows may take long
    for (let fork = this.#forks.at(-1); fork !== undefined; fork = this.#forks.at(-1)) {
      if (fork.state === PRIVATE && this.#leaves(fork)) return false;
      if (this.#forks.at(-1) === fork) this.#forks.pop(); // it was not published now
      if (!this.tryClaim(fork)) continue;
      this.#run(fork);
      return true;
    }
    const { own } = this;
    if (own === null) return false;
    for (let entry = own.ready.pop(); entry !== EMPTY; entry = own.ready.pop()) {
      const record = own.records.wordOf(entry);
      const fork = this.#published.get(record);
      if (fork === undefined || fork.entry !== entry) continue; // stale
      if (this.#leaves(fork)) {
        own.ready.tryPush(entry);
        wakeOne(own.memory, NO_INVOCATION); // S2: a thief may have looked while it was not there, and sleep
        return false;
      }
      if (own.checked) {
        if (!tryTake(own.words, record, entry, own.slot)) continue;
        runStolen(own, record);
      } else if (this.tryClaim(fork)) this.#run(fork);
      else continue;
      return true;
    }
    return false;
  }

  /** True if there is something for this thread to do. */
  get hasWork(): boolean {
    const { own } = this;
    if (this.#forks.length > 0 || own === null) return this.#forks.length > 0;
    return own.ready.size > 0 || this.hasCompleted(own) || this.#isAskedToCancel(own);
  }

  /** Checks whether another thread has completed a fork of this one. */
  hasCompleted(own: WorkerSlot): boolean {
    return load(own.words, this.#completedWord(own)) !== 0;
  }

  #completedWord(own: WorkerSlot): number {
    return slotWord(own.memory.layout, own.slot) + W_COMPLETED;
  }

  /** Brings home the outcomes of forks that other threads have completed; returns whether there were any. */
  bringHome(own: WorkerSlot): boolean {
    const { words, memory } = own;
    const list = this.#completedWord(own);
    if (!this.hasCompleted(own)) return false;
    let record = exchange(words, list, 0); // A1: pairs with tellCoroutine
    while (record !== 0) {
      probeStep('coroutine: list taken');
      const next = nextCompleted(words, record);
      const fork = this.#published.get(record) as CoroutineFork;
      const { failed, value, account } = outcomeOf(memory, record, fork.task);
      this.#drop(own, record, fork);
      fork.end(failed, value, account);
      record = next;
    }
    return true;
  }

  /** Sees to it that this thread looks for work when what runs now has returned. */
  lookSoon(): void {
    if (this.#isLookDue || (this.own !== null && this.unpark === undefined)) return; // the worker is about to look by itself
    this.#isLookDue = true;
    void host()
      .turn()
      .then(() => {
        this.#isLookDue = false;
        if (this.own !== null) this.unpark?.();
        else if (this.serve()) this.lookSoon();
      });
  }

  /** The worker begins to sleep, until `wake` is called. */
  parked(wake: (() => void) | undefined): void {
    this.unpark = wake;
    this.#turnAtMs = Number.POSITIVE_INFINITY;
  }

  /** Called when a synchronous task has cleared a request to cancel. */
  requestCleared(): void {
    this.#wasRequestCleared = true;
  }

  #isAskedToCancel(own: WorkerSlot): boolean {
    return this.#wasRequestCleared || (own.requests[0] & REQUEST_CANCEL) !== 0;
  }

  /** Cancels the coroutines whose invocation, or whose fork, was cancelled. */
  lookForCancellation(): void {
    const { own } = this;
    if (own === null || !this.#isAskedToCancel(own)) return;
    this.#wasRequestCleared = false;
    and(own.words, own.requestsWord, ~REQUEST_CANCEL); // C1: before the reasons are read
    for (const coroutine of [...this.#live]) {
      const { invocation, completes, race } = coroutine;
      const reason =
        own.cancelledBy(invocation) ||
        (typeof completes === 'number' && reasonOf(own.words, completes)) ||
        (isRaceOver(own.words, race) ? CANCELLED_BY_RACE : 0);
      if (reason === 0) continue;
      coroutine.cancel(cancellationError(reason));
      if ((reason & ABANDONED) !== 0) coroutine.abandon();
    }
  }

  /** Cancels a fork that somebody has started. */
  cancelStarted(fork: CoroutineFork, error: unknown): void {
    const { own } = this;
    if (fork.coroutine !== undefined) fork.coroutine.cancel(error);
    if (own === null || fork.state !== PUBLIC) return;
    const { words, memory } = own;
    const record = own.records.wordOf(fork.entry);
    const reason = fork.contest?.winner === undefined ? CANCELLED_BY_FORKER : CANCELLED_BY_RACE;
    setReason(words, record, reason); // C1: before the bit
    const state = stateOf(words, record);
    if (!isTaken(state)) return;
    const thief = thiefIn(state);
    or(words, slotWord(memory.layout, thief) + W_REQUESTS, REQUEST_CANCEL);
    wakeSlot(memory, thief);
  }

  /**
   * Acts after the grace of a coroutine that is cancelled alone. Of a whole invocation that is cancelled, the owner of
   * the pool says when its coroutines are abandoned.
   */
  afterGrace(invocation: number, act: () => void): () => void {
    const { own } = this;
    const isNamed = own !== null && invocation !== NO_INVOCATION;
    const graceMs = isNamed ? graceLeft(own.words, rootOf(own.memory.layout, invocation)) : COROUTINE_GRACE_MS;
    return graceMs === undefined ? () => {} : after(graceMs, act);
  }

  /** Makes thieves look into ready deques. */
  announce({ words }: WorkerSlot): void {
    if (load(words, C_ASYNC) === 0) store(words, C_ASYNC, 1);
  }
}
