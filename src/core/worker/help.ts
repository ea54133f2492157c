/**
 * Helping: what a thread runs while it waits, and in which order it looks for that.
 *
 * A worker with an empty stack looks into its inbox first, and at roots of high priority, by turns with normal roots that have waited long. Then it
 * takes normal roots and tasks of other threads by turns: it steals from where it stole last, then from the others in turn from a random start. Then
 * comes work of low priority.
 *
 * A join runs this thread's own tasks first, then tasks of the thief that holds its task (leapfrogging: Wagner and Calder 1993). Then it steals from
 * others in its invocation, with at most four such steals nested. In a simulation of 16 workers, leapfrogging alone kept 64 to 81 % of them busy, and
 * four nested steals 75 to 93 %.
 */
import { ENDED, Forked, local, putForked } from '../deque/private-stack.js';
import { load } from '../memory/atomics.js';
import { C_LOW } from '../memory/layout.js';
import { taskAt } from '../task/call-task.js';
import { runTask } from '../task/fork-join-task.js';
import { MAX_NESTED_OWN, MAX_NESTED_STEALS } from '../tuning.js';
import { leaveSearch, stopMonitoring } from './caller-watch.js';
import { isAgedRootDue, isAgedRootFirst, isLowInvocation, timeAged } from './give-way.js';
import { nowUs } from './in-sight.js';
import { reclaim } from './publish.js';
import { requestSteal } from './requests.js';
import {
  forAddressed,
  forIdle,
  forJoin,
  hasWork,
  type Missing,
  NOTHING,
  runStolen,
  stealOrFetch,
  trySteal,
} from './steal.js';
import { invocationOf, thread, type WorkerSlot } from './worker-slot.js';

/**
 * Looks at one place for a task, and runs it; returns whether there was one, or what this thread lacks for it.
 *
 * @param thief that holds the task for which a join waits
 */
type Look = (own: WorkerSlot, thief: number) => boolean | Missing;

const addressed: Look = (own) => runFrom(own, own.inbox, forAddressed);
const highRoot: Look = (own) => runFrom(own, own.highRoots);
const normalRoot: Look = (own) => runFrom(own, own.normalRoots);
const lowRoot: Look = (own) => runFrom(own, own.lowRoots);
const normalTask: Look = (own) => runTaskOfOthers(own, load(own.words, C_LOW) > 0);
const anyTask: Look = (own) => load(own.words, C_LOW) > 0 && runTaskOfOthers(own, false);

/** All that a thread with an empty stack takes that is no helper (role.ts). */
const ADDRESSED = [addressed];
/** The order of what goes before roots of high priority. */
const FIRST = [addressed, agedRoot];
const ROOTS_FIRST = [highRoot, normalRoot, normalTask, lowRoot, anyTask];
const TASKS_FIRST = [highRoot, normalTask, normalRoot, lowRoot, anyTask];
/** The order of a join: all that brings it closer to its end, or at least its invocation. */
const FOR_JOIN = [ownNewest, taskOfThief, taskOfOthers];

/** Runs one task, the first that is found in this order; false when there is none, or what is missing for one. */
function help(own: WorkerSlot, order: readonly Look[], thief: number): boolean | Missing {
  let missing: Missing | undefined;
  for (const look of order) {
    const has = look(own, thief);
    if (has === true) return true;
    if (has !== false) missing = has;
  }
  return missing ?? false;
}

/** Runs one task that a join may run, which waits for a task of `thief`. It fetches nothing, so nothing is missing. */
export const helpInJoin = (own: WorkerSlot, thief: number): boolean => help(own, FOR_JOIN, thief) === true;

export const helpAddressed = (own: WorkerSlot): boolean | Missing => help(own, ADDRESSED, NOTHING);

/** Runs one task for a helper. Roots and tasks of normal priority take turns, so that neither waits for the end of the other. */
export function helpAny(own: WorkerSlot): boolean | Missing {
  const first = help(own, FIRST, NOTHING);
  if (first !== false) return first;
  const has = help(own, own.takesRootsFirst ? ROOTS_FIRST : TASKS_FIRST, NOTHING);
  if (has === true) own.takesRootsFirst = !own.takesRootsFirst;
  return has;
}

