/** `invokeSync`: the owner of the pool computes in the caller's slot, and its workers steal from it; runs on the owner. */
import { and, load, store } from '../memory/atomics.js';
import { C_CALLER_COMPUTES, C_CALLS, C_MONITOR, REQUEST_STEAL } from '../memory/layout.js';
import { openCallersRoot } from '../memory/record-kinds.js';
import { NO_RECORD } from '../memory/records.js';
import { attach, enter, leave } from '../worker/activation.js';
import { observedApart, observerOf } from '../worker/observe.js';
import { wakeHelper, wakeLast } from '../worker/sleep.js';
import type { PoolView } from '../worker/worker-slot.js';
import { thread } from '../worker/worker-slot.js';
import { crashError } from './crash.js';
import type { WorkerGroup } from './worker-group.js';

/** Runs `body` on the caller's slot of a worker group; its workers steal what `body` forks. */
export function runOnCaller<T>(group: WorkerGroup, pool: PoolView, what: string, body: () => T): T {
  const { caller, roots, memory } = group;
  const { words } = memory;
  const entry = roots.records.allocate();
  if (entry === NO_RECORD)
    throw new RangeError('furcate: too many invocations are in flight; await some of them first.');
  openCallersRoot(words, roots.records.wordOf(entry));
  const below = enter(caller, pool);
  const { observer } = thread;
  caller.sink = observerOf(caller);
  words[C_CALLS] = (words[C_CALLS] + 1) | 0; // plain: sole writer, and a hint
  store(words, C_CALLER_COMPUTES, 1);
  // Clears a request to an earlier invocation; by S4, a thread that needs work asks again.
  if ((load(words, caller.requestsWord) & REQUEST_STEAL) !== 0) and(words, caller.requestsWord, ~REQUEST_STEAL);
  attach(caller, entry, 0); // S4: before the monitor word is read
  if (load(words, C_MONITOR) === 0) wakeHelper(memory);
  try {
    try {
      const result = observedApart(body);
      if (!memory.hasCrashed) return result; // after a crash others may still run, even if the body did not need them
    } catch (error) {
      if (!memory.hasCrashed) throw error;
    }
    throw crashError(group.endBlocking(), what, group.settings.name);
  } finally {
    leave(below);
    thread.observer = observer;
    store(words, C_CALLER_COMPUTES, 0); // S6: before the look at the last worker's state
    wakeLast(memory);
    roots.records.release(entry);
    caller.releaseFrees();
  }
}
