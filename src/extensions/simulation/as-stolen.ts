/** Runs a task as a thief would, on the thread of its forker: a copy of it, whose outcome is copied back. */
import { CallTask, isCallTask } from '../../core/task/call-task.js';
import { bringHome, fieldsOf, memberName } from '../../core/task/codec.js';
import { ForkJoinTask, nameOf, runTask } from '../../core/task/fork-join-task.js';
import { Parcel, pack } from '../../core/task/parcel.js';
import { inResult, inTask } from '../../core/task/shareable.js';
import type { TaskOutcome } from '../../core/worker/wait.js';

type TaskFields = Record<string, unknown>;

const failedWith = (value: unknown): TaskOutcome => ({ failed: true, value });

/** The task as a thief has it. @throws NotShareableError for what a task cannot hold */
function copyOf(task: ForkJoinTask<unknown>): ForkJoinTask<unknown> {
  if (isCallTask(task)) return new CallTask(task.index, pack(task.args, (k) => memberName(task, k), inTask).open());
  const keys = fieldsOf(task);
  const fields = task as unknown as TaskFields;
  const values = pack(
    keys.map((key) => fields[key]),
    (k) => memberName(task, keys[k]),
    inTask,
  ).open();
  const copy = Reflect.construct(ForkJoinTask, [], task.constructor as new () => unknown) as ForkJoinTask<unknown>;
  for (const [k, key] of keys.entries()) (copy as unknown as TaskFields)[key] = values[k];
  return copy;
}

/** Brings the outcome of a copy home: its fields, and what its task has given. */
function broughtHome(
  task: ForkJoinTask<unknown>,
  copy: ForkJoinTask<unknown>,
  { failed, value }: TaskOutcome,
): TaskOutcome {
  if (value instanceof Parcel) return { failed, value }; // of a task of the library: a copy already
  const keys = isCallTask(copy) ? [] : fieldsOf(copy);
  const values = keys.map((key) => (copy as unknown as TaskFields)[key]);
  const nameOfValue = (k: number): string =>
    k < keys.length ? memberName(task, keys[k]) : `the result of ${nameOf(task)}`;
  const home = pack([...values, value], nameOfValue, inTask, failed ? 'thrown' : inResult).open();
  const outcome = home.pop();
  if (!isCallTask(task)) bringHome(task as unknown as TaskFields, keys, home);
  return { failed, value: outcome };
}

/** Runs a copy of a task to its end. What cannot be copied, the task has failed with. */
export function runAsStolen(task: ForkJoinTask<unknown>): TaskOutcome {
  try {
    const copy = copyOf(task);
    let outcome: TaskOutcome;
    try {
      outcome = { failed: false, value: runTask(copy) };
    } catch (error) {
      outcome = failedWith(error);
    }
    return broughtHome(task, copy, outcome);
  } catch (error) {
    return failedWith(error);
  }
}
