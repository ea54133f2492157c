/** The rest of a worker that has found nothing, as its role asks for (role.ts), or within its event loop; runs on workers. */
import { STATE_IDLE } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { IDLE_SLICE_MS, MONITOR_SLICE_MS } from '../tuning.js';
import { askForWork, sparesCaller, stopMonitoring, wakeInstead, watchesCaller } from './caller-watch.js';
import { hooks } from './extension.js';
import { computes, hasTakeableWork, isStopping, nowUs } from './in-sight.js';
import { hasHadResidents, hasResidents } from './residents.js';
import { type Role, roleOf, sleepingStateOf, spareOf, takesAny } from './role.js';
import { eventOf, park, sleep, untilWoken } from './sleep.js';
import { hasWork } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** Time at which this worker last ran a task (milliseconds). */
let ranMs = 0;

/** Time at which this spare, which is in reserve, is to leave (milliseconds). */
let leavesAtMs: number | undefined;

export function hasRunAt(ms: number): void {
  ranMs = ms;
  leavesAtMs = undefined;
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
  const event = eventOf(own); // S1, S10
  const role = roleAtRest(own);
  if (role !== 'reserve') leavesAtMs = undefined;
  // In STATE_WAITING the caller wakes it at the end, for 7 us. So a substitute waits for the caller only where there may be work.
  if (role === 'substitute' && !hasResidents() && !workAwaits(own)) {
    sleep(own, STATE_IDLE, IDLE_SLICE_MS, event, () => isStopping(own) || workAwaits(own)); // S7, S2, S5
    return false;
  }
  const isMonitor = role === 'helper' && watchesCaller(own);
  const sliceMs = role === 'reserve' ? reserveMs(own) : isMonitor ? MONITOR_SLICE_MS : IDLE_SLICE_MS;
  if (sliceMs <= 0) return true;
  sleep(own, sleepingStateOf(role), sliceMs, event, () => lastLook(own, role));
  return false;
}

/** Time for which a spare in reserve is to sleep (milliseconds): for what is left of `keepAliveMs`, and then for ever; 0 once it has left. */
function reserveMs(own: WorkerSlot): number {
  probeStep('spare: rests');
  const nowMs = host().nowMs();
  leavesAtMs ??= nowMs + own.keepAliveMs;
  if (leavesAtMs > nowMs) return leavesAtMs - nowMs;
  return !hasHadResidents() && hooks.leave(own) ? 0 : Number.POSITIVE_INFINITY; // S12: what is sent to it would find nobody
}

/**
 * Checks whether something needs this thread's event loop: asynchronous tasks, or what is left behind. A spare that has not run a task for
 * `keepAliveMs` is to leave, and what is left behind with it.
 */
export const isLoopInUse = (own: WorkerSlot): boolean =>
  hooks.awaits() || (host().hasPending?.() === true && (spareOf(own) <= 0 || host().nowMs() - ranMs < own.keepAliveMs));

/** Sleeps until woken, while the event loop goes on: until an asynchronous task goes on, or, a spare without any, for `keepAliveMs` at most. */
export function restInLoop(own: WorkerSlot): Promise<void> {
  stopMonitoring(own);
  const event = eventOf(own); // S1
  const role = roleAtRest(own);
  return park(
    own,
    sleepingStateOf(role),
    event,
    () => hooks.hasWork(own) || lastLook(own, role),
    () => untilWoken(own, event, (wake) => hooks.parked(own, wake) ?? untilLeaving(own, wake)),
  );
}

const untilLeaving = (own: WorkerSlot, wake: () => void): (() => void) =>
  spareOf(own) > 0 && own.keepAliveMs < Number.POSITIVE_INFINITY
    ? host().backgroundTimer(own.keepAliveMs, wake)
    : () => {};

/** The role in which this thread is to sleep. If it takes no task, another thread is woken for what is there, and for the caller. */
function roleAtRest(own: WorkerSlot): Role {
  const role = roleOf(own);
  if (takesAny(role)) return role;
  stopMonitoring(own);
  wakeInstead(own);
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
