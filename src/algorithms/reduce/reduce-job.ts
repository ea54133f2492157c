/**
 * The stage of a reduction: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whichever thread ran which block.
 */
import { blockElements, unitBlocksFor } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { Partials, treeValue } from '../schedule/reduction-tree.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { NODE_BLOCKS } from '../tuning.js';
import { callsFunctions, foldsOf, type ReduceSpec } from './reduce-folds.js';

/** The one stage of a reduction. A unit is a block where functions are called, and else several. */
function reduceStage(spec: ReduceSpec): Stage {
  const { xs, identity, context, threshold, parallelism } = spec;
  const { fold, foldNode, combine, cost } = foldsOf(spec);
  const { length } = xs;
  const hasFunctions = callsFunctions(spec);
  const block = blockElements(length, hasFunctions);
  const blocks = Math.ceil(length / block);
  const unitBlocks = hasFunctions ? 1 : unitBlocksFor(blocks, threshold, parallelism, NODE_BLOCKS);
  const units = Math.ceil(blocks / unitBlocks);
  /** By lane. */
  const partials: (Partials | undefined)[] = [];

  /** Whether so many whole blocks from `b` on are a node of the tree. The identity is in block 0. */
  const isNode = (b: number, count: number, end: number): boolean =>
    b % count === 0 && (b > 0 || identity === undefined) && b + count <= end && (b + count) * block <= length;

  return {
    units,
    calls: 'a function of parallelReduce',
    context,
    grain: new Grain({
      cost,
      unitElements: unitBlocks * block,
      units,
      threshold,
      parallelism,
      together: hasFunctions ? 4 : 1, // the least node, in blocks
    }),
    run(lo, hi, lane) {
      partials[lane] ??= new Partials(combine);
      const nodes = partials[lane];
      const first = lo * unitBlocks;
      const end = Math.min(blocks, hi * unitBlocks);
      for (let b = first; b < end; ) {
        let fours = 0;
        if (foldNode !== undefined && isNode(b, 4, end)) fours = isNode(b, 16, end) ? 4 : 1;
        const node = fours === 0 ? undefined : foldNode?.(b * block, block, fours);
        const count = node === undefined ? 1 : 4 * fours;
        nodes.push(b, node ?? fold(b * block, Math.min(length, (b + 1) * block)), count);
        b += count;
      }
      return Math.min(length, end * block) - first * block;
    },
    collect(lane) {
      const list = partials[lane]?.list() ?? [];
      partials[lane] = undefined;
      return list;
    },
    value: (lists) => (lists === undefined ? partials[0]?.result() : treeValue(lists, combine)),
  };
}

export const REDUCE = stagedKind<ReduceSpec>('reduce', (spec) => [reduceStage(spec)]);
