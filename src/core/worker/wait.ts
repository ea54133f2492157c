/** Waiting for a published task that another thread runs, and helping meanwhile (help.ts). */

import { type Forked, local } from '../deque/private-stack.js';
import { WorkerCrashError } from '../errors.js';
import { and, or } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { REQUEST_PUBLISH, REQUEST_STEAL, STATE_JOINING, STATE_WAITING } from '../memory/layout.js';
import { FAILED, isPublic, isTaken, STATE_MASK, stateOf, thiefIn, tryAwait, tryTake } from '../memory/records.js';
import type { Account } from '../observe/observer.js';
import { probeStep } from '../probe.js';
import { decodeOutcome } from '../task/codec.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { requireStackRoom } from '../task/stack-end.js';
import { JOIN_SLICE_MS, MAX_NESTED_CHECKED, MAX_NESTED_STEALS } from '../tuning.js';
import { giveWayIfAsked, mustGiveWay } from './give-way.js';
import { helpInJoin } from './help.js';
import { hasIdle } from './in-sight.js';
import { takeAccount } from './observe.js';
import { dropRecord, publishHalf, trimDeque } from './publish.js';
import { requestSteal } from './requests.js';
import { eventOf, sleep, wakeOne } from './sleep.js';
import { forJoin, hasWork, runStolen } from './steal.js';
import { invocationOf, thread, type WorkerSlot } from './worker-slot.js';

/** Looks of a join at its task, and for something to help with, before it sleeps. */
const JOIN_SPINS = 200;

/** Spins, and then sleeps of a millisecond, for which a join in checked mode leaves its task to other workers. */
const CHECKED_SPINS = 1000;
const CHECKED_SLEEPS = 10;

/** Waits until a published task is done, helping meanwhile, and brings its outcome home. */
export function awaitResult(own: WorkerSlot, forked: Forked): void {
  const record = own.records.wordOf(forked.entry);
  if (own.checked) runOwnChecked(own, forked, record);
  awaitTaken(own, record);
  probeStep('join: task completed');
  Object.assign(forked, outcomeOf(own.memory, record, forked.task as ForkJoinTask<unknown> | null));
  dropRecord(own, forked);
}

/** The outcome of a task: its result, or what it threw. */
export interface TaskOutcome {
  readonly failed: boolean;
  readonly value: unknown;
  /** Its cost, if that was observed. */
  readonly account?: Account | undefined;
}

/** Brings the outcome of a completed record home. It is a failure, too, if it cannot be decoded: an array may be freed by now. */
export function outcomeOf(memory: ControlMemory, record: number, task: ForkJoinTask<unknown> | null): TaskOutcome {
  const account = takeAccount(memory, record);
  try {
    return { failed: stateOf(memory.words, record) === FAILED, value: decodeOutcome(memory, record, task), account };
  } catch (error) {
    return { failed: true, value: error, account };
  }
}

/**
 * Checked mode: returns true if this thread may run one more decoded copy on its stack. If not, its task is run as it is.
 */
export const mayRunChecked = (): boolean => thread.nestedOwn < MAX_NESTED_CHECKED;

/** Checked mode: leaves the task to another worker while one is free, and otherwise runs a decoded copy here. */
function runOwnChecked(own: WorkerSlot, forked: Forked, record: number): void {
  const { words } = own;
  for (let spins = 0; isPublic(words, record, forked.entry); spins++) {
    // Bounded, because the free worker may lack the code of this task, and cannot load it inside a join.
    const isSomeoneFree = hasIdle(own);
    if (isSomeoneFree && spins < CHECKED_SPINS) continue;
    if (isSomeoneFree && spins < CHECKED_SPINS + CHECKED_SLEEPS) {
      wakeOne(own.memory, thread.invocation);
      sleep(own, STATE_WAITING, 1, eventOf(own), () => !isPublic(words, record, forked.entry)); // makes room for the other worker
    } else {
      requireStackRoom();
      if (!tryTake(words, record, forked.entry, own.slot)) continue;
      trimDeque(own); // or the body would count its own entry as a queued task
      thread.nestedOwn++;
      if (!mayRunChecked()) and(words, own.requestsWord, ~REQUEST_PUBLISH); // what is forked in it stays private, and takes less of the stack
      runStolen(own, record);
      if (!mayRunChecked()) or(words, own.requestsWord, REQUEST_PUBLISH);
      thread.nestedOwn--;
    }
  }
}

/** Returns when the thief has completed the record. */
function awaitTaken(own: WorkerSlot, record: number): void {
  const { words } = own;
  for (;;) {
    const state = stateOf(words, record);
    if (!isTaken(state)) return;
    giveWayIfAsked();
    const thief = thiefIn(state & STATE_MASK);
    if (!helpInJoin(own, thief)) {
      feedIfAsked(own);
      if (!spin(own, record, thief)) sleepUntil(own, record, thief);
    }
    if (own.memory.hasCrashed) throw new WorkerCrashError('furcate: a worker of the pool crashed.');
  }
}

/** Publishes for thieves what is nested too deep to be run here. */
function feedIfAsked(own: WorkerSlot): void {
  if (local.split < local.sp && (local.requests[0] & REQUEST_STEAL) !== 0) publishHalf(own);
}

/** Spins for a moment; true if there may be something to do. Small, so that V8 compiles it soon (see search.ts). */
function spin(own: WorkerSlot, record: number, thief: number): boolean {
  for (let k = 0; k < JOIN_SPINS; k++) {
    if (mayGoOn(own, record, thief)) return true;
    feedIfAsked(own);
  }
  return false;
}

/** Returns true if the join is over, or can help. */
function mayGoOn(own: WorkerSlot, record: number, thief: number): boolean {
  const { words, memory } = own;
  if (!isTaken(stateOf(words, record)) || memory.hasCrashed || mustGiveWay()) return true;
  probeStep('join: about to sleep');
  const canHelp = thread.nestedSteals < MAX_NESTED_STEALS;
  for (let slot = 0, { slots } = memory; slot < slots; slot++) {
    if (slot === own.slot || slot === own.normalRoots || !(canHelp || slot === thief)) continue;
    if (hasWork(own, own.victimOf(slot), forJoin)) return true;
  }
  return false;
}

function sleepUntil(own: WorkerSlot, record: number, thief: number): void {
  const event = eventOf(own); // S1: before the forker says that it waits
  if (!tryAwait(own.words, record)) return; // P3
  const state = thread.nestedSteals < MAX_NESTED_STEALS ? STATE_JOINING : STATE_WAITING;
  sleep(own, state, JOIN_SLICE_MS, event, () => lastLook(own, record, thief, state));
  own.onSlice();
}

/** The last look of a join, once it is registered as a sleeper. */
function lastLook(own: WorkerSlot, record: number, thief: number, state: number): boolean {
  if (mayGoOn(own, record, thief)) return true;
  if (state === STATE_JOINING) askOthers(own); // S5: once registered; who has published before may not have seen this sleeper
  return false;
}

/** Asks the threads whose tasks this join may run to publish some. */
function askOthers(own: WorkerSlot): void {
  for (let slot = 0, { slots } = own.memory; slot < slots; slot++)
    if (slot !== own.slot && invocationOf(own.memory, slot) === thread.invocation) requestSteal(own, slot);
}
