/**
 * The stage of a reduction: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whichever thread ran which block.
 */
import type { ShippedContext } from '../../core/code/source.js';
import { blockElements, type Cut, cutInto } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { Partials, treeValue } from '../schedule/reduction-tree.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { NODE_BLOCKS } from '../tuning.js';
import { type BlockFolds, callsFunctions, foldsOf, type ReduceSpec } from './reduce-folds.js';

/**
 * The one stage of a reduction. A unit is a block where functions are called, and else several. It is a class, because closures
 * that are made for each call add 0.6 us to a sum of ten elements.
 */
class ReduceStage implements Stage {
  readonly calls = 'a function of parallelReduce';
  readonly context: ShippedContext | undefined;
  readonly units: number;
  readonly grain: Grain;
  readonly #folds: BlockFolds;
  readonly #length: number;
  readonly #hasIdentity: boolean;
  readonly #cut: Cut;
  /** By lane. */
  readonly #partials: (Partials | undefined)[] = [];

  constructor(spec: ReduceSpec) {
    const { xs, identity, context, threshold, parallelism } = spec;
    const hasFunctions = callsFunctions(spec);
    this.context = context;
    this.#folds = foldsOf(spec);
    this.#length = xs.length;
    this.#hasIdentity = identity !== undefined;
    const block = blockElements(xs.length, hasFunctions);
    this.#cut = cutInto(block, xs.length, threshold, parallelism, hasFunctions ? 1 : NODE_BLOCKS);
    this.units = this.#cut.units;
    this.grain = new Grain({
      cost: this.#folds.cost,
      unitElements: this.#cut.unit,
      units: this.units,
      threshold,
      parallelism,
      together: hasFunctions ? 4 : 1, // the least node, in blocks
    });
  }

  run(lo: number, hi: number, lane: number): number {
    const { fold, foldNode, combine } = this.#folds;
    const length = this.#length;
    const { block, blocks, unitBlocks } = this.#cut;
    this.#partials[lane] ??= new Partials(combine);
    const nodes = this.#partials[lane];
    const first = lo * unitBlocks;
    const end = Math.min(blocks, hi * unitBlocks);
    for (let b = first; b < end; ) {
      let fours = 0;
      if (foldNode !== undefined && this.#isNode(b, 4, end)) fours = this.#isNode(b, 16, end) ? 4 : 1;
      const node = fours === 0 ? undefined : foldNode?.(b * block, block, fours);
      const count = node === undefined ? 1 : 4 * fours;
      nodes.push(b, node ?? fold(b * block, Math.min(length, (b + 1) * block)), count);
      b += count;
    }
    return Math.min(length, end * block) - first * block;
  }

  collect(lane: number): unknown[] {
    const list = this.#partials[lane]?.list() ?? [];
    this.#partials[lane] = undefined;
    return list;
  }

  value(lists?: readonly unknown[]): unknown {
    return lists === undefined ? this.#partials[0]?.result() : treeValue(lists, this.#folds.combine);
  }

  /** Whether so many whole blocks from `b` on are a node of the tree. The identity is in block 0. */
  #isNode(b: number, count: number, end: number): boolean {
    if (b % count !== 0 || (b === 0 && this.#hasIdentity)) return false;
    return b + count <= end && (b + count) * this.#cut.block <= this.#length;
  }
}

export const REDUCE = stagedKind<ReduceSpec>('reduce', (spec) => [new ReduceStage(spec)]);
