/** The rest of a worker that has found nothing, as its role asks for (role.ts), or within its event loop; runs on workers. */
import { STATE_IDLE, STATE_WAITING } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { IDLE_SLICE_MS, MONITOR_SLICE_MS } from '../tuning.js';
import { askForWork, sparesCaller, stopMonitoring, wakeInstead, watchesCaller } from './caller-watch.js';
import { hooks } from './extension.js';
import { computes, hasTakeableWork, isStopping, nowUs } from './in-sight.js';
import { hasResidents } from './residents.js';
import { type Role, roleOf, sleepingStateOf, spareOf, takesAny } from './role.js';
import { eventOf, park, sleep, untilWoken } from './sleep.js';
import { hasWork } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** Time at which this worker last ran a task (milliseconds). */
let ranMs = 0;

export function hasRunAt(ms: number): void {
  ranMs = ms;
}

/** Checks whether there could be work for a substitute as soon as the caller has ended. */
function workAwaits(own: WorkerSlot): boolean {
  for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {
    if (computes(own, slot)) return true;
  }
  return hasTakeableWork(own);
}

/** Sleeps until woken, or for a slice; true if a spare has left the worker group instead. */
export function rest(own: WorkerSlot): boolean {
  const event = eventOf(own);
  const role = roleAtRest(own);
  const look = (): boolean => lastLook(own, role);
  if (role === 'helper') {
    sleep(own, STATE_IDLE, watchesCaller(own) ? MONITOR_SLICE_MS : IDLE_SLICE_MS, event, look);
  } else if (hasResidents()) sleep(own, STATE_WAITING, IDLE_SLICE_MS, event, look);
  else if (role === 'reserve') return hooks.rest(own, look);
  // In STATE_WAITING the caller wakes it at the end, for 7 us. So a substitute waits for the caller only where there may be work.
  else if (workAwaits(own)) sleep(own, STATE_WAITING, IDLE_SLICE_MS, event, look);
  else sleep(own, STATE_IDLE, IDLE_SLICE_MS, event, () => isStopping(own) || workAwaits(own)); // S7, S2, S5
  return false;
}

/**
 * Checks whether something is left behind that only this thread's event loop can end. A spare that has not run a task for `keepAliveMs`
 * is to leave, and what is left behind with it.
 */
export const isLoopInUse = (own: WorkerSlot): boolean =>
  host().hasPending?.() === true && (spareOf(own) <= 0 || host().nowMs() - ranMs < own.keepAliveMs);

/** Sleeps until woken, while the event loop goes on; a spare for `keepAliveMs` at most. */
export function restInLoop(own: WorkerSlot): Promise<void> {
  stopMonitoring(own);
  const event = eventOf(own);
  const role = roleAtRest(own);
  const untilLeaving = (wake: () => void): (() => void) =>
    spareOf(own) > 0 && own.keepAliveMs < Number.POSITIVE_INFINITY
      ? host().backgroundTimer(own.keepAliveMs, wake)
      : () => {};
  return park(
    own,
    sleepingStateOf(role),
    event,
    () => lastLook(own, role),
    () => untilWoken(own, event, untilLeaving),
  );
}

/** The role in which this thread is to sleep. If it takes no task, another thread is woken for what is there. */
export function roleAtRest(own: WorkerSlot): Role {
  const role = roleOf(own);
  if (!takesAny(role)) wakeInstead(own);
  return role;
}

/** The last look of a thread with an empty stack, which is registered as asleep in this role: true to stay awake. */
export function lastLook(own: WorkerSlot, role: Role): boolean {
  if (isStopping(own)) return true; // S7
  if (!takesAny(role)) return hasWork(own, own.inbox) || takesAny(roleOf(own)); // S6, S10, S12
  if (hasTakeableWork(own)) return true; // S2
  askForWork(own, nowUs()); // S5: once registered; pairs with `feedSleepers`
  return sparesCaller(own);
}
