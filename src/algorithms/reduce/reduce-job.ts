/**
 * What the leaves of a reduction run: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whoever ran which block.
 */
import { compiled, openContext, type ShippedContext } from '../../core/code/source.js';
import { OPERATORS } from '../kernels/operators.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { blockElements, unitBlocksFor } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { Partials } from '../schedule/reduction-tree.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';
import { foldsOf, type ReduceSpec, type UserOperator } from './reduce-folds.js';

/** What a lane has made of units [lo, hi), which it ran one after the other. */
interface Run {
  readonly lo: number;
  hi: number;
  readonly partials: Partials;
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

/** What an element costs, by the function that folds it. */
export function costOfReduce(spec: ReduceSpec): Cost {
  const { owner } = foldsOf(spec, () => undefined);
  return costOf(owner, callsFunctions(spec) ? 0 : NAMED_REDUCTION_NS);
}

export const callsFunctions = ({ op, map }: ReduceSpec): boolean => typeof op !== 'string' || map !== undefined;

function openReduce(spec: ReduceSpec): [Stage] {
  const contextOf = lazily(spec.context);
  const { fold, foldNode, owner } = foldsOf(spec, contextOf);
  const operator = (typeof spec.op === 'string' ? OPERATORS[spec.op] : compiled(spec.op)) as UserOperator;
  const combine = (a: unknown, b: unknown): unknown => operator(a, b, contextOf());
  const hasFunctions = callsFunctions(spec);
  const { length } = spec.xs;
  const block = blockElements(length, hasFunctions);
  const blocks = Math.ceil(length / block);
  const cost = costOf(owner, hasFunctions ? 0 : NAMED_REDUCTION_NS);
  /** Whether so many whole blocks from b on are a node of the tree. The identity is in block 0. */
  const isNode = (b: number, count: number, end: number): boolean =>
    b % count === 0 && (b > 0 || spec.identity === undefined) && b + count <= end && (b + count) * block <= length;
  const foursAt = (b: number, end: number): number => {
    if (foldNode === undefined || !isNode(b, 4, end)) return 0;
    return isNode(b, 16, end) ? 4 : 1;
  };
  const unitBlocks = hasFunctions ? 1 : unitBlocksFor(blocks, spec.threshold, spec.parallelism, NODE_BLOCKS);
  const units = Math.ceil(blocks / unitBlocks);
  const endOf = (unit: number): number => Math.min(blocks, unit * unitBlocks);
  const lanes = new Map<number, Run[]>();
  const runFrom = (lo: number, lane: number): Run => {
    const runs = lanes.get(lane) ?? [];
    const last = runs.at(-1);
    if (last !== undefined && last.hi === lo) return last;
    const run = { lo, hi: lo, partials: new Partials(lo * unitBlocks, combine) };
    lanes.set(lane, runs.concat(run));
    return run;
  };
  return [
    {
      units,
      calls: CALLED,
      context: spec.context,
      // Where functions are called a unit is a block, and the least node is four.
      grain: new Grain({
        cost,
        unitElements: unitBlocks * block,
        units,
        threshold: spec.threshold,
        parallelism: spec.parallelism,
        together: hasFunctions ? 4 : 1,
      }),
      run(lo, hi, lane) {
        const run = runFrom(lo, lane);
        const { partials } = run;
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
        run.hi = hi;
        return Math.min(length, end * block) - lo * unitBlocks * block;
      },
      collect(lane) {
        const runs = lanes.get(lane) ?? [];
        lanes.delete(lane);
        return runs.flatMap(({ lo, hi, partials: { values } }) => [lo, hi, values.length, ...values]);
      },
      value(collected) {
        const runs = runsIn(collected);
        const whole = new Partials(0, combine);
        for (const [lo, hi, values] of runs) whole.append(values, lo * unitBlocks, endOf(hi));
        return whole.result();
      },
    },
  ];
}

/** Of what lanes have collected: units [lo, hi), and the values of the nodes over them, from left to right. */
function runsIn(collected: readonly unknown[]): [lo: number, hi: number, values: readonly unknown[]][] {
  const runs: [number, number, readonly unknown[]][] = [];
  for (let at = 0; at < collected.length; ) {
    const [lo, hi, count] = collected.slice(at, at + 3) as [number, number, number];
    runs.push([lo, hi, collected.slice(at + 3, at + 3 + count)]);
    at += 3 + count;
  }
  return runs.sort(([a], [b]) => a - b);
}

export const REDUCE = stagedKind<ReduceSpec>('reduce', openReduce);
