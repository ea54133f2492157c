/**
 * How a worker that has found nothing rests: as one that anybody may wake, as one that is surplus, as the monitor, or within its event loop; runs
 * on workers.
 */
import { load, store } from '../memory/atomics.js';
import { C_BLOCKED, C_CALLER_COMPUTES, C_MONITOR, STATE_IDLE, STATE_WAITING, spareNumber } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { IDLE_SLICE_MS, MONITOR_SLICE_MS } from '../tuning.js';
import { askForWork, callerIsActive, MONITOR_SLOT, sparesCaller, stopMonitoring, wakeInstead } from './caller-watch.js';
import { hooks } from './extension.js';
import { computes, hasTakeableWork, isStopping, nowUs } from './in-sight.js';
import { hasResidents, isLending } from './residents.js';
import { eventOf, park, sleep, untilWoken } from './sleep.js';
import { hasWork } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** When this worker last ran a task (milliseconds). */
let ranMs = 0;

export function hasRunAt(ms: number): void {
  ranMs = ms;
}

const isLast = (own: WorkerSlot): boolean => own.slot === own.memory.layout.parallelism;

/** The number of this thread among the spares; not positive if it is a worker. */
const spareOf = (own: WorkerSlot): number => spareNumber(own.memory.layout, own.slot);

/**
 * Is this one thread more than should compute: the last worker, which makes room for an owner that computes under `invokeSync`, or a spare
 * whose number is higher than that of the blocked threads; or does it lend its place? It takes only what is addressed to it then. Its coroutines go on.
 */
export const isSurplus = (own: WorkerSlot): boolean =>
  isLending(own) ||
  (isLast(own)
    ? load(own.words, C_CALLER_COMPUTES) !== 0
    : spareOf(own) > 0 && spareOf(own) > load(own.words, C_BLOCKED));

/** Could there be work for the last worker as soon as the caller has ended? */
function workAwaits(own: WorkerSlot): boolean {
  for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {
    if (computes(own, slot)) return true;
  }
  return hasTakeableWork(own);
}

/** Sleeps until woken, or for a slice; true if a spare has left the worker group instead. */
export function rest(own: WorkerSlot): boolean {
  const event = eventOf(own);
  const state = restState(own);
  if (state === STATE_WAITING) {
    if (hasResidents()) {
      sleep(own, state, IDLE_SLICE_MS, event, () => lastLook(own, state));
      return false;
    }
    if (!isLast(own)) return hooks.rest(own, () => lastLook(own, state));
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
export const isLoopInUse = (own: WorkerSlot): boolean =>
  host().hasPending?.() === true && (spareOf(own) <= 0 || host().nowMs() - ranMs < own.keepAliveMs);

/** Sleeps until woken, while the event loop goes on; a spare for `keepAliveMs` at most. */
export function restInLoop(own: WorkerSlot): Promise<void> {
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
  if (state === STATE_WAITING) return hasWork(own, own.inbox) || !isSurplus(own); // S6, S10, S12
  if (hasTakeableWork(own)) return true; // S2
  askForWork(own, nowUs()); // S5: once registered; pairs with `feedSleepers`
  return sparesCaller(own);
}
