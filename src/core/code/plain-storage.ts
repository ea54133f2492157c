/**
 * Memory for a code table of one thread alone: where nothing can be shared, and in tests; runs on that thread.
 */
import type { TableStorage } from './table-storage.js';

const FIRST_BLOCK = 64; // 0 means "no block"

export class PlainStorage implements TableStorage {
  readonly words = new Int32Array(1);
  readonly root = 0;
  readonly #blocks = new Map<number, Uint8Array>();
  #next = FIRST_BLOCK;

  alloc(bytes: number): number {
    const offset = this.#next;
    this.#blocks.set(offset, new Uint8Array(bytes));
    this.#next += Math.ceil(bytes / 16) * 16;
    return offset;
  }

  free(offset: number): void {
    this.#blocks.delete(offset);
  }

  bytesAt(offset: number, length: number): Uint8Array {
    const block = this.#blocks.get(offset);
    if (block === undefined) throw new RangeError(`furcate: no block at ${offset}.`);
    return block.subarray(0, length);
  }
}
