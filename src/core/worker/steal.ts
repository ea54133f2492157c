/**
 * Stealing: taking the oldest public task of another thread, and running it to its end.
 *
 * Before a thief takes a record, it reads the invocation, the code and the external buffers in it. These reads race with the
 * owner's reuse of the record. They count only if `tryTake` then finds the generation unchanged.
 */

import { codesOfWord, unionOfDependencies } from '../call/code-dependencies.js';
import { isFailed, MISSING, resolver } from '../code/resolver.js';
import { EMPTY } from '../deque/public-deque.js';
import { TaskRegistrationError } from '../errors.js';
import { add, notify } from '../memory/atomics.js';
import { externalArrived } from '../memory/external-buffers.js';
import { C_SETTLED, rootsSlot } from '../memory/layout.js';
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
import { cancellation, cancellationError, requestSteal } from './requests.js';
import { feedSleepers, wakeSlot } from './sleep.js';
import { hasStackRoom } from './stack-room.js';
import { setInvocation, thread, type WorkerSlot } from './worker-slot.js';

/** Nothing to take there. */
export const NOTHING = -1;

/** What a thread must fetch before it can take the task that it saw: code, by its id, or external buffers up to a number. */
export type Missing = { readonly code: number } | { readonly external: number };

/**
 * Takes the oldest public task of `victim`, for an idle worker.
 *
 * @returns the first word of the task's record, which this thread now has to settle; `NOTHING`; or what the thread must fetch
 *   before it can run the task
 */
export function trySteal(own: WorkerSlot, victim: number): number | Missing;
/**
 * Takes the oldest public task of `victim`, for a join: only if the task belongs to its invocation, and can be run now.
 *
 * @returns the first word of the task's record, which this thread now has to settle, or `NOTHING`
 */
export function trySteal(own: WorkerSlot, victim: number, invocation: number | undefined): number;
export function trySteal(own: WorkerSlot, victim: number, invocation?: number): number | Missing {
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
    const missing = missingFor(words, record);
    if (missing !== undefined) return invocation === undefined ? missing : NOTHING;
    if (invocation !== undefined && !hasStackRoom()) return NOTHING;
    if (thief.tryTake() && tryTake(words, record, entry, own.slot)) {
      if (victim !== rootsSlot(memory.layout)) requestSteal(own, victim); // ahead of need: it may be long before the victim looks
      return record;
    }
    own.counters.count('failedSteals');
  }
}

/** What this thread lacks for a task. */
function missingFor(words: Int32Array, record: number): Missing | undefined {
  const codes = resolver();
  const code = words[record + R_CODE];
  if (codes.tryResolve(code) === MISSING) return { code };
  const dependencies = words[record + R_DEPENDENCIES];
  const other =
    dependencies === 0 ? undefined : codesOfWord(dependencies).find((id) => codes.tryResolve(id) === MISSING);
  if (other !== undefined) return { code: other };
  const external = words[record + R_EXTERNAL];
  return externalArrived(external) ? undefined : { external };
}

/** Could `victim` have a task for this thread? */
export function hasWork(own: WorkerSlot, victim: number, invocation?: number): boolean {
  const entry = own.victims[victim].peek();
  if (entry === EMPTY || invocation === undefined) return entry !== EMPTY;
  const { words, memory } = own;
  const record = recordOf(memory.layout, victim, entry);
  if (!isPublic(words, record, entry)) return true; // stale: somebody has to remove it
  return words[record + R_INVOCATION] === invocation && missingFor(words, record) === undefined;
}

/** Runs this thread's own copy of a taken task, settles its record, and wakes its forker if the forker sleeps. */
export function runStolen(own: WorkerSlot, record: number): void {
  const { words, memory } = own;
  const outer = thread.invocation;
  const outerDependencies = thread.dependencies;
  const invocation = words[record + R_INVOCATION];
  const isRoot = memory.slotOf(record) === rootsSlot(memory.layout);
  own.counters.count(isRoot ? 'roots' : 'stolen');
  setInvocation(own, invocation); // S5: before the look for sleepers
  feedSleepers(own);
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
    task = decode(memory, record, code);
    value = runTask(task);
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
