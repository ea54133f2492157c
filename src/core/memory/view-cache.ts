/**
 * A small direct-mapped cache of decoded views, so that a task that names the same array thousands of times costs tens of
 * nanoseconds each; runs on every thread, all state is the realm's own.
 */

import type { TypedArray } from './element-types.js';

/** Entries, a power of two: the arrays of one invocation, and the slices that its tasks name. */
const ENTRIES = 256;

export class ViewCache {
  readonly #types = new Int8Array(ENTRIES);
  readonly #blocks = new Int32Array(ENTRIES);
  readonly #offsets = new Float64Array(ENTRIES);
  readonly #lengths = new Float64Array(ENTRIES);
  readonly #views = new Array<TypedArray | undefined>(ENTRIES).fill(undefined);
  #used = false;

  find(type: number, block: number, byteOffset: number, length: number): TypedArray | undefined {
    const entry = entryOf(type, byteOffset, length);
    return this.#blocks[entry] === block &&
      this.#offsets[entry] === byteOffset &&
      this.#lengths[entry] === length &&
      this.#types[entry] === type
      ? this.#views[entry]
      : undefined;
  }

  put(type: number, block: number, byteOffset: number, length: number, view: TypedArray): void {
    const entry = entryOf(type, byteOffset, length);
    this.#types[entry] = type;
    this.#blocks[entry] = block;
    this.#offsets[entry] = byteOffset;
    this.#lengths[entry] = length;
    this.#views[entry] = view;
    this.#used = true;
  }

  clear(): void {
    if (!this.#used) return;
    this.#views.fill(undefined);
    this.#used = false;
  }
}

/** Fibonacci hashing of what tells slices of one array apart. */
function entryOf(type: number, byteOffset: number, length: number): number {
  return Math.imul(byteOffset ^ Math.imul(length, 31) ^ type, 0x9e3779b1) >>> 24;
}
