/**
 * Objects that one thread at a time can have, such as ports and canvases. The owner of a pool moves them to the worker that runs their task. Each
 * realm has a table of those that have come to it: an object is in there until its task has ended.
 */

const here = new Map<number, object>();
let last = 0;

/** Objects that are to be moved, each with the number that stands for it in copies. */
export type Moves = ReadonlyMap<object, number>;

export const numbered = (objects: Iterable<object>): Moves =>
  new Map([...new Set(objects)].map((object) => [object, ++last]));

/** An object has come to this thread, or its task has ended. */
export function acceptMoved(number: number, object: object | undefined): void {
  if (object === undefined) here.delete(number);
  else here.set(number, object);
}

/** @throws Error once its task has ended */
export function movedHere(number: number): object {
  const found = here.get(number);
  if (found !== undefined) return found;
  throw new Error('furcate: an object that was transferred is on the worker of its task, and until the task ends.');
}
