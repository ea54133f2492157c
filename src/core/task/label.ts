/** Labels of tasks for those who observe them; runs on every thread. */
import { isBuiltin, ownRegistrationOf, registry } from '../code/registry.js';
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
}

const labels = new WeakMap<object, TaskLabel>();

/** The label of a task: one object for each class and function. */
export function taskLabel(task: object): TaskLabel {
  const entry = isCallTask(task) ? registry.functionEntries[task.index] : ownRegistrationOf(task);
  const key = entry ?? task.constructor;
  let label = labels.get(key);
  if (label === undefined) {
    label =
      entry === undefined
        ? { name: nameOf(task), url: '', isOfLibrary: false }
        : { name: entry.name, url: entry.url, isOfLibrary: isBuiltin(entry.url) };
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
