/** Where a code table lies; on every thread. */

/** Memory that all threads see; the shared heap in the product. */
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
