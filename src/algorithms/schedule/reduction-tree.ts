/**
 * The fixed combination tree of reductions; runs on every thread that computes.
 *
 * The tree is built over blocks and depends on their number only. A node covers 2^k blocks from a multiple of 2^k on, and its value
 * is its left half combined with its right half. For a contiguous range of blocks a thread keeps the list of the largest whole
 * nodes in that range, as in a binary counter. Blocks and lists are appended from left to right, and the halves of a node are
 * combined as soon as both are there. Which thread does it, and when, makes no difference. A last node that is not whole is
 * folded from the right: (8 + 4) + 2 blocks give 8 . (4 . 2).
 *
 *     blocks   0 1 2 3 4 5 6        nodes of [0, 7):  [0,4) [4,6) [6,7)
 *              \_/ \_/ \_/ |        nodes of [1, 7):  [1,2) [2,4) [4,6) [6,7)
 *               \___/
 */

/** Combines two neighbours of the tree. */
export type Combine = (left: unknown, right: unknown) => unknown;

/** Blocks in the largest whole node that begins at `lo` and ends by `hi`. */
function nodeBlocks(lo: number, hi: number): number {
  let blocks = 1;
  while (lo % (2 * blocks) === 0 && lo + 2 * blocks <= hi) blocks *= 2;
  return blocks;
}

export class Partials {
  /** Two stacks: the values of the nodes from left to right, and how many blocks each node covers. */
  readonly #values: unknown[] = [];
  readonly #blocks: number[] = [];
  readonly #combine: Combine;
  #count = 0;
  #hi: number;

  /** @param lo the first block of the range */
  constructor(lo: number, combine: Combine) {
    this.#hi = lo;
    this.#combine = combine;
  }

  /** The nodes' values, from left to right. */
  get values(): unknown[] {
    return this.#values.slice(0, this.#count);
  }

  /** Appends the value of the next block; or of the next node, which covers `blocks` blocks from a multiple of `blocks` on. */
  push(value: unknown, blocks = 1): void {
    this.#hi += blocks;
    let count = this.#count; // not the length of an array, because shrinking an array costs more than everything else here
    while (count > 0 && this.#blocks[count - 1] === blocks && this.#hi % (2 * blocks) === 0) {
      value = this.#combine(this.#values[--count], value);
      blocks *= 2;
    }
    this.#values[count] = value;
    this.#blocks[count] = blocks;
    this.#count = count + 1;
  }

  /** Appends another thread's list, of blocks [lo, hi) from where this one ends. */
  append(values: readonly unknown[], lo: number, hi: number): void {
    for (const value of values) {
      const blocks = nodeBlocks(lo, hi);
      this.push(value, blocks);
      lo += blocks;
    }
  }

  /** The value of the tree over [0, hi), at least one block. */
  result(): unknown {
    let last = this.#count - 1;
    let value = this.#values[last];
    while (--last >= 0) value = this.#combine(this.#values[last], value);
    return value;
  }
}
