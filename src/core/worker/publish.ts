/**
 * Publication on demand: the older half of the private tasks becomes public when a thief has asked.
 *
 * Keeping one task public at all times was 1.08 times faster than one worker on a flat list whose long tasks come
 * last; half on request was 1.77 in the prototype. Publishing means encoding, so nothing is published while what is
 * public already would feed every sleeper, and the thief is woken before the rest is encoded.
 */

import { unionOfDependencies } from '../call/code-dependencies.js';
import { Forked, local, NOT_PRIVATE, SETTLED } from '../deque/private-stack.js';
import { and, load, or } from '../memory/atomics.js';
import { isHeapFull } from '../memory/heap.js';
import { C_SLEEPERS, REQUEST_STEAL } from '../memory/layout.js';
import { NO_RECORD, R_DEPENDENCIES, R_INVOCATION, setPublic } from '../memory/records.js';
import { encodeCall, encodeTask } from '../task/codec.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { argumentsOf } from '../task/function-task.js';
import { freeBlob } from '../task/values.js';
import { MAX_PUBLISH } from '../tuning.js';
import { wakeOne } from './sleep.js';
import { isStackOverflow } from './stack-room.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** A thief asks for work. */
export function publishHalf(own: WorkerSlot): void {
  const sleepers = load(own.words, C_SLEEPERS);
  if (sleepers > 0 && own.deque.size >= sleepers) return;
  const want = Math.min(MAX_PUBLISH, (local.sp - local.split + 1) >> 1);
  if (publish(own, 1) === 0) return;
  wakeOne(own.memory, thread.invocation); // the thief gets up while the rest is encoded
  if (publish(own, want - 1) > 0) wakeOne(own.memory, thread.invocation); // it may have run the first and slept again
  and(own.words, own.requestsWord, ~REQUEST_STEAL); // S5: before the look for sleepers, who ask once they are registered
  if (load(own.words, C_SLEEPERS) > 0) or(own.words, own.requestsWord, REQUEST_STEAL);
}

/** Checked mode: everything is public as soon as it is forked. */
export function publishAll(own: WorkerSlot): void {
  if (publish(own, local.sp - local.split) > 0) wakeOne(own.memory, thread.invocation);
}

/** Publishes the `want` oldest private tasks; returns how many it could. */
function publish(own: WorkerSlot, want: number): number {
  let done = 0;
  let k = local.split;
  while (done < want && k < local.sp) {
    const item = local.stack[k];
    if (!(item instanceof Forked)) {
      if (!tryPublish(own, k, item as ForkJoinTask<unknown> | null)) break;
      done++;
    }
    k++;
  }
  local.split = k;
  return done;
}

/** False when there is no record, or no room on heap or stack: the task then stays private. */
function tryPublish(own: WorkerSlot, k: number, task: ForkJoinTask<unknown> | null): boolean {
  const entry = own.records.allocate();
  if (entry === NO_RECORD) return false;
  const record = own.records.wordOf(entry);
  own.deferFrees();
  let dependencies: number;
  const forked = new Forked(task, entry); // here, since nothing may run out of stack between the push and its store
  try {
    if (task === null) encodeCall(own.memory, record, local.fn[k] >> 3, argumentsOf(k));
    else encodeTask(own.memory, record, task);
    dependencies = unionOfDependencies(thread.dependencies, own.words[record + R_DEPENDENCIES]); // of its job, and of its values
  } catch (error) {
    own.records.release(entry);
    if (isHeapFull(error) || isStackOverflow(error)) return false; // used up here and now: no fault of the task's
    poison(k, task, error);
    return true;
  }
  own.words[record + R_INVOCATION] = thread.invocation; // plain: not public yet
  own.words[record + R_DEPENDENCIES] = dependencies;
  setPublic(own.words, record, entry);
  if (!own.deque.tryPush(entry)) {
    freeBlob(own.memory, record);
    own.records.release(entry);
    return false;
  }
  if (task === null) local.handles[k] |= NOT_PRIVATE;
  local.stack[k] = forked;
  own.counters.count('published');
  return true;
}

/** A task that cannot be encoded fails at its own join, not in the fork that happened to publish it. */
function poison(k: number, task: ForkJoinTask<unknown> | null, error: unknown): void {
  const forked = new Forked(task, SETTLED);
  forked.failed = true;
  forked.value = error;
  if (task === null) local.handles[k] |= NOT_PRIVATE;
  local.stack[k] = forked;
}
