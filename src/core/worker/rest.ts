/** The rest of a worker that has found nothing, as its role asks for (role.ts); runs on workers. */
import { STATE_IDLE, STATE_WAITING } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { IDLE_SLICE_MS, MONITOR_SLICE_MS } from '../tuning.js';
import { askForWork, sparesCaller, stopMonitoring, wakeInstead, watchesCaller } from './caller-watch.js';
import { hooks } from './extension.js';
import { computes, hasTakeableWork, isStopping, nowUs } from './in-sight.js';
import { hasHadResidents, hasResidents } from './residents.js';
import { type Role, roleOf, spareOf, takesAny } from './role.js';
import { eventOf, sleep, sleepInLoop } from './sleep.js';
import { hasWork } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** Time at which this thread, a spare, came to be in reserve (milliseconds). */
let reservedMs: number | undefined;

/**
 * Sleeps until woken, or for a slice. Within its event loop it sleeps while that is in use: until an asynchronous task goes on, or, a spare
 * without any, for `keepAliveMs` at most.
 *
 * @returns false if a spare has left the worker group instead
 */
export async function rest(own: WorkerSlot): Promise<boolean> {
  const isInLoop = isLoopInUse(own);
  const event = eventOf(own); // S1, S10
  const role = roleOf(own);
  const isMonitor = role === 'helper' && !isInLoop && watchesCaller(own);
  if (!isMonitor) stopMonitoring(own);
  if (!takesAny(role)) wakeInstead(own);
  if (role !== 'reserve') reservedMs = undefined;
  const state = stateAtRest(own, role);
  const look = (): boolean => lastLook(own, role, state);
  if (isInLoop) {
    await sleepInLoop(
      own,
      state,
      event,
      () => hooks.hasWork(own) || look(),
      (wake) => hooks.parked(own, wake) ?? untilLeaving(own, wake),
    );
    return true;
  }
  const sliceMs = role === 'reserve' ? reserveMs(own) : isMonitor ? MONITOR_SLICE_MS : IDLE_SLICE_MS;
  if (sliceMs > 0) sleep(own, state, sliceMs, event, look);
  return sliceMs > 0;
}

/**
 * Checks whether something needs this thread's event loop: asynchronous tasks, or what is left behind. A spare that has not run a task for
 * `keepAliveMs` is to leave, and what is left behind with it.
 */
const isLoopInUse = (own: WorkerSlot): boolean =>
  hooks.awaits() ||
  (host().hasPending?.() === true && (spareOf(own) <= 0 || host().nowMs() - own.ranMs < own.keepAliveMs));

const untilLeaving = (own: WorkerSlot, wake: () => void): (() => void) =>
  spareOf(own) > 0 && own.keepAliveMs < Number.POSITIVE_INFINITY
    ? host().backgroundTimer(own.keepAliveMs, wake)
    : () => {};

/** Time for which a spare in reserve is to sleep (milliseconds): for what is left of `keepAliveMs`, and then for ever; 0 once it has left. */
function reserveMs(own: WorkerSlot): number {
  probeStep('spare: rests');
  const nowMs = host().nowMs();
  reservedMs ??= nowMs;
  const leftMs = Math.max(reservedMs, own.ranMs) + own.keepAliveMs - nowMs;
  if (leftMs > 0) return leftMs;
  return !hasHadResidents() && hooks.leave(own) ? 0 : Number.POSITIVE_INFINITY; // S12: what is sent to it would find nobody
}

/** Checks whether there could be work for a substitute as soon as the caller has ended. */
function workAwaits(own: WorkerSlot): boolean {
  for (let slot = 1, { slots } = own.memory; slot < slots; slot++) {
    if (computes(own, slot)) return true;
  }
  return hasTakeableWork(own);
}

/**
 * The state in which a thread sleeps in a role: publishers claim one that takes any task. The caller wakes its substitute at the end, for 7 us,
 * if that is in `STATE_WAITING`: so it is only where there may be work.
 */
const stateAtRest = (own: WorkerSlot, role: Role): number =>
  takesAny(role) || (role === 'substitute' && !hasResidents() && !workAwaits(own)) ? STATE_IDLE : STATE_WAITING;

/** The last look of a thread with an empty stack, which is registered as asleep in this role and state: true to stay awake. */
export function lastLook(own: WorkerSlot, role: Role, state: number): boolean {
  if (isStopping(own)) return true; // S7
  if (state === STATE_WAITING) return hasWork(own, own.inbox) || takesAny(roleOf(own)); // S6, S10, S12
  if (!takesAny(role)) return workAwaits(own); // S2, S5
  if (hasTakeableWork(own)) return true; // S2
  askForWork(own, nowUs()); // S5: once registered; pairs with `feedSleepers`
  return sparesCaller(own);
}
