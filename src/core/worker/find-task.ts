/**
 * Finds what a worker with an empty stack takes next.
 *
 * It looks into its inbox first, and at roots of high priority, by turns with normal roots that have waited long. Then it takes normal
 * roots and tasks of other threads by turns: it steals from where it stole last, then from the others in turn from a random start. Then
 * comes work of low priority.
 */
import { load } from '../memory/atomics.js';
import { C_LOW } from '../memory/layout.js';
import { agedHasRun, isAgedRootDue, isAgedRootFirst, isLowInvocation } from './give-way.js';
import { forAddressed, forIdle, hasWork, type Missing, NOTHING, stealOrFetch } from './steal.js';
import { invocationOf, type WorkerSlot } from './worker-slot.js';

type Look = (own: WorkerSlot) => number | Missing;
const highRoot: Look = (own) => tryTakeFrom(own, own.highRoots);
const normalRoot: Look = (own) => tryTakeFrom(own, own.normalRoots);
const lowRoot: Look = (own) => tryTakeFrom(own, own.lowRoots);
const normalTask: Look = (own) => stealTask(own, load(own.words, C_LOW) > 0);
const anyTask: Look = (own) => (load(own.words, C_LOW) > 0 ? stealTask(own, false) : NOTHING);

const ROOTS_FIRST = [highRoot, normalRoot, normalTask, lowRoot, anyTask];
const TASKS_FIRST = [highRoot, normalTask, normalRoot, lowRoot, anyTask];

/** Most deques are empty. A look that comes too early does no harm: there is a last look before a thread sleeps. */
const tryTakeFrom = (own: WorkerSlot, victim: number, filter = forIdle): number | Missing =>
  own.victims[victim].seemsFilled ? stealOrFetch(own, victim, filter) : NOTHING;

/** True if the task taken last is a normal root that went before one of high priority, because it has waited long. */
let isAged = false;

/** Takes what was sent to this thread: all that a thread takes that is no helper (role.ts). */
export const findAddressed: Look = (own) => tryTakeFrom(own, own.inbox, forAddressed);

/** Takes what goes before roots of high priority: a call for this worker, or, by turns with them, a normal root that has waited long. */
function takeFirst(own: WorkerSlot): number | Missing {
  const takesAged = !isAged && own.victims[own.highRoots].seemsFilled && isAgedRootDue(own);
  isAged = false;
  const addressed = findAddressed(own);
  if (addressed !== NOTHING || !takesAged) return addressed;
  const found = normalRoot(own);
  isAged = typeof found === 'number' && found !== NOTHING;
  return found;
}

/** To be told when the task that `findTask` gave has run. */
export function foundHasRun(fromMs: number, toMs: number): void {
  if (isAged) agedHasRun(fromMs, toMs);
}

/** Looks for work in the order of priority. Roots and tasks of normal priority take turns, so that neither waits for the end of the other. */
export function findTask(own: WorkerSlot): number | Missing {
  const first = takeFirst(own);
  if (first !== NOTHING) return first;
  let missing: Missing | undefined;
  for (const look of own.takesRootsFirst ? ROOTS_FIRST : TASKS_FIRST) {
    const found = look(own);
    if (typeof found === 'object') missing = found;
    else if (found !== NOTHING) {
      own.takesRootsFirst = !own.takesRootsFirst;
      return found;
    }
  }
  return missing ?? NOTHING;
}

/** Tries where it stole last, then all other public deques in turn, then ready deques. */
function stealTask(own: WorkerSlot, sparesLow: boolean): number | Missing {
  const workers = own.normalRoots;
  const start = Math.floor(Math.random() * workers);
  let missing: Missing | undefined;
  for (let k = -1, count = own.victimCount; k < count; k++) {
    const victim = k < 0 ? own.lastVictim : k < workers ? (start + k) % workers : k;
    const { slot } = own.victims[victim];
    if (slot === own.slot || slot === own.normalRoots) continue;
    if (sparesLow && isLowInvocation(own, invocationOf(own.memory, slot))) continue;
    const found = tryTakeFrom(own, victim);
    if (typeof found === 'object') missing = found;
    else if (found !== NOTHING) {
      own.lastVictim = victim;
      return found;
    }
  }
  return missing ?? NOTHING;
}

/** Checks whether there is a root that goes before what this worker has begun and not ended. */
export const isRootFirst = (own: WorkerSlot): boolean =>
  hasWork(own, own.inbox) || hasWork(own, own.highRoots) || (own.takesRootsFirst && isAgedRootFirst(own));
