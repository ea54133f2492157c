/**
 * The life of a worker: search, run, load what is missing, sleep.
 *
 * It steals from where it stole last, then from the others in turn from a random start, then takes a root. What it
 * finds it runs to the end. It returns to the event loop only to import code, to receive external buffers, and once
 * before every sleep (finalizers, stdio).
 */

import { forgetJobs } from '../call/job.js';
import { add, load, store, sub } from '../memory/atomics.js';
import { externalArrived } from '../memory/external-buffers.js';
import {
  C_CALLER_COMPUTES,
  C_CALLS,
  C_MONITOR,
  C_PHASE,
  C_SEARCHERS,
  C_SLEEPERS,
  CALLER_SLOT,
  PHASE_RUN,
  REQUEST_STEAL,
  rootsSlot,
  STATE_IDLE,
  STATE_WAITING,
  slotWord,
  W_INVOCATION,
  W_REQUESTS,
} from '../memory/layout.js';
import { forgetViews } from '../memory/shared-array.js';
import { host } from '../platform/host.js';
import { IDLE_SLICE_MS, MONITOR_MS, MONITOR_SLICE_MS, POLITE_US, SPIN_US } from '../tuning.js';
import { requestSteal } from './requests.js';
import { eventOf, sleep, wakeHelper, wakeOne } from './sleep.js';
import { hasWork, NOTHING, runStolen, trySteal, wanted } from './steal.js';
import { NO_INVOCATION, type WorkerSlot } from './worker-slot.js';

/** What a loop needs from the thread it runs on. */
export interface LoopHooks {
  /** Imports the code of an id; never fails (a failure is marked in the code table). */
  load(code: number): Promise<void>;
}

const nowUs = (): number => host().nowMs() * 1000;

/**
 * How often a searcher looks at the deques between two looks at the clock. It spins by spins, since V8 soon compiles what
 * spins: search and steal, which are large, took 50 ms of two cores in the first calls.
 */
const SPINS = 32;

/** The worker that may keep an eye on the caller. */
const MONITOR_SLOT = 1;

/** Which invocation the caller was last seen computing, and since when; how many there were, and when the last was new. */
const callerSeen = { invocation: NO_INVOCATION, sinceUs: 0, calls: 0, lastUs: Number.NEGATIVE_INFINITY };

/** Serves until the worker group stops. */
export async function workLoop(own: WorkerSlot, hooks: LoopHooks): Promise<void> {
  const { words } = own;
  while (load(words, C_PHASE) === PHASE_RUN) {
    search(own);
    if (wanted.code >= 0) {
      const code = wanted.code;
      wanted.code = -1;
      leavePost(own);
      await hooks.load(code);
    } else if (wanted.external > 0) {
      if (!externalArrived(wanted.external)) await host().turn();
      wanted.external = 0;
    } else {
      forgetViews();
      forgetJobs();
      await host().turn();
      rest(own);
    }
  }
}

/** Finds and runs tasks until there has been none for a spin, or an errand is wanted. */
function search(own: WorkerSlot): void {
  const { words } = own;
  let idleSinceUs = nowUs();
  let searching = false;
  while (load(words, C_PHASE) === PHASE_RUN) {
    if (mustRest(own)) break;
    if (!searching) {
      add(words, C_SEARCHERS, 1);
      searching = true;
    }
    const record = findTask(own);
    if (record !== NOTHING) {
      searching = false;
      leaveSearch(own);
      leavePost(own);
      const startUs = nowUs();
      runStolen(own, record);
      idleSinceUs = nowUs();
      own.counters.count('busyUs', idleSinceUs - startUs);
    } else if (wanted.code >= 0 || wanted.external > 0) break;
    else if (!spin(own, idleSinceUs)) {
      sub(words, C_SEARCHERS, 1); // S2: before its last look, which is to come
      return;
    }
  }
  if (searching) leaveSearch(own);
}

/** Waits for what may be a task, or for a reason to stop; false when it was in vain for long enough. */
function spin(own: WorkerSlot, sinceUs: number): boolean {
  for (;;) {
    for (let k = 0; k < SPINS; k++) if (seesWork(own)) return true;
    const us = nowUs();
    askForWork(own, us);
    if (us - sinceUs > SPIN_US) return false;
    if (mustRest(own) || isStopping(own)) return true;
  }
}

/** Stops searching, to do something else than to go to sleep after a last look. */
function leaveSearch(own: WorkerSlot): void {
  if (sub(own.words, C_SEARCHERS, 1) === 1) wakeInstead(own);
}

/**
 * S2, S4: who publishes or begins to compute wakes nobody while someone searches. So a thread that has searched and will
 * not help wakes others in their place: for public tasks an idle worker or a join of the same invocation (I1: a deque
 * holds one invocation's), for a caller that nobody has asked for tasks a helper.
 */
function wakeInstead(own: WorkerSlot): void {
  const { words, memory } = own;
  if (load(words, C_SLEEPERS) <= 0) return;
  for (let victim = 0; victim < memory.layout.slots; victim++) {
    if (victim === own.slot || !hasWork(own, victim)) continue;
    const invocation = load(words, slotWord(memory.layout, victim) + W_INVOCATION);
    if (wakeOne(memory, invocation)) return; // an idle one, which comes here in its turn
  }
  if (load(words, C_MONITOR) === 0 && sparesCaller(own)) wakeHelper(memory);
}

