/**
 * Roots that do not wait until a worker's stack is empty: one of high priority; one that has waited long; and, while this worker runs
 * an invocation of low priority, any other.
 *
 * The owner of the pool pushes such a root, then sets `REQUEST_ROOT` of all workers. A join, a block of an algorithm or a checkpoint
 * that sees the request runs the root on top of the worker's stack, one level deep. A fork never does: its task would wait.
 */
import { local } from '../deque/private-stack.js';
import { and, load, or } from '../memory/atomics.js';
import { C_AGED, REQUEST_CANCEL, REQUEST_ROOT } from '../memory/layout.js';
import { isIsolation, isLowRoot, rootOf } from '../memory/record-kinds.js';
import { host } from '../platform/host.js';
import { AGED_MS } from '../tuning.js';
import { enter, leave } from './activation.js';
import { forGivingWay, NOTHING, runStolen, trySteal } from './steal.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/**
 * Roots that have waited long get half of this worker's time: how long they ran since their last pause, and when the present pause is over
 * (milliseconds).
 */
let agedRanMs = 0;
let pausedUntilMs = 0;

/** Runs roots that should not wait, if there are any. For a thread that may run something else now. */
export function giveWayIfAsked(): void {
  if ((local.requests[0] & REQUEST_ROOT) !== 0 && mayGiveWay(thread.own)) giveWay(thread.own);
}

/** Returns true if this worker is asked to give way, and may do so. */
export const mustGiveWay = (): boolean =>
  (local.requests[0] & REQUEST_ROOT) !== 0 && thread.below === undefined && mayGiveWay(thread.own);

/** A task in an isolation waits for nothing else than what was forked in it. */
const mayGiveWay = (own: WorkerSlot | null): own is WorkerSlot => own !== null && !isIsolation(own.words, thread.race);

function giveWay(own: WorkerSlot): void {
  and(own.words, own.requestsWord, ~REQUEST_ROOT); // S9: before the look; a root that is pushed later sets it again
  if (thread.below !== undefined) return; // the look that has led here goes on
  const isLow = isLowInvocation(own, thread.invocation);
  let hasRun: boolean;
  do {
    hasRun = runRoot(own, own.highRoots) || (isLow && runRoot(own, own.normalRoots));
    hasRun = runAged(own) || hasRun;
  } while (hasRun);
}

/** Runs a root that has waited long on top of this thread's stack; false if there is none, or if it is not its turn. */
function runAged(own: WorkerSlot): boolean {
  return isAgedRootDue(own) && timeAged(() => runRoot(own, own.normalRoots));
}

/** Runs a root that has waited long, and counts its time. After some of it, the worker does something else for as long. */
export function timeAged<T>(run: () => T): T {
  const startMs = host().nowMs();
  const outcome = run();
  const endMs = host().nowMs();
  agedRanMs += endMs - startMs;
  if (agedRanMs < AGED_MS) return outcome;
  pausedUntilMs = endMs + agedRanMs;
  agedRanMs = 0;
  return outcome;
}

/** Returns true if it is the turn of a root that has waited long. */
export const isAgedRootDue = (own: WorkerSlot): boolean => isAgedRootFirst(own) && host().nowMs() >= pausedUntilMs;

/** Checks whether the first of the normal roots has waited so long that it counts as high. */
export function isAgedRootFirst(own: WorkerSlot): boolean {
  const roots = own.victims[own.normalRoots];
  return roots.peek() >= 0 && roots.isBefore(load(own.words, C_AGED));
}

/** Takes a root and runs it on top of this thread's stack; false if there is none. */
function runRoot(own: WorkerSlot, victim: number): boolean {
  const record = trySteal(own, victim, forGivingWay);
  if (record === NOTHING) return false;
  const below = enter(own, thread.pool);
  thread.below = below;
  runStolen(own, record);
  leave(below);
  or(own.words, own.requestsWord, REQUEST_CANCEL); // C1: the root may have cleared a request to the invocation below
  return true;
}

/** Checks whether an invocation is of low priority. */
export const isLowInvocation = ({ words, memory }: WorkerSlot, invocation: number): boolean =>
  invocation >= 0 && isLowRoot(words, rootOf(memory.layout, invocation));