/** Most deques are empty. A look that comes too early does no harm: there is a last look before a thread sleeps. */
function runFrom(own: WorkerSlot, victim: number, filter = forIdle): boolean | Missing {
  if (!own.victims[victim].seemsFilled) return false;
  const found = stealOrFetch(own, victim, filter);
  if (typeof found === 'object') return found;
  if (found === NOTHING) return false;
  runAtRest(own, found);
  return true;
}

/** Runs a task on the empty stack of this thread. */
function runAtRest(own: WorkerSlot, record: number): void {
  leaveSearch(own);
  stopMonitoring(own);
  const startUs = nowUs();
  own.counters.runs(record, startUs / 1000);
  runStolen(own, record);
  own.counters.runs(0, 0);
  const endUs = nowUs();
  own.note('busyUs', endUs - startUs, record);
  own.ranMs = endUs / 1000;
}

/** True if a normal root went before one of high priority, because it has waited long, and no other has run since. */
let wasAged = false;

/** A normal root that has waited long: by turns with roots of high priority. */
function agedRoot(own: WorkerSlot): boolean | Missing {
  const isDue = !wasAged && own.victims[own.highRoots].seemsFilled && isAgedRootDue(own);
  wasAged = false;
  if (!isDue) return false;
  const has = timeAged(() => normalRoot(own, NOTHING));
  wasAged = has === true;
  return has;
}

/** Tries where it stole last, then all other public deques in turn, then ready deques. */
function runTaskOfOthers(own: WorkerSlot, sparesLow: boolean): boolean | Missing {
  const workers = own.normalRoots;
  const start = Math.floor(Math.random() * workers);
  let missing: Missing | undefined;
  for (let k = -1, count = own.victimCount; k < count; k++) {
    const victim = k < 0 ? own.lastVictim : k < workers ? (start + k) % workers : k;
    const { slot } = own.victims[victim];
    if (slot === own.slot || slot === own.normalRoots) continue;
    if (sparesLow && isLowInvocation(own, invocationOf(own.memory, slot))) continue;
    const has = runFrom(own, victim);
    if (has === true) own.lastVictim = victim;
    if (has === true) return true;
    if (has !== false) missing = has;
  }
  return missing ?? false;
}

/** Checks whether there is a root that goes before what this worker has begun and not ended. */
export const isRootFirst = (own: WorkerSlot): boolean =>
  hasWork(own, own.inbox) || hasWork(own, own.highRoots) || (own.takesRootsFirst && isAgedRootFirst(own));

/** The newest unstarted task of this thread's stack, in place, if it is of the present invocation (I1). */
function ownNewest(own: WorkerSlot): boolean {
  if (thread.nestedOwn >= MAX_NESTED_OWN || own.checked) return false;
  for (let k = local.sp - 1; k >= local.floor; k--) if (runInPlace(k)) return true;
  return false;
}

/** The oldest task of the thief that a join waits for, which is asked for more if it has none. */
function taskOfThief(own: WorkerSlot, thief: number): boolean {
  const record = thief === own.slot ? NOTHING : trySteal(own, own.victimOf(thief), forJoin);
  if (record === NOTHING) requestSteal(own, thief);
  else runStolen(own, record);
  return record !== NOTHING;
}

/** A task of another thread. */
function taskOfOthers(own: WorkerSlot, thief: number): boolean {
  if (thread.nestedSteals >= MAX_NESTED_STEALS) return false;
  for (let slot = 0, { slots } = own.memory; slot < slots; slot++) {
    if (slot === own.slot || slot === own.normalRoots || slot === thief) continue;
    const record = trySteal(own, own.victimOf(slot), forJoin);
    if (record === NOTHING) continue;
    thread.nestedSteals++;
    runStolen(own, record);
    thread.nestedSteals--;
    return true;
  }
  return false;
}

/** Runs the task at position `k` if nobody has started it, and leaves its outcome there for its join. */
export function runInPlace(k: number): boolean {
  const item = local.stack[k];
  if (item instanceof Forked && (thread.own?.checked === true || !reclaim(k))) return false;
  const forked = new Forked(local.stack[k], ENDED);
  const task = taskAt(k, forked.task);
  putForked(k, forked);
  thread.nestedOwn++;
  const strand = thread.observer?.apart(task);
  try {
    forked.value = runTask(task);
  } catch (error) {
    forked.failed = true;
    forked.value = error;
  }
  strand?.leave();
  forked.account = strand?.account();
  thread.nestedOwn--;
  if (forked.task !== null) task.$state = -1 - k; // its join finds it here
  return true;
}
