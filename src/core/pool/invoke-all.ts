/** Several tasks of any kind as one call: each is an invocation, or a fork where the call runs inside a task; runs on the thread that calls. */
import { registrationOf } from '../code/registry.js';
import { turn } from '../platform/host.js';
import { isCallTask } from '../task/call-task.js';
import { refuseFreed } from '../task/codec.js';
import { type ForkJoinTask, FRESH, invokeEach, startedTwice } from '../task/fork-join-task.js';
import { CALLER_SLICE_MS } from '../tuning.js';
import { isComputing, refuseAsync } from '../worker/scheduler.js';
import type { Call } from './call.js';
import type { Callee } from './call-options.js';
import type { ExecutorCore } from './executor.js';
import { CallSignal } from './signal.js';

type TaskList = readonly ForkJoinTask<unknown>[];

/** @throws Error for a task that was started before, or that is asynchronous and whose call blocks; what workers would say of its class */
function checkStartable(tasks: TaskList, { name, form }: Callee): void {
  for (const [i, task] of tasks.entries()) {
    if (form === 'sync') refuseAsync(`${name}()`, task);
    if (task.$state !== FRESH) throw startedTwice(task, `${name}: tasks[${i}]: invoke`);
    if (!isCallTask(task)) registrationOf(task); // throws where workers could not find its class
    if (!isComputing()) refuseFreed(task);
  }
}

/**
 * Runs tasks, and waits for all of them.
 *
 * @returns their results, in the order of the tasks
 * @throws (rejects with) Error for a task that cannot be started, before any is; the failure of the first task in the list that failed, when all are done
 */
export async function invokeAll(tasks: TaskList, call: Call, callee: Callee): Promise<unknown[]> {
  checkStartable(tasks, callee);
  const { scope, options } = call;
  if (scope !== undefined) return scope.joinAll(tasks.map((task) => scope.fork(task)));
  const core = call.core as ExecutorCore;
  const signal = new CallSignal(); // one for all tasks: runtimes warn of a leak when the user's own signal gets many listeners
  const stop = signal.follow({ signal: options.signal }, 'the call');
  const begin = (task: ForkJoinTask<unknown>): Promise<unknown> => core.submit(task, { ...options, signal }, 0);
  try {
    const outcomes = await (core.runsHere === true
      ? beginHere(
          tasks,
          begin,
          core.hold((error) => signal.abort(error)),
        )
      : Promise.allSettled(tasks.map(begin)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  } finally {
    stop();
  }
}

/** Begins tasks on this thread, where each synchronous one runs to its end: gives the event loop a turn now and then. */
async function beginHere(
  tasks: TaskList,
  begin: (task: ForkJoinTask<unknown>) => Promise<unknown>,
  release: () => void,
): Promise<PromiseSettledResult<unknown>[]> {
  const ends: Promise<PromiseSettledResult<unknown>[]>[] = [];
  try {
    let untilMs = performance.now() + CALLER_SLICE_MS;
    for (const task of tasks) {
      ends.push(Promise.allSettled([begin(task)]));
      if (performance.now() < untilMs) continue;
      await turn();
      untilMs = performance.now() + CALLER_SLICE_MS;
    }
    return (await Promise.all(ends)).flat();
  } finally {
    release();
  }
}

/** As `invokeAll`, on this thread and those that steal from it. */
export function invokeAllSync(tasks: TaskList, call: Call, callee: Callee): unknown[] {
  checkStartable(tasks, callee);
  const run = (): unknown[] => {
    invokeEach(tasks);
    return tasks.map((task) => task.getRawResult());
  };
  if (tasks.length === 0) return [];
  return isComputing() ? run() : (call.core as ExecutorCore).computeHere(callee.name, run);
}
