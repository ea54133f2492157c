/** The memory of a code table: the shared heap, or memory of one thread; runs on every thread. */

export interface TableStorage {
  /** Holds the table's root word, 0 at first. */
  readonly words: Int32Array;
  readonly root: number;
  /** The offset of a new block: a multiple of 4, not 0. Published blocks are never freed. */
  alloc(bytes: number): number;
  /** Frees a block that was never published, because another thread was faster. */
  free(offset: number): void;
  bytesAt(offset: number, length: number): Uint8Array;
}

/** Memory of one thread, for environments without shared memory and for tests. */
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
