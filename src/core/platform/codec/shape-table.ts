/** The shapes of the objects in one value: most objects have the keys of another one. Runs on every thread. */
import { FIRST_SHAPE, NEW_SHAPE, NO_SHAPE } from './format.js';

/** Objects with more keys are taken for dictionaries, no two of which have the same keys. */
const MAX_KEYS = 64;
/** Number of shapes that may begin with the same key. */
const MAX_NAMESAKES = 8;

interface NumberedShape {
  readonly keys: readonly string[];
  /** Number of the shape in the format. */
  readonly number: number;
  /** Another shape with the same first key. */
  readonly next: NumberedShape | undefined;
  /** Number of shapes from here on. */
  readonly count: number;
}

export class ShapeTable {
  #last: NumberedShape | undefined;
  #byFirstKey: Map<string | undefined, NumberedShape> | undefined;
  #count = 0;

  /** The number of the shape with these keys; `NEW_SHAPE` or `NO_SHAPE` if they have to be written. */
  numberOf(keys: readonly string[]): number {
    const last = this.#last;
    if (last !== undefined && areEqual(last.keys, keys)) return last.number;
    this.#byFirstKey ??= new Map();
    const first = this.#byFirstKey.get(keys[0]);
    for (let shape = first; shape !== undefined; shape = shape.next) {
      if (!areEqual(shape.keys, keys)) continue;
      this.#last = shape;
      return shape.number;
    }
    const count = first === undefined ? 1 : first.count + 1;
    if (keys.length > MAX_KEYS || count > MAX_NAMESAKES) return NO_SHAPE;
    this.#last = { keys, number: FIRST_SHAPE + this.#count++, next: first, count };
    this.#byFirstKey.set(keys[0], this.#last);
    return NEW_SHAPE;
  }
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}
