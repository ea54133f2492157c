/**
 * A small direct-mapped cache of decoded views, so that a task that names the same array thousands of times costs tens of
 * nanoseconds each; runs on every thread, all state is the realm's own.
 */

import type { TypedArray } from './element-types.js';

/** Entries, a power of two: the arrays of one invocation, and the slices that its tasks name. */
const ENTRIES = 256;

interface Entry {
  readonly type: number;
  readonly block: number;
  readonly byteOffset: number;
  readonly length: number;
  readonly view: TypedArray;
}

export class ViewCache {
  readonly #entries = new Array<Entry | undefined>(ENTRIES).fill(undefined);
  #used = false;

  find(type: number, block: number, byteOffset: number, length: number): TypedArray | undefined {
    const entry = this.#entries[placeOf(type, byteOffset, length)];
    return entry?.block === block && entry.byteOffset === byteOffset && entry.length === length && entry.type === type
      ? entry.view
      : undefined;
  }

  put(entry: Entry): void {
    this.#entries[placeOf(entry.type, entry.byteOffset, entry.length)] = entry;
    this.#used = true;
  }

  clear(): void {
    if (this.#used) this.#entries.fill(undefined);
    this.#used = false;
  }
}

/** Fibonacci hashing of what tells slices of one array apart. */
function placeOf(type: number, byteOffset: number, length: number): number {
  return Math.imul(byteOffset ^ Math.imul(length, 31) ^ type, 0x9e3779b1) >>> 24;
}
