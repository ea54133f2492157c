/** What a call sends as a job: a task, a call of a forkable function, or a call of a host function, as bytes. */

import { nameOfHostFunction } from '../host-function.js';
import { nameOf, packTask, packValue, rootTask } from '../library.js';
import type { HostCall, JobKind } from '../link/job-kind.js';
import { digestOf } from '../link/names.js';

/** A job before it has a name. */
export interface Work {
  readonly kind: JobKind;
  /** Names it in messages. */
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** Names a job within its call: by its place there, and by what it is. */
export const keyOf = (place: string, { bytes }: Work): string => `${place}-${digestOf(bytes)}`;

/**
 * A job that runs `work` with these arguments.
 *
 * @param call the public function that was called, for errors
 * @throws TypeError for what no host can run; NotShareableError for an argument that cannot cross
 */
export function workOf(call: string, work: unknown, args: unknown[]): Work {
  const name = nameOfHostFunction(work);
  if (name !== undefined) {
    const what = `host function '${name.name}'`;
    const bytes = packValue([name.url, name.name, args[0]] satisfies HostCall, `the argument of ${what}`);
    return { kind: 'host function', what, bytes };
  }
  const task = rootTask(call, work, args);
  return { kind: 'task', what: nameOf(task), bytes: packTask(task) };
}
