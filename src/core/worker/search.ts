/**
 * The life of a worker: it searches, runs tasks, loads what is missing, and sleeps.
 *
 * What it takes next is in find-task.ts; it runs that to the end. It returns to the event loop only to import code, to receive external
 * buffers, and once before every sleep (for finalizers and stdio). While coroutines wait, or timers, sockets and the like that tasks have
 * left behind, it sleeps within its event loop. What is left behind may run there, but never in the middle of a task.
 */

import { leaveStack } from '../deque/private-stack.js';
import { add, load, store, sub } from '../memory/atomics.js';
import { externalArrived } from '../memory/external-buffers.js';
import {
  C_BLOCKED,
  C_CALLER_COMPUTES,
  C_CALLS,
  C_MONITOR,
  C_PHASE,
  C_SEARCHERS,
  C_SLEEPERS,
  CALLER_SLOT,
  PHASE_RUN,
  STATE_IDLE,
  STATE_WAITING,
  spareNumber,
} from '../memory/layout.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { IDLE_SLICE_MS, MONITOR_MS, MONITOR_SLICE_MS, POLITE_US, SPIN_US } from '../tuning.js';
import { moments } from './extension.js';
import { findTask, foundHasRun } from './find-task.js';
import { isAsked, requestSteal } from './requests.js';
import { eventOf, park, sleep, untilWoken, wakeHelper, wakeOne } from './sleep.js';
import { hasWork, type Missing, NOTHING, runStolen } from './steal.js';
import { invocationOf, NO_INVOCATION, type WorkerSlot } from './worker-slot.js';

/** The event loop is due: what waits there can go on. */
const TURN: unique symbol = Symbol('furcate.turn');

const nowUs = (): number => host().nowMs() * 1000;

/**
 * How often a searcher looks at the deques between two looks at the clock. The spin is a small function of its own, which V8
 * compiles soon: with one loop around search and steal, which are large, the first calls took 50 ms of two cores.
 */
const SPINS = 128;

/** The worker that may watch the caller as the monitor. */
const MONITOR_SLOT = 1;

/** The invocation that the caller was last seen computing, and since when; the count of its calls, and when that last changed. */
const callerSeen = { invocation: NO_INVOCATION, sinceUs: 0, calls: 0, lastUs: Number.NEGATIVE_INFINITY };

/** When this worker last ran a task (milliseconds). */
let ranMs = 0;

/**
 * Serves until the worker group stops.
 *
 * @param loadCode imports the code of an id; never fails (a failure is noted in the code table)
 */
export async function workLoop(own: WorkerSlot, loadCode: (code: number) => Promise<void>): Promise<void> {
  while (!isStopping(own)) {
    const missing = search(own);
    leaveStack(); // for what is left behind, which runs in no task
    if (missing === undefined) {
      moments.idle();
      await host().turn();
      const parked = moments.park(own);
      if (parked !== undefined) await parked;
      else if (isLoopInUse(own)) await restInLoop(own);
      else if (rest(own)) return;
    } else if (missing === TURN) await host().turn();
    else if ('code' in missing) {
      stopMonitoring(own);
      probeStep('load: code is wanted');
      await loadCode(missing.code);
    } else if (!externalArrived(missing.external)) await host().turn();
  }
}

/** Finds and runs tasks, until it has found none for a while, is surplus, or must fetch what it returns. */
function search(own: WorkerSlot): Missing | typeof TURN | undefined {
  const { words } = own;
  let idleSinceUs = nowUs();
  let searching = false;
  let missing: Missing | typeof TURN | undefined;
  while (missing === undefined && !isStopping(own)) {
    const surplus = isSurplus(own);
    if (moments.serve(own, surplus)) {
      missing = TURN;
      break;
    }
    if (surplus) break;
    if (!searching) add(words, C_SEARCHERS, 1);
    probeStep('search: registered');
    searching = true;
    const found = findTask(own);
    if (typeof found === 'object') missing = found;
    else if (found !== NOTHING) {
      searching = false;
      leaveSearch(own);
      stopMonitoring(own);
      const startUs = nowUs();
      runStolen(own, found);
      idleSinceUs = nowUs();
      own.note('busyUs', idleSinceUs - startUs, found);
      ranMs = idleSinceUs / 1000;
      foundHasRun(startUs / 1000, ranMs);
      if (moments.wantsTurn()) missing = TURN;
    } else if (moments.wantsTurn() || !spin(own, idleSinceUs)) {
      sub(words, C_SEARCHERS, 1); // S2: before its last look, which is to come
      return undefined;
    }
  }
  if (searching) leaveSearch(own);
  return missing;
}

