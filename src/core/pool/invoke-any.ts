/** `invokeAny` of an executor: invocations of which the first that succeeds ends the others; runs on the thread that calls. */
import { turn } from '../platform/host.js';
import { isAsync } from '../task/async-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { lost, noneSucceeded } from '../worker/race-tasks.js';
import type { TaskOutcome } from '../worker/wait.js';
import { coreOf, type Executor, limitedInvoke } from './executor.js';
import type { InvokeOptions } from './options.js';
import { CallSignal, endedBy, watchEnds } from './signal.js';

/**
 * Runs checked tasks beside each other. It counts as one call: `maxQueue` counts the first task alone, and a pool that is being closed runs all.
 *
 * @throws (rejects with) AggregateError if all fail; what cancels the call. Nothing of the tasks runs any more then
 */
export async function invokeAny(
  executor: Executor,
  tasks: readonly ForkJoinTask<unknown>[],
  { signal, timeoutMs, onReport, transfer, ...rest }: InvokeOptions,
): Promise<unknown> {
  if (transfer !== undefined)
    throw new TypeError(
      'furcate: invokeAny: options.transfer is of no use to several tasks: one thread gets what is transferred.',
    );
  const core = coreOf(executor);
  const losers = new CallSignal();
  let outcome: TaskOutcome | undefined;
  const decide = (failed: boolean, value: unknown, error: unknown): void => {
    outcome ??= { failed, value };
    losers.abort(error);
  };
  const cancel = (error: unknown): void => decide(true, error, error);
  /** If it throws, this ends the race, and not the task alone. */
  const listener =
    onReport &&
    ((value: unknown): void => {
      try {
        onReport(value);
      } catch (error) {
        cancel(error);
        throw error;
      }
    });
  const release = core.hold(cancel);
  const time = { timeoutMs, startedMs: performance.now() };
  let stop: (() => void) | undefined;
  const errors: unknown[] = [];
  try {
    stop = watchEnds({ signal, timeoutMs }, 'the call', cancel);
    const ends: Promise<void>[] = [];
    for (const [k, task] of tasks.entries()) {
      const held = k === 0 ? ('first' as const) : ('later' as const);
      const isToEnd = core.runsHere === true && !isAsync(task); // the next may not be needed; it has no event loop, and looks at the clock
      const options = { ...rest, onReport: listener, signal: losers, held, ...(isToEnd ? time : {}) };
      const run = limitedInvoke(rest)?.invoke(executor, task, options) ?? core.submit(task, options, 0);
      const end = run.then(
        (value) => decide(false, value, lost()),
        (error: unknown) => {
          errors[k] = error;
        },
      );
      ends.push(end);
      if (!isToEnd) continue;
      await end;
      await turn();
      const late = endedBy(time, 'the call');
      if (late !== undefined) cancel(late.error);
    }
    await Promise.all(ends);
  } finally {
    release();
    stop?.();
  }
  if (outcome === undefined) throw noneSucceeded(errors);
  if (outcome.failed) throw outcome.value;
  return outcome.value;
}
