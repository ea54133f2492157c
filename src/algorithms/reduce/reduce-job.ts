/**
 * What the leaves of a reduction run: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whoever ran which block.
 */
import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { type NamedReduction, OPERATORS } from '../kernels/operators.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { blockElements, unitBlocksFor } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { Partials } from '../schedule/reduction-tree.js';
import { checkWrites, explaining, type UserPiece } from '../schedule/user-piece.js';
import { NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';
import { foldsOf, type ReduceSpec, type UserOperator } from './reduce-folds.js';

export interface ReduceState {
  readonly grain: Grain;
  readonly cost: Cost;
  /** How many units there are, each of a few blocks. */
  readonly units: number;
  /** An empty list of partial results that begins at unit `lo`. */
  partials(lo: number): Partials;
  /** Folds units [lo, hi) and appends them. */
  run(partials: Partials, lo: number, hi: number): void;
  /** Appends what another thread made of units [lo, hi). */
  append(partials: Partials, values: readonly unknown[], lo: number, hi: number): void;
  /** The value of the whole tree. */
  result(partials: Partials): unknown;
  /** How many elements units [lo, hi) have. */
  elements(lo: number, hi: number): number;
}

/** Opens the context once, when a function first needs it: the caller may only want to know the cost. */
function lazily(shipped: ShippedContext | undefined): () => unknown {
  let context: unknown;
  let pending = shipped;
  return () => {
    if (pending !== undefined) {
      context = openContext(pending);
      pending = undefined;
    }
    return context;
  };
}

/** What errors call the user's functions. */
const CALLED = 'a function of parallelReduce';

export function openReduce(spec: ReduceSpec): ReduceState {
  const user: UserPiece = { calls: CALLED, context: spec.context };
  const contextOf = lazily(spec.context);
  const { fold, foldNode, owner } = foldsOf(spec, contextOf);
  const isNamed = typeof spec.op === 'string';
  const callsFunctions = !isNamed || spec.map !== undefined;
  const operator = (
    isNamed ? OPERATORS[spec.op as NamedReduction] : compiled(spec.op as ShippedFunction)
  ) as UserOperator;
  const { length } = spec.xs;
  const block = blockElements(length, callsFunctions);
  const blocks = Math.ceil(length / block);
  const cost = costOf(owner, callsFunctions ? 0 : NAMED_REDUCTION_NS);
  /** Whether so many whole blocks from b on are a node of the tree. The identity is in block 0. */
  const isNode = (b: number, count: number, end: number): boolean =>
    b % count === 0 && (b > 0 || spec.identity === undefined) && b + count <= end && (b + count) * block <= length;
  const foursAt = (b: number, end: number): number => {
    if (foldNode === undefined || !isNode(b, 4, end)) return 0;
    return isNode(b, 16, end) ? 4 : 1;
  };
  const unitBlocks = callsFunctions ? 1 : unitBlocksFor(blocks, spec.threshold, spec.parallelism, NODE_BLOCKS);
  const units = Math.ceil(blocks / unitBlocks);
  const endOf = (unit: number): number => Math.min(blocks, unit * unitBlocks);
  return {
    units,
    cost,
    // Where functions are called a unit is a block, and the least node is four.
    grain: new Grain({
      cost,
      unitElements: unitBlocks * block,
      units,
      threshold: spec.threshold,
      parallelism: spec.parallelism,
      together: callsFunctions ? 4 : 1,
    }),
    partials: (lo) => new Partials(lo * unitBlocks, (a, b) => operator(a, b, contextOf())),
    run: (partials, lo, hi) =>
      explaining(user, () => {
        const end = endOf(hi);
        for (let b = lo * unitBlocks; b < end; ) {
          const fours = foursAt(b, end);
          const node = fours === 0 ? undefined : foldNode?.(b * block, block, fours);
          if (node !== undefined) {
            partials.push(node, 4 * fours);
            b += 4 * fours;
          } else {
            partials.push(fold(b * block, Math.min(length, (b + 1) * block)));
            b++;
          }
        }
      }),
    append: (partials, values, lo, hi) => explaining(user, () => partials.append(values, lo * unitBlocks, endOf(hi))),
    result: (partials) => {
      const value = explaining(user, () => partials.result());
      checkWrites(user, true);
      return value;
    },
    elements: (lo, hi) => Math.min(length, hi * unitBlocks * block) - lo * unitBlocks * block,
  };
}