/** Waits for what may be a task, or for a reason to stop; false when there was neither for `SPIN_US`. */
function spin(own: WorkerSlot, sinceUs: number): boolean {
  for (;;) {
    const count = own.victimCount;
    for (let k = 0; k < SPINS; k++) if (glimpsesWork(own, count)) return true;
    const us = nowUs();
    askForWork(own, us);
    if (us - sinceUs > SPIN_US) return false;
    if (isSurplus(own) || isStopping(own)) return true;
  }
}

/** Stops searching, for another reason than to sleep. */
function leaveSearch(own: WorkerSlot): void {
  if (sub(own.words, C_SEARCHERS, 1) === 1) wakeInstead(own);
}

/**
 * S2, S4: while a thread searches, neither a publisher nor a caller that begins to compute wakes anyone. So the last searcher
 * that will not help wakes others in its place: for public tasks an idle worker or a join of the invocation that their worker runs
 * (I1; tasks of an invocation below it can wait for that worker), and for a caller that was not asked for tasks a helper.
 */
function wakeInstead(own: WorkerSlot): void {
  const { words, memory } = own;
  if (load(words, C_SLEEPERS) <= 0) return;
  for (let victim = 0, count = own.victimCount; victim < count; victim++) {
    const { slot } = own.victims[victim];
    if (slot === own.slot || !hasWork(own, victim)) continue;
    if (wakeOne(memory, invocationOf(memory, slot))) return; // an idle worker, which comes here in its turn
  }
  if (load(words, C_MONITOR) === 0 && sparesCaller(own)) wakeHelper(memory);
}

/** Asks every thread that computes to publish tasks; the caller only once its invocation has proved to be long. */
function askForWork(own: WorkerSlot, us: number): void {
  const { memory } = own;
  for (let slot = 1, { slots } = memory; slot < slots; slot++) {
    if (slot !== own.slot && computes(own, slot)) requestSteal(own, slot);
  }
  const invocation = invocationOf(memory, CALLER_SLOT);
  if (invocation !== callerSeen.invocation) {
    callerSeen.invocation = invocation;
    callerSeen.sinceUs = us;
  } else if (invocation !== NO_INVOCATION && us - callerSeen.sinceUs > POLITE_US) requestSteal(own, CALLER_SLOT);
}

/** Might there be work in one of the first `count` victims' deques, or in the inbox? */
function glimpsesWork({ victims, slot, inbox }: WorkerSlot, count: number): boolean {
  for (let victim = 0; victim < count; victim++) {
    const deque = victims[victim];
    if (deque.seemsFilled && deque.slot !== slot) return true;
  }
  return victims[inbox].seemsFilled;
}

function seesWork(own: WorkerSlot): boolean {
  for (let victim = 0, count = own.victimCount; victim < count; victim++) {
    if (own.victims[victim].slot !== own.slot && hasWork(own, victim)) return true;
  }
  return hasWork(own, own.inbox);
}

const isStopping = (own: WorkerSlot): boolean => load(own.words, C_PHASE) !== PHASE_RUN;

const computes = (own: WorkerSlot, slot: number): boolean => invocationOf(own.memory, slot) !== NO_INVOCATION;

const isLast = (own: WorkerSlot): boolean => own.slot === own.memory.layout.parallelism;

/** The number of this thread among the spares; not positive if it is a worker. */
const spareOf = (own: WorkerSlot): number => spareNumber(own.memory.layout, own.slot);

/**
 * Is this one thread more than should compute: the last worker, which makes room for an owner that computes under `invokeSync`, or a spare
 * whose number is higher than that of the blocked threads? It takes no task then. Its coroutines go on.
 */
const isSurplus = (own: WorkerSlot): boolean =>
  isLast(own)
    ? load(own.words, C_CALLER_COMPUTES) !== 0
    : spareOf(own) > 0 && spareOf(own) > load(own.words, C_BLOCKED);

