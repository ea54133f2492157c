/** Labels of tasks for those who observe them; runs on every thread. */
import { isBuiltin, nameOfCall, ownRegistrationOf, registry } from '../code/registry.js';
import { host } from '../platform/host.js';
import { isCallTask } from './call-task.js';
import { nameOf } from './fork-join-task.js';

/** A class, function or algorithm. */
export interface TaskLabel {
  readonly name: string;
  /** The module that registered it; empty for a class that none has registered. */
  readonly url: string;
  /** True if it is a task of the library itself, which belongs to whatever has forked it. */
  readonly isOfLibrary: boolean;
  /** Name of one of its tasks: one of the library is called after what it belongs to, such as a graph, where that is known. */
  nameOf(task: object): string;
}

const labels = new WeakMap<object, TaskLabel>();

/** The label of a task: one object for each class and function. */
export function taskLabel(task: object): TaskLabel {
  const entry = isCallTask(task) ? registry.functionEntries[task.index] : ownRegistrationOf(task);
  const key = entry ?? task.constructor;
  let label = labels.get(key);
  if (label === undefined) {
    const name = entry?.name ?? nameOf(task);
    const url = entry?.url ?? '';
    const nameOfTask = (one: object): string =>
      entry !== undefined && isCallTask(one) ? nameOfCall(entry, one.args, 'label') : name;
    label = { name, url, isOfLibrary: isBuiltin(url), nameOf: nameOfTask };
    labels.set(key, label);
  }
  return label;
}

const KINDS = ['class', 'function', 'async function'] as const;

/** The lines of their modules, from 1 up, at which classes and functions are written. Undefined for code that this thread has not loaded, and where the runtime does not tell. */
export function linesOf(labels: readonly Pick<TaskLabel, 'name' | 'url'>[]): readonly (number | undefined)[] {
  const values = labels.map(({ name, url }) =>
    url === ''
      ? undefined
      : KINDS.map((kind) => registry.byKey(kind, url, name)).find((entry) => entry !== undefined)?.value,
  );
  return host().recording?.().linesOf(values) ?? values.map(() => undefined);
}
