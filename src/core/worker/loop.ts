/**
 * The life of a worker: search, run, load what is missing, sleep.
 *
 * It steals from where it stole last, then from the others in turn from a random start, then takes a root. What it
 * finds it runs to the end. It returns to the event loop only to import code, to receive foreign buffers, and once
 * before every sleep (finalizers, stdio).
 */

import { forgetJobs } from '../call/job.js';
import { add, load, store, sub } from '../memory/atomics.js';
import { foreignArrived } from '../memory/foreign.js';
import {
  ATTENTION_HUNGRY,
  C_CALLER_COMPUTES,
  C_CALLS,
  C_PHASE,
  C_SEARCHERS,
  C_SENTRY,
  C_SLEEPERS,
  CALLER_SLOT,
  PHASE_RUN,
  rootsSlot,
  STATE_IDLE,
  STATE_WAITING,
  slotWord,
  W_ATTENTION,
  W_INVOCATION,
} from '../memory/layout.js';
import { forgetViews } from '../memory/shared-array.js';
import { host } from '../platform/host.js';
import { IDLE_SLICE_MS, POLITE_US, SENTRY_MS, SENTRY_SLICE_MS, SPIN_US } from '../tuning.js';
import { markHungry } from './attention.js';
import { eventOf, sleep, wakeHelper, wakeOne } from './idle.js';
import { NO_INVOCATION, type Seat } from './seat.js';
import { hasWork, NOTHING, runStolen, trySteal, wanted } from './steal.js';

/** What a loop needs from the thread it runs on. */
export interface Errands {
  /** Imports the code of an id; never fails (a failure is marked in the code table). */
  load(code: number): Promise<void>;
}

const nowUs = (): number => host().nowMs() * 1000;

/**
 * How often a searcher glances at the deques between two looks at the clock. It spins by glances, since V8 soon compiles what
 * spins: search and theft, which are large, took 50 ms of two cores in the first calls.
 */
const GLANCES = 32;

/** The worker that may keep an eye on the caller. */
const SENTRY_SLOT = 1;

/** Which invocation the caller was last seen computing, and since when; how many there were, and when the last was new. */
const callerSeen = { invocation: NO_INVOCATION, sinceUs: 0, calls: 0, lastUs: Number.NEGATIVE_INFINITY };

/** Serves until the crew stops. */
export async function workLoop(seat: Seat, errands: Errands): Promise<void> {
  const { words } = seat;
  while (load(words, C_PHASE) === PHASE_RUN) {
    search(seat);
    if (wanted.code >= 0) {
      const code = wanted.code;
      wanted.code = -1;
      leavePost(seat);
      await errands.load(code);
    } else if (wanted.foreign > 0) {
      if (!foreignArrived(wanted.foreign)) await host().turn();
      wanted.foreign = 0;
    } else {
      forgetViews();
      forgetJobs();
      await host().turn();
      rest(seat);
    }
  }
}

/** Finds and runs tasks until there has been none for a spin, or an errand is wanted. */
function search(seat: Seat): void {
  const { words } = seat;
  let idleSinceUs = nowUs();
  let searching = false;
  while (load(words, C_PHASE) === PHASE_RUN) {
    if (mustRest(seat)) break;
    if (!searching) {
      add(words, C_SEARCHERS, 1);
      searching = true;
    }
    const record = findTask(seat);
    if (record !== NOTHING) {
      searching = false;
      leaveSearch(seat);
      leavePost(seat);
      const startUs = nowUs();
      runStolen(seat, record);
      idleSinceUs = nowUs();
      seat.counters.count('busyUs', idleSinceUs - startUs);
    } else if (wanted.code >= 0 || wanted.foreign > 0) break;
    else if (!glance(seat, idleSinceUs)) {
      sub(words, C_SEARCHERS, 1); // S2: before its last look, which is to come
      return;
    }
  }
  if (searching) leaveSearch(seat);
}

/** Waits for what may be a task, or for a reason to stop; false when it was in vain for long enough. */
function glance(seat: Seat, sinceUs: number): boolean {
  for (;;) {
    for (let k = 0; k < GLANCES; k++) if (seesWork(seat)) return true;
    const us = nowUs();
    askForWork(seat, us);
    if (us - sinceUs > SPIN_US) return false;
    if (mustRest(seat) || isStopping(seat)) return true;
  }
}

/** Stops searching, to do something else than to go to sleep after a last look. */
function leaveSearch(seat: Seat): void {
  if (sub(seat.words, C_SEARCHERS, 1) === 1) wakeInstead(seat);
}

/**
 * S2, S4: who publishes or begins to compute wakes nobody while someone searches. So a thread that has searched and will
 * not help wakes others in their place: for public tasks an idle worker or a join of the same invocation (I1: a deque
 * holds one invocation's), for a caller that nobody has asked for tasks a helper.
 */
function wakeInstead(seat: Seat): void {
  const { words, memory } = seat;
  if (load(words, C_SLEEPERS) <= 0) return;
  for (let victim = 0; victim < memory.layout.slots; victim++) {
    if (victim === seat.slot || !hasWork(seat, victim)) continue;
    const invocation = load(words, slotWord(memory.layout, victim) + W_INVOCATION);
    if (wakeOne(memory, invocation)) return; // an idle one, which comes here in its turn
  }
  if (load(words, C_SENTRY) === 0 && sparesCaller(seat)) wakeHelper(memory);
}

