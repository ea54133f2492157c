/**
 * The life of a worker: it searches, runs tasks, loads what is missing, and sleeps; runs on workers.
 *
 * What it takes next is in help.ts, and how it sleeps in rest.ts. It runs a task to its end. It returns to the event loop only to import code, to receive external
 * buffers, and once before every sleep (for finalizers and stdio). While coroutines wait, or timers, sockets and the like that tasks have
 * left behind, it sleeps within its event loop. What is left behind may run there, but never in the middle of a task.
 */

import { forgetContexts } from '../code/task-contexts.js';
import { leaveStack } from '../deque/private-stack.js';
import { externalArrived } from '../memory/external-buffers.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { SPIN_US } from '../tuning.js';
import { askForWork, beginSearch, endSearch, leaveSearch, stopMonitoring } from './caller-watch.js';
import { hooks } from './extension.js';
import { helpAddressed, helpAny } from './help.js';
import { isStopping, mayHaveWork, nowUs } from './in-sight.js';
import { observerOf } from './observe.js';
import { seeLook } from './requests.js';
import { isLending } from './residents.js';
import { rest } from './rest.js';
import { roleOf, takesAny } from './role.js';
import type { Missing } from './steal.js';
import type { WorkerSlot } from './worker-slot.js';

/** The event loop is due: what waits there can go on. */
const TURN: unique symbol = Symbol('furcate.turn');

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
