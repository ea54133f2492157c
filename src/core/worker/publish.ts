/**
 * Publication on demand: the older half of the private tasks becomes public when a thief has asked. Its forker takes back what
 * nobody has started.
 *
 * On a flat list whose long tasks come last, keeping one task public at all times was 1.08 times faster than one worker, and
 * publishing half on request 1.77 times. Publishing means encoding. So nothing is published while the public tasks would feed
 * every sleeper, and the thief is woken before all tasks but the first are encoded.
 */

import { isOfStack } from '../code/engine-messages.js';
import { ENDED, Forked, HANDLE_MASK, local, putForked } from '../deque/private-stack.js';
import type { OwnerDeque } from '../deque/public-deque.js';
import { unionOfDependencies } from '../job/code-dependencies.js';
import { and, load } from '../memory/atomics.js';
import { isHeapFull } from '../memory/heap.js';
import { C_SLEEPERS, REQUEST_STEAL } from '../memory/layout.js';
import { pinTo } from '../memory/pins.js';
import { OF_STACK, type Origin, setOrigin, setRace } from '../memory/record-kinds.js';
import {
  isPublic,
  NO_RECORD,
  R_BLOB,
  R_BLOB_BYTES,
  R_DEPENDENCIES,
  R_INVOCATION,
  setPublic,
  tryClaim,
} from '../memory/records.js';
import { probeStep } from '../probe.js';
import { taskAt } from '../task/call-task.js';
import { encodeTask } from '../task/codec.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { bytesOfRecord, freeBlob } from '../task/values.js';
import { MAX_PUBLISH } from '../tuning.js';
import { feedSleepers, wakeOne } from './sleep.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** A thief asks for work. */
export function publishHalf(own: WorkerSlot): void {
  const sleepers = load(own.words, C_SLEEPERS);
  if (sleepers > 0 && own.deque.size >= sleepers) return;
  const want = Math.min(MAX_PUBLISH, (local.sp - local.split + 1) >> 1);
  if (publish(own, 1) === 0) return;
  wakeOne(own.memory, thread.invocation); // the thief wakes up while the other tasks are encoded
  if (publish(own, want - 1) > 0) wakeOne(own.memory, thread.invocation); // the thief may have run the first one and sleep again
  and(own.words, own.requestsWord, ~REQUEST_STEAL); // S5: before the look for sleepers, who ask once they are registered
  feedSleepers(own);
}

/** Checked mode: everything is public as soon as it is forked. */
export function publishAll(own: WorkerSlot): void {
  if (publish(own, local.sp - local.split) > 0) wakeOne(own.memory, thread.invocation);
}

/** Publishes the `want` oldest private tasks; returns how many were published. */
function publish(own: WorkerSlot, want: number): number {
  let done = 0;
  let k = local.split;
  while (done < want && k < local.sp) {
    const item = local.stack[k];
    if (!(item instanceof Forked)) {
      if (!tryPublish(own, k, item)) break;
      done++;
    }
    k++;
  }
  local.split = k;
  return done;
}

/** The race or isolation that the task at position `k` was forked in. */
function raceAt(k: number): number {
  let { race, isolated } = thread;
  for (; isolated !== undefined && k < isolated.base; isolated = isolated.below) ({ race } = isolated);
  return race;
}

/** False when there is no record, or no room on heap or stack: then the task stays private. */
function tryPublish(own: WorkerSlot, k: number, task: object | null): boolean {
  const entry = own.records.allocate();
  if (entry === NO_RECORD) return false;
  own.deferFrees();
  const outer = pinTo(own.pins);
  const forked = new Forked(task, entry); // here: the stack must not run out between the push and the store of this
  setRace(own.words, own.records.wordOf(entry), raceAt(k));
  try {
    if (!publishRecord(own, entry, taskAt(k, task), thread.invocation, thread.dependencies)) return false;
    probeStep('publish: pushed');
    own.note('published', 1, entry);
  } catch (error) {
    if (isHeapFull(error) || isOfStack(error)) return false; // used up here and now, not by the task
    // It cannot be encoded. It fails at its own join, not in the fork that happened to publish it.
    forked.entry = ENDED;
    forked.failed = true;
    forked.value = error;
  } finally {
    pinTo(outer);
  }
  putForked(k, forked);
  return true;
}

/**
 * Encodes a task into a record of `own`, and offers it to thieves.
 *
 * @param dependencies of its job; those of its values are added
 * @param origin who has forked it
 * @param deque where it goes
 * @returns false if the deque is full
 * @throws what the encoder throws; then, and if the deque is full, the record is free again
 */
export function publishRecord(
  own: WorkerSlot,
  entry: number,
  task: ForkJoinTask<unknown>,
  invocation: number,
  dependencies: number,
  origin: Origin = OF_STACK,
  deque = own.deque,
): boolean {
  const { words, memory } = own;
  const record = own.records.wordOf(entry);
  try {
    encodeTask(memory, record, task);
    const { observer } = thread;
    if (observer !== undefined) observer.packedBytes = words[record + R_BLOB] === 0 ? 0 : words[record + R_BLOB_BYTES]; // plain: not public yet
    words[record + R_DEPENDENCIES] = unionOfDependencies(dependencies, words[record + R_DEPENDENCIES]); // plain: not public yet
    own.counters.count('encodedBytes', bytesOfRecord(memory, record));
  } catch (error) {
    freeBlob(memory, record);
    own.records.release(entry);
    throw error;
  }
  words[record + R_INVOCATION] = invocation; // plain: not public yet
  setOrigin(words, record, origin);
  probeStep('publish: encoded');
  setPublic(words, record, entry);
  probeStep('publish: public');
  if (deque.tryPush(entry)) return true;
  freeBlob(memory, record);
  own.records.release(entry);
  return false;
}

/**
 * Makes sure that the task at position `k` is private, and returns true if it is. Takes it back if it was published and
 * nobody has started it.
 */
export function reclaim(k: number): boolean {
  const item = local.stack[k];
  if (!(item instanceof Forked)) return true;
  if (item.entry === ENDED) return false;
  const own = thread.own as WorkerSlot; // a thread that has published has a slot
  if (!tryClaim(own.words, own.records.wordOf(item.entry), item.entry)) return false;
  probeStep('join: claimed');
  if (item.task === null) local.calls[k].handle &= HANDLE_MASK;
  local.stack[k] = item.task; // at once: if the stack ends in what follows, the task is still here, once
  own.note('reclaimed');
  dropRecord(own, item);
  return true;
}

/** Frees the record of a task that is home, cancelled or claimed, and pops stale entries from the bottom of the deque. */
export function dropRecord(own: WorkerSlot, holder: { entry: number }): void {
  const { entry } = holder;
  holder.entry = ENDED; // first: if the stack ends in what follows, a record is lost, but nothing is freed twice
  freeBlob(own.memory, own.records.wordOf(entry));
  probeStep('join: record to free');
  own.records.release(entry);
  trimDeque(own);
}

/** Pops stale entries from the bottom of the deque. */
export function trimDeque(own: WorkerSlot, deque: OwnerDeque = own.deque): void {
  for (;;) {
    const entry = deque.peek();
    if (entry < 0 || isPublic(own.words, own.records.wordOf(entry), entry)) return;
    deque.pop();
  }
}
