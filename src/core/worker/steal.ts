/**
 * Stealing: taking the oldest public task of another thread, and running it to its end.
 *
 * A thief reads what it needs to know (invocation, code, foreign buffers) before it commits; those reads race with the
 * owner's reuse of the record, and count only if `tryTake` then finds the generation unchanged.
 */

import { neededCodes, unionOfNeeds } from '../call/code-dependencies.js';
import { isFailed, MISSING, resolver } from '../code/resolver.js';
import { EMPTY } from '../deque/public-deque.js';
import { TaskRegistrationError } from '../errors.js';
import { add, load, notify } from '../memory/atomics.js';
import { foreignArrived } from '../memory/foreign.js';
import { C_SETTLED, C_SLEEPERS, rootsSlot } from '../memory/layout.js';
import {
  complete,
  DONE,
  FAILED,
  isPublic,
  R_CODE,
  R_FOREIGN,
  R_INVOCATION,
  R_NEEDS,
  recordOf,
  tryTake,
} from '../memory/records.js';
import { decode, encodeOutcome } from '../task/codec.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { runCall } from '../task/function-task.js';
import { cancellation, cancellationError, feedSleepers, markHungry } from './attention.js';
import { wakeSlot } from './idle.js';
import { type Seat, setInvocation, thread } from './seat.js';
import { hasStackRoom } from './stack-room.js';

/** Nothing to take there. */
export const NOTHING = -1;

/** What an idle worker must fetch before it can take the task that it saw: a code id or a foreign buffer's number. */
export const wanted = { code: -1, foreign: 0 };

/**
 * Takes the oldest task of `victim`'s that this thread can run now.
 *
 * @param invocation the only invocation whose tasks will do, or undefined for any (an idle worker)
 * @returns the first word of its record, this thread's to settle, or `NOTHING`
 */
export function trySteal(seat: Seat, victim: number, invocation?: number): number {
  const { words, memory } = seat;
  const thief = seat.victims[victim];
  for (;;) {
    const entry = thief.peek();
    if (entry === EMPTY) return NOTHING;
    const record = recordOf(memory.layout, victim, entry);
    if (!isPublic(words, record, entry)) {
      thief.tryTake(); // stale: its forker took it back
      continue;
    }
    if (invocation !== undefined && words[record + R_INVOCATION] !== invocation) return NOTHING; // plain: see header
    if (!isReady(words, record, invocation === undefined)) return NOTHING;
    if (invocation !== undefined && !hasStackRoom()) return NOTHING;
    if (thief.tryTake() && tryTake(words, record, entry, seat.slot)) {
      if (victim !== rootsSlot(memory.layout)) markHungry(seat, victim); // ahead: it may be long before it looks
      return record;
    }
    seat.counters.count('failedSteals');
  }
}

/** Has this thread all that the task needs? An idle one notes what it lacks. */
function isReady(words: Int32Array, record: number, idle: boolean): boolean {
  const missing = missingCode(words[record + R_CODE], words[record + R_NEEDS]);
  if (missing >= 0) {
    if (idle) wanted.code = missing;
    return false;
  }
  const foreign = words[record + R_FOREIGN];
  if (foreignArrived(foreign)) return true;
  if (idle) wanted.foreign = foreign;
  return false;
}

function missingCode(code: number, needs: number): number {
  const codes = resolver();
  if (codes.tryResolve(code) === MISSING) return code;
  if (needs === 0) return -1;
  return neededCodes(needs).find((id) => codes.tryResolve(id) === MISSING) ?? -1;
}

/** Could `victim` have a task for this thread? The last look before sleeping. */
export function hasWork(seat: Seat, victim: number, invocation?: number): boolean {
  const entry = seat.victims[victim].peek();
  if (entry === EMPTY || invocation === undefined) return entry !== EMPTY;
  const { words, memory } = seat;
  const record = recordOf(memory.layout, victim, entry);
  if (!isPublic(words, record, entry)) return true; // stale: to be cleared away
  return words[record + R_INVOCATION] === invocation && isReady(words, record, false);
}

/** Runs a taken task in this thread's own copy, settles its record, and wakes its forker if that sleeps. */
export function runStolen(seat: Seat, record: number): void {
  const { words, memory } = seat;
  const outer = thread.invocation;
  const outerNeeds = thread.needs;
  const invocation = words[record + R_INVOCATION];
  const isRoot = memory.slotOf(record) === rootsSlot(memory.layout);
  seat.counters.count(isRoot ? 'roots' : 'stolen');
  setInvocation(seat, invocation); // S5: before the look for sleepers
  if (load(words, C_SLEEPERS) > 0) feedSleepers(seat);
  let task: ForkJoinTask<unknown> | null = null;
  let failed = false;
  let value: unknown;
  try {
    const reason = cancellation(seat);
    if (reason !== 0) throw cancellationError(reason);
    thread.needs = unionOfNeeds(outerNeeds, words[record + R_NEEDS]);
    const code = resolver().tryResolve(words[record + R_CODE]);
    if (code === MISSING)
      throw new TaskRegistrationError('furcate: the code of a task was dropped after it was loaded.');
    if (isFailed(code)) throw new TaskRegistrationError(code.failure);
    const decoded = decode(memory, record, code.kind, code.value, code.index);
    task = decoded.task;
    value = task === null ? runCall(decoded.index, decoded.args as unknown[]) : runTask(task);
  } catch (error) {
    failed = true;
    value = error;
  }
  const normal = encodeOutcome(memory, record, task, failed, value);
  const forkerSleeps = complete(words, record, normal ? DONE : FAILED);
  setInvocation(seat, outer);
  thread.needs = outerNeeds;
  if (isRoot) {
    add(words, C_SETTLED, 1); // S8: after the record is settled
    notify(words, C_SETTLED);
  } else if (forkerSleeps) wakeSlot(memory, memory.slotOf(record));
}
