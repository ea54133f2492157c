/** Where a code table lies: the shared heap, or memory of one thread alone; runs on every thread. */

export interface TableStorage {
  /** Holds the table's root word, 0 at first. */
  readonly words: Int32Array;
  readonly root: number;
  /** Offset, not 0 and a multiple of 4, of a block; one that is published is kept for ever. */
  alloc(bytes: number): number;
  /** Takes back a block that was never published: another thread was faster. */
  free(offset: number): void;
  bytesAt(offset: number, length: number): Uint8Array;
}

/** For a table of one thread alone: where nothing can be shared, and in tests. */
export class PlainStorage implements TableStorage {
  readonly words = new Int32Array(1);
  readonly root = 0;
  readonly #blocks = new Map<number, Uint8Array>();
  #next = 64; // 0 means "no block"

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
