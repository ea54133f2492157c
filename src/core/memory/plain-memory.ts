/** Bytes of one thread by offset, as the heap has them: where memory cannot be shared, and for tests. */
export class PlainMemory {
  readonly #blocks = new Map<number, Uint8Array>();
  #next = 64; // 0 means "no block"

  allocBytes(bytes: number): number {
    const offset = this.#next;
    this.#blocks.set(offset, new Uint8Array(bytes));
    this.#next += Math.max(1, Math.ceil(bytes / 16)) * 16;
    return offset;
  }

  freeBytes(offset: number): void {
    this.#blocks.delete(offset);
  }

  /** @param offset of a block, which begins there */
  bytesAt(offset: number, length: number): Uint8Array {
    return (this.#blocks.get(offset) as Uint8Array).subarray(0, length);
  }
}

/** This thread's own. */
export const plainMemory = new PlainMemory();
