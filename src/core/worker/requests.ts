/** Serves the requests in the request word of a thread: publishes tasks for thieves, and sees that its invocation was cancelled. */

import { hasLeftStack, local, noHandle } from '../deque/private-stack.js';
import { CancellationError, type CancellationReason } from '../errors.js';
import { and, load, or } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import {
  REQUEST_CANCEL,
  REQUEST_LOOK,
  REQUEST_PUBLISH,
  REQUEST_STEAL,
  slotWord,
  W_REQUESTS,
} from '../memory/layout.js';
import {
  ABANDONED,
  CANCELLED_BY_CRASH,
  CANCELLED_BY_FORKER,
  CANCELLED_BY_LISTENER,
  CANCELLED_BY_POOL,
  CANCELLED_BY_RACE,
  CANCELLED_BY_SIGNAL,
  CANCELLED_BY_TIMEOUT,
  isRaceOver,
  setReason,
} from '../memory/record-kinds.js';
import { FRESH, isTask, nameOf } from '../task/fork-join-task.js';
import { hooks } from './extension.js';
import { publishAll, publishHalf } from './publish.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Called by every fork and join that finds the request word set. */
export function serveRequests(): void {
  const own = thread.own;
  if (hasLeftStack()) {
    forkedOutside();
    return;
  }
  thread.observer?.looked();
  if (own === null) {
    thread.look?.();
    return;
  }
  const bits = load(own.words, own.requestsWord);
  seeLook(own);
  if ((bits & REQUEST_CANCEL) !== 0) seeCancellation(own);
  if ((bits & REQUEST_PUBLISH) !== 0) publishAll(own);
  else if ((bits & REQUEST_STEAL) !== 0) {
    hooks.feed(own, own.checked);
    publishHalf(own);
  } else return;
  thread.observer?.published?.();
}

/** Answers an observer that waits for this thread to fork, join, call `checkpoint` or look for work. */
export function seeLook(own: WorkerSlot): void {
  if ((own.words[own.requestsWord] & REQUEST_LOOK) === 0) return; // plain: a hint, seen promptly
  and(own.words, own.requestsWord, ~REQUEST_LOOK);
  hooks.look(own);
}

function seeCancellation(own: WorkerSlot): void {
  and(own.words, own.requestsWord, ~REQUEST_CANCEL); // C1: before the reason is read; a later cancellation sets it again
  hooks.cancelled();
  const reason = cancellation(own);
  if (reason === 0) return;
  or(own.words, own.requestsWord, REQUEST_CANCEL); // every later fork and join of this invocation sees it too
  throw cancellationError(reason);
}

/** Reason why the work on this thread's stack should end; 0 if it should not. */
export function cancellation(own: WorkerSlot): number {
  if (own.memory.hasCrashed) return CANCELLED_BY_CRASH;
  return own.cancelledBy(thread.invocation) || (isRaceOver(own.words, thread.race) ? CANCELLED_BY_RACE : 0);
}

const REASONS: Readonly<Record<number, readonly [reason: CancellationReason, because: string]>> = {
  [CANCELLED_BY_SIGNAL]: ['signal', 'the invocation was aborted by its signal'],
  [CANCELLED_BY_TIMEOUT]: ['timeout', 'the invocation took longer than timeoutMs'],
  [CANCELLED_BY_POOL]: ['terminate', 'the pool was terminated'],
  [CANCELLED_BY_CRASH]: ['crash', 'a worker of the pool crashed'],
  [CANCELLED_BY_FORKER]: ['forker', 'the task that forked it failed'],
  [CANCELLED_BY_RACE]: ['race', 'another task of the same invokeAny() has succeeded'],
  [CANCELLED_BY_LISTENER]: ['listener', 'onReport of the invocation threw'],
};

export function cancellationError(code: number): CancellationError {
  const [reason, because] = REASONS[code & ~ABANDONED];
  return new CancellationError(`furcate: ${because}.`, { reason });
}

export function cancelledByForker(task: object): CancellationError {
  const [reason, because] = REASONS[CANCELLED_BY_FORKER];
  return new CancellationError(`furcate: ${nameOf(task)} was cancelled, because ${because}.`, { reason });
}

/** Ends a race that a task has won: all else of it stops at its next fork, join or checkpoint. Called before that task is completed. */
export function endRace({ words, memory }: WorkerSlot, race: number): void {
  setReason(words, race, CANCELLED_BY_RACE); // C1: before the bits
  requestOfAll(memory, REQUEST_CANCEL);
}

/** Sets a request bit of every thread of a worker group. */
export function requestOfAll(memory: ControlMemory, bit: number): void {
  const { layout, words, slots } = memory;
  for (let slot = 0; slot < slots; slot++) or(words, slotWord(layout, slot) + W_REQUESTS, bit);
}

/** Asks the thread of a slot to publish tasks. */
export function requestSteal(own: WorkerSlot, victim: number): void {
  const { words, memory } = own;
  if (!isAsked(memory, victim)) or(words, slotWord(memory.layout, victim) + W_REQUESTS, REQUEST_STEAL);
}

/** Checks whether the thread of a slot has been asked to publish tasks, and has not done so yet. */
export const isAsked = ({ words, layout }: ControlMemory, slot: number): boolean =>
  (load(words, slotWord(layout, slot) + W_REQUESTS) & REQUEST_STEAL) !== 0;

function forkedOutside(): void {
  const i = local.sp - 1; // the position of the fork that called this
  const item = local.stack[i];
  local.stack[i] = null;
  noHandle(i);
  local.sp = i;
  if (isTask(item)) item.$state = FRESH;
  throw outsideError(item === null ? 'fork()' : `fork() of a ${nameOf(item)}`);
}

/** The error for what only a task may do. */
export function outsideError(what: string): Error {
  const reason = hooks.awaits()
    ? 'in an asynchronous task. Use its scope: scope.fork(), and await scope.join() or scope.joinAll().'
    : 'outside a pool. Start with await pool.invoke(task) or pool.invokeSync(task), and call it inside compute().';
  return new Error(`furcate: ${what} ${reason}`);
}