/** Could there be work for the last worker as soon as the caller has ended? */
function workAwaits(own: WorkerSlot): boolean {
  for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {
    if (computes(own, slot)) return true;
  }
  return seesWork(own);
}

/** Does the caller compute without having been asked to publish? Then it will wake nobody. */
const sparesCaller = (own: WorkerSlot): boolean => computes(own, CALLER_SLOT) && !isAsked(own.memory, CALLER_SLOT);

/** The monitor has something else to do than to watch the caller: from now on the caller wakes a helper itself. */
function stopMonitoring(own: WorkerSlot): void {
  const { words, memory } = own;
  if (own.slot !== MONITOR_SLOT || words[C_MONITOR] === 0) return; // plain: sole writer
  store(words, C_MONITOR, 0); // S4: before the look at the caller, which may have relied on it
  if (computes(own, CALLER_SLOT)) wakeHelper(memory);
}

/** Has the caller computed within the last `MONITOR_MS`? It would pay 7 us for waking a helper in every small `invokeSync`. */
function callerIsActive(own: WorkerSlot): boolean {
  const us = nowUs();
  const calls = own.words[C_CALLS]; // plain: a hint; a caller that finds no monitor wakes a helper
  if (calls !== callerSeen.calls) {
    callerSeen.calls = calls;
    callerSeen.lastUs = us;
  }
  return us - callerSeen.lastUs < MONITOR_MS * 1000;
}

/** Sleeps until woken, or for a slice; true if a spare has left the worker group instead. */
function rest(own: WorkerSlot): boolean {
  const event = eventOf(own);
  const state = restState(own);
  if (state === STATE_WAITING) {
    if (!isLast(own)) return moments.rest(own, () => lastLook(own, state));
    // In STATE_WAITING the caller wakes it at the end, for 7 us. So it waits for the caller only where there may be work.
    if (workAwaits(own)) sleep(own, state, IDLE_SLICE_MS, event, () => lastLook(own, state));
    else sleep(own, STATE_IDLE, IDLE_SLICE_MS, event, () => isStopping(own) || workAwaits(own)); // S7, S2, S5
    return false;
  }
  const isMonitor = own.slot === MONITOR_SLOT && !isLast(own) && callerIsActive(own);
  if (own.slot === MONITOR_SLOT) store(own.words, C_MONITOR, isMonitor ? 1 : 0); // S4: before the last look at the caller
  sleep(own, STATE_IDLE, isMonitor ? MONITOR_SLICE_MS : IDLE_SLICE_MS, event, () => lastLook(own, state));
  return false;
}

/**
 * Is something left behind that only this thread's event loop can end? A spare that has not run a task for `keepAliveMs` is to leave, and
 * what is left behind with it.
 */
const isLoopInUse = (own: WorkerSlot): boolean =>
  host().hasPending?.() === true && (spareOf(own) <= 0 || host().nowMs() - ranMs < own.keepAliveMs);

/** Sleeps until woken, while the event loop goes on; a spare for `keepAliveMs` at most. */
function restInLoop(own: WorkerSlot): Promise<void> {
  stopMonitoring(own);
  const event = eventOf(own);
  const state = restState(own);
  const untilLeaving = (wake: () => void): (() => void) =>
    spareOf(own) > 0 && own.keepAliveMs < Number.POSITIVE_INFINITY
      ? host().backgroundTimer(own.keepAliveMs, wake)
      : () => {};
  return park(
    own,
    state,
    event,
    () => lastLook(own, state),
    () => untilWoken(own, event, untilLeaving),
  );
}

/** The state in which this thread is to sleep: nobody claims a thread that is surplus. */
export function restState(own: WorkerSlot): number {
  if (!isSurplus(own)) return STATE_IDLE;
  wakeInstead(own);
  return STATE_WAITING;
}

/** The last look of a thread with an empty stack, which is registered as asleep in this state: true to stay awake. */
export function lastLook(own: WorkerSlot, state: number): boolean {
  if (isStopping(own)) return true; // S7
  if (state === STATE_WAITING) return !isSurplus(own); // S6, S10
  if (seesWork(own)) return true; // S2
  askForWork(own, nowUs()); // S5: once registered; pairs with `feedSleepers`
  return sparesCaller(own);
}
