/** Work that a call sends as a job: a task, a call of a forkable function, or a call of a host function, as bytes. */

import { nameOfHostFunction } from '../host-function.js';
import { identityOf, nameOf, packTask, packValue, rootTask } from '../library.js';
import type { PartName } from '../link/arrived.js';
import { digestOfData } from '../link/identity.js';
import { type PayloadKind, packCall } from '../link/job-kind.js';
import { digestOf, shortPath } from '../link/names.js';

/** A job before it has a name. */
export interface Work {
  readonly kind: PayloadKind;
  /** Names it in messages. */
  readonly what: string;
  readonly bytes: Uint8Array;
  /** Tells it from other work; the same in all processes. */
  readonly digest: string;
  /** Depth of a node in its task. */
  readonly depth?: number;
  /** Number of times that tasks have been shared that it was a part of. */
  readonly shares?: number;
}

/** The result of a job that its host has shared: the parts that it consists of, and some of them are done. */
export class SharedParts {
  readonly names: readonly PartName[];
  /** The key by which the job was submitted last: those of the parts are made of it. */
  readonly key: string;

  constructor(names: readonly PartName[], key: string) {
    this.names = names;
    this.key = key;
  }
}

/** Names a job within its call: by its place there, and by what it is. */
export const keyOf = (place: string, { digest }: Work): string => `${shortPath(place)}-${digest}`;

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
    const of = `the argument of ${what}`;
    const argument = packValue(args[0], of);
    const bytes = packCall({ ...name, argument });
    // Without the URL: a run goes on with a client whose module lies at another path.
    return {
      kind: 'host function',
      what,
      bytes,
      digest: digestOf(name.name) + digestOfData(identityOf(args[0], { what: of })),
    };
  }
  const task = rootTask(call, work, args);
  return { kind: 'task', what: nameOf(task), bytes: packTask(task), digest: digestOfData(identityOf(task)) };
}
