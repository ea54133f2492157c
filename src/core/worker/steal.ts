/**
 * Stealing: taking the oldest public task of another thread, and running it to its end.
 *
 * A thief reads what it needs to know (invocation, code, external buffers) before it commits; those reads race with the
 * owner's reuse of the record, and count only if `tryTake` then finds the generation unchanged.
 */

import { codesOfWord, unionOfDependencies } from '../call/code-dependencies.js';
import { isFailed, MISSING, resolver } from '../code/resolver.js';
import { EMPTY } from '../deque/public-deque.js';
import { TaskRegistrationError } from '../errors.js';
import { add, load, notify } from '../memory/atomics.js';
import { externalArrived } from '../memory/external-buffers.js';
import { C_SETTLED, C_SLEEPERS, rootsSlot } from '../memory/layout.js';
import {
  complete,
  DONE,
  FAILED,
  isPublic,
  R_CODE,
  R_DEPENDENCIES,
  R_EXTERNAL,
  R_INVOCATION,
  recordOf,
  tryTake,
} from '../memory/records.js';
import { decode, encodeOutcome } from '../task/codec.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { runCall } from '../task/function-task.js';
import { cancellation, cancellationError, feedSleepers, requestSteal } from './requests.js';
import { wakeSlot } from './sleep.js';
import { hasStackRoom } from './stack-room.js';
import { setInvocation, thread, type WorkerSlot } from './worker-slot.js';

/** Nothing to take there. */
export const NOTHING = -1;

/** What an idle worker must fetch before it can take the task that it saw: a code id or a external buffer's number. */
export const wanted = { code: -1, external: 0 };

/**
 * Takes the oldest task of `victim`'s that this thread can run now.
 *
 * @param invocation the only invocation whose tasks will do, or undefined for any (an idle worker)
 * @returns the first word of its record, this thread's to settle, or `NOTHING`
 */
export function trySteal(own: WorkerSlot, victim: number, invocation?: number): number {
  const { words, memory } = own;
  const thief = own.victims[victim];
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
    if (thief.tryTake() && tryTake(words, record, entry, own.slot)) {
      if (victim !== rootsSlot(memory.layout)) requestSteal(own, victim); // ahead: it may be long before it looks
      return record;
    }
    own.counters.count('failedSteals');
  }
}

/** Has this thread all that the task needs? An idle one notes what it lacks. */
function isReady(words: Int32Array, record: number, idle: boolean): boolean {
  const missing = missingCode(words[record + R_CODE], words[record + R_DEPENDENCIES]);
  if (missing >= 0) {
    if (idle) wanted.code = missing;
    return false;
  }
  const external = words[record + R_EXTERNAL];
  if (externalArrived(external)) return true;
  if (idle) wanted.external = external;
  return false;
}

function missingCode(code: number, dependencies: number): number {
  const codes = resolver();
  if (codes.tryResolve(code) === MISSING) return code;
  if (dependencies === 0) return -1;
  return codesOfWord(dependencies).find((id) => codes.tryResolve(id) === MISSING) ?? -1;
}

/** Could `victim` have a task for this thread? The last look before sleeping. */
export function hasWork(own: WorkerSlot, victim: number, invocation?: number): boolean {
  const entry = own.victims[victim].peek();
  if (entry === EMPTY || invocation === undefined) return entry !== EMPTY;
  const { words, memory } = own;
  const record = recordOf(memory.layout, victim, entry);
  if (!isPublic(words, record, entry)) return true; // stale: to be cleared away
  return words[record + R_INVOCATION] === invocation && isReady(words, record, false);
}

/** Runs a taken task in this thread's own copy, settles its record, and wakes its forker if that sleeps. */
export function runStolen(own: WorkerSlot, record: number): void {
  const { words, memory } = own;
  const outer = thread.invocation;
  const outerDependencies = thread.dependencies;
  const invocation = words[record + R_INVOCATION];
  const isRoot = memory.slotOf(record) === rootsSlot(memory.layout);
  own.counters.count(isRoot ? 'roots' : 'stolen');
  setInvocation(own, invocation); // S5: before the look for sleepers
  if (load(words, C_SLEEPERS) > 0) feedSleepers(own);
  let task: ForkJoinTask<unknown> | null = null;
  let failed = false;
  let value: unknown;
  try {
    const reason = cancellation(own);
    if (reason !== 0) throw cancellationError(reason);
    thread.dependencies = unionOfDependencies(outerDependencies, words[record + R_DEPENDENCIES]);
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
  setInvocation(own, outer);
  thread.dependencies = outerDependencies;
  if (isRoot) {
    add(words, C_SETTLED, 1); // S8: after the record is settled
    notify(words, C_SETTLED);
  } else if (forkerSleeps) wakeSlot(memory, memory.slotOf(record));
}
