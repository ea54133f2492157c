/**
 * `blocking`: a section of a synchronous task that blocks its thread, while another thread computes in its place; runs on every thread.
 *
 * Source: Java's `ForkJoinPool.ManagedBlocker`. Ours needs no second method that says whether blocking is necessary.
 */

import { isLoading } from '../../core/code/main-module.js';
import { local } from '../../core/deque/private-stack.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { publishParts } from '../../core/library/parts.js';
import { add, and, load, or, store, sub } from '../../core/memory/atomics.js';
import {
  C_BLOCKED,
  C_CALLER_COMPUTES,
  C_SPARES,
  CALLER_SLOT,
  REQUEST_PUBLISH,
  spareSlot,
} from '../../core/memory/layout.js';
import { probeStep } from '../../core/probe.js';
import { inspect } from '../../core/task/slow-paths.js';
import type { Synchronous } from '../../core/task/synchronous.js';
import { within } from '../../core/worker/activation.js';
import { hooks } from '../../core/worker/extension.js';
import { isAwaiting } from '../../core/worker/place.js';
import { publishAll } from '../../core/worker/publish.js';
import { serveRequests } from '../../core/worker/requests.js';
import { isComputing } from '../../core/worker/scheduler.js';
import { wakeLast, wakeSlot } from '../../core/worker/sleep.js';
import { thread, type WorkerSlot } from '../../core/worker/worker-slot.js';

/** True while this thread is in a blocking section. */
let isBlocked = false;

/**
 * Runs a function that blocks its thread: `execFileSync`, synchronous file access, `Atomics.wait`, a native add-on. Meanwhile a spare
 * thread of the pool computes in its place, and takes the tasks that this one has forked. Outside of a pool, it only calls the function.
 *
 * For synchronous tasks. An asynchronous task awaits instead.
 *
 * @param fn called once, at once, on this thread; synchronous. It may fork and join
 * @returns what `fn` returns
 * @throws what `fn` throws; TypeError if it returns a promise, or is no function; Error in an asynchronous task; CancellationError,
 *   before `fn` is called, if the invocation is cancelled;
 *   RangeError, before `fn` is called, if the shared heap is full. Nothing ends a call of `fn` that has begun
 * @example
 * export const sizeOf = forkable(import.meta.url, 'sizeOf', (path: string): number => {
 *   const { statSync } = process.getBuiltinModule('node:fs');
 *   return blocking(() => statSync(path).size);
 * });
 */
export function blocking<R>(fn: () => Synchronous<R>): R {
  refuseRevoked(fn, 'fn of blocking()');
  if (typeof fn !== 'function') {
    throw new TypeError(`furcate: blocking() takes a function, and calls it; it was given ${show(fn)}.`);
  }
  if (isAwaiting() && !isLoading()) {
    throw new Error(
      'furcate: blocking() in an asynchronous task, whose thread must not block. Await instead, or fork a synchronous task that calls it.',
    );
  }
  const { own } = thread;
  const result = own === null || isBlocked || !isComputing() ? fn() : runBlocked(own, fn);
  inspect(result, () => 'the function given to blocking()');
  return result as R;
}

function runBlocked(own: WorkerSlot, fn: () => unknown): unknown {
  publishParts(); // the owner and the spare may not have this part; first: it throws if the heap is full
  // A cancelled invocation does not begin to block. No checkpoint: a root that the thread gave way to might wait for what lies below it.
  if (local.requests[0] !== 0) serveRequests();
  hooks.feed(own, true);
  publishAll(own);
  if (thread.below !== undefined) within(thread.below, () => publishAll(own));
  if (!own.checked) or(own.words, own.requestsWord, REQUEST_PUBLISH); // what `fn` forks
  probeStep('spare: tasks published');
  isBlocked = true;
  const resume = own.slot === CALLER_SLOT ? lendCaller(own) : lendWorker(own);
  try {
    return fn();
  } finally {
    resume();
    isBlocked = false;
    if (!own.checked) and(own.words, own.requestsWord, ~REQUEST_PUBLISH);
  }
}

/** Lets a spare compute in the place of this worker; returns what ends that. */
function lendWorker({ words, memory, onBlocked }: WorkerSlot): () => void {
  const { layout } = memory;
  const number = add(words, C_BLOCKED, 1) + 1; // S10: before the spare is woken. S11: before the look whether it is there
  probeStep('spare: thread counted');
  if (number <= load(words, C_SPARES)) wakeSlot(memory, spareSlot(layout, number));
  else if (number <= layout.maxSpares) onBlocked(number);
  return () => {
    probeStep('spare: section ended');
    const last = sub(words, C_BLOCKED, 1);
    if (last <= load(words, C_SPARES)) wakeSlot(memory, spareSlot(layout, last)); // if it is idle, it begins to rest
  };
}

/** See `Hooks.lend`. */
export function lend(own: WorkerSlot): (() => void) | undefined {
  const { words, memory } = own;
  try {
    publishParts();
  } catch {
    return undefined; // the heap is full
  }
  const resume = lendWorker(own);
  if (load(words, C_BLOCKED) <= memory.layout.maxSpares) return resume;
  resume();
  return undefined;
}

/** Lets the last worker compute in the place of the caller, for which it makes room otherwise. */
function lendCaller({ words, memory }: WorkerSlot): () => void {
  store(words, C_CALLER_COMPUTES, 0); // S6: before the look at the last worker's state
  wakeLast(memory);
  return () => store(words, C_CALLER_COMPUTES, 1);
}
