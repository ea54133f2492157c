/** What a task is called by those who observe it; runs on every thread. */
import { isBuiltin, ownRegistrationOf, registry } from '../code/registry.js';
import { isCallTask } from './call-task.js';
import { nameOf } from './fork-join-task.js';

/** A class, function or algorithm. */
export interface TaskLabel {
  readonly name: string;
  /** The module that registered it. */
  readonly module: string;
}

/** The label of a task; undefined for a task of the library itself, which belongs to whatever has forked it. */
export function taskLabel(task: object): TaskLabel | undefined {
  const entry = isCallTask(task) ? registry.functionEntries[task.index] : ownRegistrationOf(task);
  if (entry === undefined) return { name: nameOf(task), module: '' };
  return isBuiltin(entry.url) ? undefined : { name: entry.name, module: entry.url };
}
