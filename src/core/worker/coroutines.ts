/**
 * What the scheduler and the API ask of asynchronous tasks; runs on every thread. The part `coroutines` (core/async) fills it in when a
 * thread meets its first asynchronous task.
 */
import { part } from '../code/parts.js';
import { compareExchange, load } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { STATE_RUNNING, slotWord, W_SETTLED, W_STATE } from '../memory/layout.js';
import { R_NEXT } from '../memory/records.js';
import { probeStep } from '../probe.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { wakeSlot } from './sleep.js';
import type { WorkerSlot } from './worker-slot.js';

/** Evaluates the part, which replaces the functions below by its own. */
function loaded(): typeof coroutines {
  part('coroutines');
  return coroutines;
}

export const coroutines = {
  /** How many asynchronous tasks have begun on this thread and have not ended. */
  live: 0,
  /** The one whose body runs on this thread up to its first `await`. */
  beginning: undefined as { throwIfCancelled(): void } | undefined,
  /** Begins an asynchronous task that this thread has taken. Its record is settled later. Never throws. */
  begin: (own: WorkerSlot, record: number, task: ForkJoinTask<unknown>): void => loaded().begin(own, record, task),
  /** Runs an asynchronous task and all that it forks on this thread, without a pool. */
  runSequentially: (task: ForkJoinTask<unknown>): Promise<unknown> => loaded().runSequentially(task),
  /**
   * For a worker whose stack is empty: brings outcomes home, sees cancellations, and runs forks of its coroutines, for about 2 ms.
   *
   * @returns whether it did anything, so that coroutines may go on in the next turn of the event loop
   */
  serve: (_own: WorkerSlot): boolean => false,
  /** Sleeps like an idle worker, while the event loop goes on. */
  park: async (_own: WorkerSlot): Promise<void> => {},
  /** Offers forks of coroutines to thieves; all of them, or half. */
  feed: (_own: WorkerSlot, _all?: boolean): void => {},
  /** A request to cancel has arrived, which may concern coroutines. */
  seeCancellation: (): void => {},
};

/** Puts a settled record into the list of the slot whose coroutine has forked it, and wakes that thread. */
export function tellCoroutine(memory: ControlMemory, record: number): void {
  const { words, layout } = memory;
  const slot = memory.slotOf(record);
  probeStep('coroutine: record settled');
  const list = slotWord(layout, slot) + W_SETTLED;
  let next: number;
  do {
    next = load(words, list);
    words[record + R_NEXT] = next; // plain: published by A1
  } while (compareExchange(words, list, next, record) !== next); // A1: before the look at the state; pairs with `park`
  probeStep('coroutine: record linked');
  if (load(words, slotWord(layout, slot) + W_STATE) !== STATE_RUNNING) wakeSlot(memory, slot);
}