function findTask(own: WorkerSlot): number {
  const workers = own.memory.layout.parallelism + 1;
  const start = Math.floor(Math.random() * workers);
  let record = own.lastVictim === own.slot ? NOTHING : trySteal(own, own.lastVictim);
  for (let k = 0; k < workers && record === NOTHING; k++) {
    const victim = (start + k) % workers;
    if (victim === own.slot) continue;
    record = trySteal(own, victim);
    if (record !== NOTHING) own.lastVictim = victim;
  }
  return record === NOTHING ? trySteal(own, rootsSlot(own.memory.layout)) : record;
}

/** Asks every thread that computes to publish; the caller only once its invocation has proved to be long. */
function askForWork(own: WorkerSlot, us: number): void {
  const { words, memory } = own;
  const { layout } = memory;
  for (let slot = 1; slot <= layout.parallelism; slot++) {
    if (slot !== own.slot && load(words, slotWord(layout, slot) + W_INVOCATION) !== NO_INVOCATION)
      requestSteal(own, slot);
  }
  const invocation = load(words, slotWord(layout, CALLER_SLOT) + W_INVOCATION);
  if (invocation !== callerSeen.invocation) {
    callerSeen.invocation = invocation;
    callerSeen.sinceUs = us;
  } else if (invocation !== NO_INVOCATION && us - callerSeen.sinceUs > POLITE_US) requestSteal(own, CALLER_SLOT);
}

const seesWork = (own: WorkerSlot): boolean => {
  for (let victim = 0; victim < own.memory.layout.slots; victim++) {
    if (victim !== own.slot && hasWork(own, victim)) return true;
  }
  return false;
};

const isLast = (own: WorkerSlot): boolean => own.slot === own.memory.layout.parallelism;

/** While the owner computes under `invokeSync`, the last worker makes room for it. */
const mustRest = (own: WorkerSlot): boolean => isLast(own) && load(own.words, C_CALLER_COMPUTES) !== 0;

/** Could there be work for the last worker as soon as the caller has ended? */
function workAwaits(own: WorkerSlot): boolean {
  const { words, memory } = own;
  for (let slot = 1; slot < memory.layout.parallelism; slot++) {
    if (load(words, slotWord(memory.layout, slot) + W_INVOCATION) !== NO_INVOCATION) return true;
  }
  return seesWork(own);
}

const isStopping = (own: WorkerSlot): boolean => load(own.words, C_PHASE) !== PHASE_RUN;

const callerComputes = (own: WorkerSlot): boolean =>
  load(own.words, slotWord(own.memory.layout, CALLER_SLOT) + W_INVOCATION) !== NO_INVOCATION;

/** The first worker has something else to do than to look at the caller: from now on the caller wakes a helper itself. */
function leavePost(own: WorkerSlot): void {
  const { words, memory } = own;
  if (own.slot !== MONITOR_SLOT || words[C_MONITOR] === 0) return; // plain: sole writer
  store(words, C_MONITOR, 0); // S4: before the look at the caller, which may have relied on it
  if (callerComputes(own)) wakeHelper(memory);
}

/** S5: once registered as asleep, tells all that compute; pairs with publishHalf, which tells itself while some sleep. */
const leaveStealRequests = (own: WorkerSlot): void => askForWork(own, nowUs());

/** Does the caller compute, and was not asked to publish yet? Then it will wake nobody. */
const sparesCaller = (own: WorkerSlot): boolean => {
  const caller = slotWord(own.memory.layout, CALLER_SLOT);
  return callerComputes(own) && (load(own.words, caller + W_REQUESTS) & REQUEST_STEAL) === 0;
};

/**
 * Did the caller compute lately? Then the first worker looks now and then whether it does so again: a caller that had to
 * wake someone would pay 7 us for every small `invokeSync`.
 */
function callerIsActive(own: WorkerSlot): boolean {
  const us = nowUs();
  const calls = own.words[C_CALLS]; // plain: a hint; a caller that finds no monitor wakes one
  if (calls !== callerSeen.calls) {
    callerSeen.calls = calls;
    callerSeen.lastUs = us;
  }
  return us - callerSeen.lastUs < MONITOR_MS * 1000;
}

/** Sleeps until woken, or for a slice. */
function rest(own: WorkerSlot): void {
  const { words } = own;
  const event = eventOf(own);
  if (mustRest(own)) {
    wakeInstead(own);
    // A caller that ends wakes who waits for that, for 7 us: one that computes again and again would pay them each time.
    if (workAwaits(own))
      sleep(own, STATE_WAITING, IDLE_SLICE_MS, event, () => !mustRest(own) || isStopping(own)); // S6, S7
    else sleep(own, STATE_IDLE, IDLE_SLICE_MS, event, () => isStopping(own) || workAwaits(own)); // S7, S2, S5
    return;
  }
  const isMonitor = own.slot === MONITOR_SLOT && !isLast(own) && callerIsActive(own);
  if (own.slot === MONITOR_SLOT) store(words, C_MONITOR, isMonitor ? 1 : 0); // S4: before the last look at the caller
  const look = (): boolean => {
    if (isStopping(own) || seesWork(own)) return true; // S7, S2
    leaveStealRequests(own);
    return sparesCaller(own);
  };
  sleep(own, STATE_IDLE, isMonitor ? MONITOR_SLICE_MS : IDLE_SLICE_MS, event, look);
}
