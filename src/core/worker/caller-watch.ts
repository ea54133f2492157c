/**
 * The watch that workers keep on a caller that computes under `invokeSync`; runs on workers.
 *
 * A caller wakes nobody while a worker searches, or while the monitor watches it: waking a helper would take 7 us of every small `invokeSync`. So
 * searchers ask it for tasks once its invocation has proved to be long, and who stops searching or watching wakes another in its place.
 */
import { add, load, store, sub } from '../memory/atomics.js';
import { C_CALLS, C_MONITOR, C_SEARCHERS, C_SLEEPERS, CALLER_SLOT } from '../memory/layout.js';
import { probeStep } from '../probe.js';
import { MONITOR_MS, POLITE_US } from '../tuning.js';
import { computes, nowUs } from './in-sight.js';
import { isAsked, requestSteal } from './requests.js';
import { wakeHelper, wakeOne } from './sleep.js';
import { hasWork } from './steal.js';
import { invocationOf, NO_INVOCATION, type WorkerSlot } from './worker-slot.js';

/** The worker that may watch the caller as the monitor. */
const MONITOR_SLOT = 1;

/** The invocation that the caller was last seen computing, and since when; the count of its calls, and when that last changed. */
const callerSeen = { invocation: NO_INVOCATION, sinceUs: 0, calls: 0, lastUs: Number.NEGATIVE_INFINITY };

/** Asks every thread that computes to publish tasks; the caller only once its invocation has proved to be long. */
export function askForWork(own: WorkerSlot, us: number): void {
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

/** Returns true if the caller computes without having been asked to publish. Then it will wake nobody. */
export const sparesCaller = (own: WorkerSlot): boolean =>
  computes(own, CALLER_SLOT) && !isAsked(own.memory, CALLER_SLOT);

/** The monitor has something else to do than to watch the caller: from now on the caller wakes a helper itself. */
export function stopMonitoring(own: WorkerSlot): void {
  const { words, memory } = own;
  if (own.slot !== MONITOR_SLOT || words[C_MONITOR] === 0) return; // plain: sole writer
  store(words, C_MONITOR, 0); // S4: before the look at the caller, which may have relied on it
  if (computes(own, CALLER_SLOT)) wakeHelper(memory);
}

/**
 * Returns true if this thread is the monitor while it sleeps from now on. Worker 1 is, while the caller computes now and then, unless it is the
 * last worker.
 */
export function watchesCaller(own: WorkerSlot): boolean {
  if (own.slot !== MONITOR_SLOT) return false;
  const isMonitor = own.memory.layout.parallelism > MONITOR_SLOT && callerIsActive(own);
  store(own.words, C_MONITOR, isMonitor ? 1 : 0); // S4: before the last look at the caller
  return isMonitor;
}

/**
 * Checks whether the caller has computed within the last `MONITOR_MS`. It would pay 7 us for waking a helper in every small
 * `invokeSync`.
 */
function callerIsActive(own: WorkerSlot): boolean {
  const us = nowUs();
  const calls = own.words[C_CALLS]; // plain: a hint; a caller that finds no monitor wakes a helper
  if (calls !== callerSeen.calls) {
    callerSeen.calls = calls;
    callerSeen.lastUs = us;
  }
  return us - callerSeen.lastUs < MONITOR_MS * 1000;
}

/** Begins to search, if this thread does not. */
export function beginSearch(own: WorkerSlot): void {
  if (own.isSearching) return;
  add(own.words, C_SEARCHERS, 1);
  own.isSearching = true;
  probeStep('search: registered');
}

/** Stops searching; returns whether no other thread searches. */
export function endSearch(own: WorkerSlot): boolean {
  own.isSearching = false;
  return sub(own.words, C_SEARCHERS, 1) === 1;
}

/** Stops searching, if this thread does, for another reason than to sleep. */
export function leaveSearch(own: WorkerSlot): void {
  if (own.isSearching && endSearch(own)) wakeInstead(own);
}

/**
 * S2, S4: while a thread searches, neither a publisher nor a caller that begins to compute wakes anyone. So the last searcher
 * that will not help wakes others in its place: for public tasks an idle worker or a join of the invocation that their worker runs
 * (I1; tasks of an invocation below it can wait for that worker), and for a caller that was not asked for tasks a helper.
 */
export function wakeInstead(own: WorkerSlot): void {
  const { words, memory } = own;
  if (load(words, C_SLEEPERS) <= 0) return;
  for (let victim = 0, count = own.victimCount; victim < count; victim++) {
    const { slot } = own.victims[victim];
    if (slot === own.slot || !hasWork(own, victim)) continue;
    if (wakeOne(memory, invocationOf(memory, slot))) return; // an idle worker, which comes here in its turn
  }
  if (load(words, C_MONITOR) === 0 && sparesCaller(own)) wakeHelper(memory);
}
