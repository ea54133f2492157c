/**
 * The fixed combination tree of reductions; runs on every thread that computes.
 *
 * The tree is built over blocks and depends on their number only. A node covers 2^k blocks from a multiple of 2^k on, and its value
 * is its left half combined with its right half. A thread keeps the nodes that it has, and combines the halves of a node as soon
 * as both are there, as a binary counter does. Which thread does it, and when, makes no difference. A last node that is not
 * whole is folded from the right: (8 + 4) + 2 blocks give 8 . (4 . 2).
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

/** The nodes of some blocks. */
export class Partials {
  readonly #combine: Combine;
  /** Three stacks: the values of the nodes, the first block of each, and how many blocks it covers. */
  readonly #values: unknown[] = [];
  readonly #firsts: number[] = [];
  readonly #blocks: number[] = [];
  #count = 0; // not the length of an array, because shrinking an array costs more than everything else here

  constructor(combine: Combine) {
    this.#combine = combine;
  }

  /** Adds the value of a node, of one block by default. Neighbours are added from left to right. */
  push(first: number, value: unknown, blocks = 1): void {
    let count = this.#count;
    while (count > 0 && first % (2 * blocks) === blocks && this.#isLeftHalf(count - 1, first, blocks)) {
      value = this.#combine(this.#values[--count], value);
      first -= blocks;
      blocks *= 2;
    }
    this.#values[count] = value;
    this.#firsts[count] = first;
    this.#blocks[count] = blocks;
    this.#count = count + 1;
  }

  #isLeftHalf(k: number, right: number, blocks: number): boolean {
    return this.#blocks[k] === blocks && this.#firsts[k] === right - blocks;
  }

  /** A flat list for `treeValue`: of each run of neighbours its first block, its end, and the values of its nodes. */
  list(): unknown[] {
    const list: unknown[] = [];
    let endAt = 0;
    for (let k = 0; k < this.#count; k++) {
      const first = this.#firsts[k];
      if (list[endAt] !== first) endAt = list.push(first, first) - 1;
      list[endAt] = first + this.#blocks[k];
      list.push(this.#values[k]);
    }
    return list;
  }

  /** The value of the tree; the nodes cover all blocks. */
  result(): unknown {
    let last = this.#count - 1;
    let value = this.#values[last];
    while (--last >= 0) value = this.#combine(this.#values[last], value);
    return value;
  }
}

/** The value of the tree, from lists that together cover all blocks, one after the other in any order. */
export function treeValue(lists: readonly unknown[], combine: Combine): unknown {
  const nodes: [first: number, value: unknown, blocks: number][] = [];
  for (let k = 0; k < lists.length; ) {
    const [lo, hi] = [lists[k++], lists[k++]] as [number, number];
    for (let first = lo; first < hi; ) {
      const blocks = nodeBlocks(first, hi);
      nodes.push([first, lists[k++], blocks]);
      first += blocks;
    }
  }
  const whole = new Partials(combine);
  for (const node of nodes.sort(([a], [b]) => a - b)) whole.push(...node);
  return whole.result();
}
