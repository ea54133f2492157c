/**
 * Names what the runtime's serializer refuses, which no list of ours knows: proxies, detached buffers, what is too deep; runs on the thread that
 * encodes.
 */

import { stepsOf } from '../code/data-path.js';
import { isStackOverflow } from '../code/engine-messages.js';
import { notShareable } from '../code/value-class.js';
import { NotShareableError } from '../errors.js';
import { hasStackRoom, stackUsedUp } from './stack-end.js';
import { toBytes } from './values.js';

/** Complaint of the serializer about a value; undefined if it takes the value. */
function complaintOf(value: unknown): string | undefined {
  try {
    toBytes(value);
    return undefined;
  } catch (error) {
    if (!NotShareableError.is(error)) throw error;
    return error.message.replace(/^furcate: /, '');
  }
}

/** The children of an object, each with its step of the path; none where a proxy does not tell. */
function childrenOf(part: unknown): ReturnType<typeof stepsOf> {
  try {
    return typeof part === 'object' && part !== null && !ArrayBuffer.isView(part) ? stepsOf(part) : [];
  } catch {
    return [];
  }
}

/**
 * Refuses a value that the serializer refuses; does nothing if it takes it.
 *
 * @param nameOf names the part at a path for errors; the path of the value itself is ''
 * @throws NotShareableError that names the innermost part which is refused
 */
export function refuseUncloneable(value: unknown, nameOf: (path: string) => string): void {
  if (complaintOf(value) === undefined) return;
  const seen = new Set<unknown>();
  let [path, inner] = ['', value];
  for (;;) {
    seen.add(inner);
    const next = childrenOf(inner).find(([, child]) => !seen.has(child) && complaintOf(child) !== undefined);
    if (next === undefined) break;
    const [stepThere, child] = next;
    path += stepThere;
    inner = child;
  }
  const complaint = complaintOf(inner) as string;
  const cure = /could not be cloned/.test(complaint) ? 'Pass plain data; of a proxy, a copy.' : '';
  throw notShareable(nameOf(path), { reason: `cannot leave its thread: ${complaint.replace(/\.$/, '')}`, cure });
}

const DEEP = 'its objects are nested too deep for the stack. Pass a list, linked by index.';

/**
 * The error where the serializer has used up the stack: of the value; or of the tasks, if they have left it no room, whatever the value.
 *
 * @param fate what cannot be done with the value
 */
export const tooDeep = (what: string, fate: string, cause: unknown): Error =>
  hasStackRoom()
    ? new NotShareableError(`furcate: ${what} ${fate}: ${DEEP}`, { path: what, cause })
    : stackUsedUp(cause);

/**
 * Refuses the first value for which the serializer takes more stack than there is; does nothing if each of them has enough by itself.
 *
 * @throws NotShareableError
 */
export function refuseTooDeep(values: readonly unknown[], nameOf: (k: number) => string): void {
  for (const [k, value] of values.entries()) {
    try {
      toBytes(value);
    } catch (error) {
      if (isStackOverflow(error)) throw tooDeep(nameOf(k), 'cannot leave its thread', error);
    }
  }
}

/** The usual names: 'argument 1 of f', 'argument 1 of f (at .xs[0])'. */
export function placeIn(name: string): (path: string) => string {
  return (path) => (path === '' ? name : `${name} (at ${path})`);
}
