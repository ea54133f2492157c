/**
 * The life of a worker: it searches, runs tasks, loads what is missing, and rests; runs on workers.
 *
 * What it takes next is in help.ts. It runs a task to its end. It returns to the event loop only to import code, to receive external
 * buffers, and once before every sleep (for finalizers and stdio). While coroutines wait, or timers, sockets and the like that tasks have
 * left behind, it sleeps within its event loop. What is left behind may run there, but never in the middle of a task.
 */

import { forgetContexts } from '../code/task-contexts.js';
import { leaveStack } from '../deque/private-stack.js';
import { externalArrived } from '../memory/external-buffers.js';
import { STATE_IDLE, STATE_WAITING } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { IDLE_SLICE_MS, MONITOR_SLICE_MS, SPIN_US } from '../tuning.js';
import {
  askForWork,
  beginSearch,
  endSearch,
  leaveSearch,
  sparesCaller,
  stopMonitoring,
  wakeInstead,
  watchesCaller,
} from './caller-watch.js';
import { hooks } from './extension.js';
import { helpAddressed, helpAny } from './help.js';
import { computes, hasTakeableWork, isStopping, mayHaveWork, nowUs } from './in-sight.js';
import { observerOf } from './observe.js';
import { seeLook } from './requests.js';
import { hasHadResidents, hasResidents, isLending } from './residents.js';
import { type Role, roleOf, spareOf, takesAny } from './role.js';
import { eventOf, sleep, sleepInLoop } from './sleep.js';
import { hasWork, type Missing } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** The event loop is due: what waits there can go on. */
const TURN: unique symbol = Symbol('furcate.turn');

/** Time at which this thread, a spare, came to be in reserve (milliseconds). */
let reservedMs: number | undefined;

/**
 * Looks of a searcher at the deques between two looks at the clock. The spin is a small function of its own, which V8
 * compiles soon: with one loop around search and steal, which are large, the first calls took 50 ms of two cores.
 */
const SPINS = 128;

/**
 * Serves until the worker group stops.
 *
 * @param loadCode imports the code of an id for an invocation, or goes on with that for a while; never fails (the resolver has the failure)
 */
export async function workLoop(
  own: WorkerSlot,
  loadCode: (code: number, invocation: number) => Promise<void>,
): Promise<void> {
  while (!isStopping(own)) {
    const missing = search(own);
    leaveStack(); // for what is left behind, which runs in no task
    if (missing === undefined) {
      hooks.idle();
      forgetContexts();
      own.sink?.beside('turn');
      await host().turn();
      own.sink?.beside();
      if (!(await rest(own))) return;
    } else if (missing === TURN) await host().turn();
    else if ('code' in missing) {
      stopMonitoring(own);
      probeStep('load: code is wanted');
      observerOf(own)?.beside('code', missing.code);
      await loadCode(missing.code, missing.invocation);
      own.sink?.beside();
    } else if (!externalArrived(missing.external)) await host().turn();
  }
}

/** Finds and runs tasks, until it has found none for a while, may take none, or must fetch what it returns. */
function search(own: WorkerSlot): Missing | typeof TURN | undefined {
  let idleSinceUs = nowUs();
  let missing: Missing | typeof TURN | undefined;
  while (missing === undefined && !isStopping(own)) {
    seeLook(own); // between two tasks, too
    const isHelper = takesAny(roleOf(own));
    if (hooks.serve(own, isHelper)) {
      missing = TURN;
      break;
    }
    if (isHelper) beginSearch(own);
    const has = isHelper ? helpAny(own) : helpAddressed(own);
    if (typeof has === 'object') missing = has;
    else if (has) {
      idleSinceUs = nowUs();
      if (hooks.awaits()) missing = TURN;
    } else if (!isHelper) break;
    else {
      own.counters.count('emptySteals');
      if (isLending(own)) continue; // from now on
      if (!hooks.awaits() && spin(own, idleSinceUs)) continue;
      endSearch(own); // S2: before its last look, which is to come
      return undefined;
    }
  }
  leaveSearch(own);
  return missing;
}

/** Waits for what may be a task, or for a reason to stop; false when there was neither for `SPIN_US`. */
function spin(own: WorkerSlot, sinceUs: number): boolean {
  for (;;) {
    const count = own.victimCount;
    for (let k = 0; k < SPINS; k++) if (mayHaveWork(own, count)) return true;
    const us = nowUs();
    askForWork(own, us);
    if (us - sinceUs > SPIN_US) return false;
    if (!takesAny(roleOf(own)) || isStopping(own)) return true;
  }
}

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