function findTask(seat: Seat): number {
  const workers = seat.memory.layout.parallelism + 1;
  const start = Math.floor(Math.random() * workers);
  let record = seat.lastVictim === seat.slot ? NOTHING : trySteal(seat, seat.lastVictim);
  for (let k = 0; k < workers && record === NOTHING; k++) {
    const victim = (start + k) % workers;
    if (victim === seat.slot) continue;
    record = trySteal(seat, victim);
    if (record !== NOTHING) seat.lastVictim = victim;
  }
  return record === NOTHING ? trySteal(seat, rootsSlot(seat.memory.layout)) : record;
}

/** Asks every thread that computes to publish; the caller only once its invocation has proved to be long. */
function askForWork(seat: Seat, us: number): void {
  const { words, memory } = seat;
  const { layout } = memory;
  for (let slot = 1; slot <= layout.parallelism; slot++) {
    if (slot !== seat.slot && load(words, slotWord(layout, slot) + W_INVOCATION) !== NO_INVOCATION)
      markHungry(seat, slot);
  }
  const invocation = load(words, slotWord(layout, CALLER_SLOT) + W_INVOCATION);
  if (invocation !== callerSeen.invocation) {
    callerSeen.invocation = invocation;
    callerSeen.sinceUs = us;
  } else if (invocation !== NO_INVOCATION && us - callerSeen.sinceUs > POLITE_US) markHungry(seat, CALLER_SLOT);
}

const seesWork = (seat: Seat): boolean => {
  for (let victim = 0; victim < seat.memory.layout.slots; victim++) {
    if (victim !== seat.slot && hasWork(seat, victim)) return true;
  }
  return false;
};

const isLast = (seat: Seat): boolean => seat.slot === seat.memory.layout.parallelism;

/** While the owner computes under `invokeSync`, the last worker makes room for it. */
const mustRest = (seat: Seat): boolean => isLast(seat) && load(seat.words, C_CALLER_COMPUTES) !== 0;

/** Could there be work for the last worker as soon as the caller has ended? */
function workAwaits(seat: Seat): boolean {
  const { words, memory } = seat;
  for (let slot = 1; slot < memory.layout.parallelism; slot++) {
    if (load(words, slotWord(memory.layout, slot) + W_INVOCATION) !== NO_INVOCATION) return true;
  }
  return seesWork(seat);
}

const isStopping = (seat: Seat): boolean => load(seat.words, C_PHASE) !== PHASE_RUN;

const callerComputes = (seat: Seat): boolean =>
  load(seat.words, slotWord(seat.memory.layout, CALLER_SLOT) + W_INVOCATION) !== NO_INVOCATION;

/** The first worker has something else to do than to look at the caller: from now on the caller wakes a helper itself. */
function leavePost(seat: Seat): void {
  const { words, memory } = seat;
  if (seat.slot !== SENTRY_SLOT || words[C_SENTRY] === 0) return; // plain: sole writer
  store(words, C_SENTRY, 0); // S4: before the look at the caller, which may have relied on it
  if (callerComputes(seat)) wakeHelper(memory);
}

/** S5: once registered as asleep, tells all that compute; pairs with publishHalf, which tells itself while some sleep. */
const leaveHunger = (seat: Seat): void => askForWork(seat, nowUs());

/** Does the caller compute, and was not asked to publish yet? Then it will wake nobody. */
const sparesCaller = (seat: Seat): boolean => {
  const caller = slotWord(seat.memory.layout, CALLER_SLOT);
  return callerComputes(seat) && (load(seat.words, caller + W_ATTENTION) & ATTENTION_HUNGRY) === 0;
};

/**
 * Did the caller compute lately? Then the first worker looks now and then whether it does so again: a caller that had to
 * wake someone would pay 7 us for every small `invokeSync`.
 */
function callerIsActive(seat: Seat): boolean {
  const us = nowUs();
  const calls = seat.words[C_CALLS]; // plain: a hint; a caller that finds no sentry wakes one
  if (calls !== callerSeen.calls) {
    callerSeen.calls = calls;
    callerSeen.lastUs = us;
  }
  return us - callerSeen.lastUs < SENTRY_MS * 1000;
}

/** Sleeps until woken, or for a slice. */
function rest(seat: Seat): void {
  const { words } = seat;
  const event = eventOf(seat);
  if (mustRest(seat)) {
    wakeInstead(seat);
    // A caller that ends wakes who waits for that, for 7 us: one that computes again and again would pay them each time.
    if (workAwaits(seat))
      sleep(seat, STATE_WAITING, IDLE_SLICE_MS, event, () => !mustRest(seat) || isStopping(seat)); // S6, S7
    else sleep(seat, STATE_IDLE, IDLE_SLICE_MS, event, () => isStopping(seat) || workAwaits(seat)); // S7, S2, S5
    return;
  }
  const isSentry = seat.slot === SENTRY_SLOT && !isLast(seat) && callerIsActive(seat);
  if (seat.slot === SENTRY_SLOT) store(words, C_SENTRY, isSentry ? 1 : 0); // S4: before the last look at the caller
  const look = (): boolean => {
    if (isStopping(seat) || seesWork(seat)) return true; // S7, S2
    leaveHunger(seat);
    return sparesCaller(seat);
  };
  sleep(seat, STATE_IDLE, isSentry ? SENTRY_SLICE_MS : IDLE_SLICE_MS, event, look);
}
