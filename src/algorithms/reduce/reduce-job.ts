/**
 * What the leaves of a reduction run: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whoever ran which block.
 */

import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { fresh } from '../../core/code/specialize.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { type NamedReduction, namedKernel, OPERATORS } from '../kernels/named-reductions.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { Partials } from '../schedule/reduction-tree.js';
import { Grain, unitBlocksFor } from '../schedule/split.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { MAX_REDUCE_BLOCK, MIN_REDUCE_BLOCKS, NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';

export interface ReduceSpec {
  readonly xs: TypedArray;
  readonly op: NamedReduction | ShippedFunction;
  readonly map: ShippedFunction | undefined;
  /** In a box, since undefined may be one. */
  readonly identity: readonly [unknown] | undefined;
  readonly context: ShippedContext | undefined;
  readonly threshold: number;
  readonly parallelism: number;
}

/** What a lane has made of units [lo, hi), which it ran one after the other. */
interface Run {
  readonly lo: number;
  hi: number;
  readonly partials: Partials;
}

/** Folds elements [lo, hi), from `acc` on or, without one, from the first element on. */
type Fold = (
  xs: ArrayLike<unknown>,
  lo: number,
  hi: number,
  hasAcc: boolean,
  acc: unknown,
  context: unknown,
) => unknown;
type UserOperator = (a: unknown, b: unknown, context: unknown) => unknown;
type UserMap = (x: unknown, i: number, context: unknown) => unknown;

/** The map of a reduction that has none: V8 makes nothing of it. */
const same: UserMap = (x) => x;

/** A maker, see fresh.ts. While results are numbers they stay in a register; the second loop takes anything. */
const makeFold = (op: UserOperator, map: UserMap): Fold =>
  function fold(xs, lo, hi, hasAcc, acc, context) {
    if (!hasAcc) acc = map(xs[lo], lo++, context);
    let i = lo;
    if (typeof acc === 'number') {
      let sum: number = acc;
      while (i < hi) {
        const next = op(sum, map(xs[i], i++, context), context);
        if (typeof next !== 'number') {
          acc = next;
          break;
        }
        sum = next;
      }
      if (typeof acc === 'number') return sum;
    }
    for (; i < hi; i++) acc = op(acc, map(xs[i], i, context), context);
    return acc;
  };

/**
 * Folds a node of the tree, four blocks of n elements from lo on, or sixteen: `fours` is 1 or 4; undefined if anything is not
 * a number.
 */
type FoldNode = (xs: ArrayLike<unknown>, lo: number, n: number, fours: number, context: unknown) => number | undefined;

/** A maker, see fresh.ts. Four chains side by side: none waits for itself. */
const makeFoldNode = (op: UserOperator, map: UserMap): FoldNode =>
  function foldNode(xs, lo, n, fours, context) {
    let one = 0;
    let two = 0;
    for (let k = 0; k < fours; k++, lo += 4 * n) {
      let a = map(xs[lo], lo, context);
      let b = map(xs[lo + n], lo + n, context);
      let c = map(xs[lo + 2 * n], lo + 2 * n, context);
      let d = map(xs[lo + 3 * n], lo + 3 * n, context);
      for (let i = lo + 1; i < lo + n; i++) {
        if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') return;
        a = op(a, map(xs[i], i, context), context);
        b = op(b, map(xs[i + n], i + n, context), context);
        c = op(c, map(xs[i + 2 * n], i + 2 * n, context), context);
        d = op(d, map(xs[i + 3 * n], i + 3 * n, context), context);
      }
      if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') return;
      let value = op(op(a, b, context), op(c, d, context), context);
      if (typeof value !== 'number') return;
      if (k % 2 === 0) one = value;
      else {
        value = op(one, value, context);
        if (typeof value !== 'number') return;
        if (k === 1) two = value;
        else one = op(two, value, context) as number;
      }
    }
    return typeof one === 'number' ? one : undefined;
  };

/** Elements in a block. Functions may be dear, so a short array gives small blocks; named reductions are never dear. */
export function blockElements(elements: number, callsFunctions: boolean): number {
  if (!callsFunctions) return MAX_REDUCE_BLOCK;
  let block = 1;
  while (block < MAX_REDUCE_BLOCK && 2 * block * MIN_REDUCE_BLOCKS <= elements) block *= 2;
  return block;
}

/** Makes sure that a named operation got what it can work on. */
function checkMapped(value: unknown): void {
  if (typeof value === 'number' || typeof value === 'bigint') return;
  throw new TypeError(
    `furcate: parallelReduce: map must return numbers (or bigints) for a named reduction, but the results were of type ${typeof value}.`,
  );
}

interface BlockFolds {
  /** Folds elements [lo, hi), a block. */
  readonly fold: (lo: number, hi: number) => unknown;
  /** `fours` times four blocks of n elements, as the tree combines them, or undefined where `fold` has to do it. */
  readonly foldNode: ((lo: number, n: number, fours: number) => unknown) | undefined;
  /** Whose cost it is. */
  readonly owner: object;
}

function foldsOf(spec: ReduceSpec, contextOf: () => unknown): BlockFolds {
  const { xs, op, map: shippedMap, identity } = spec;
  const type = typeOfView(xs);
  if (typeof op === 'string' && shippedMap === undefined) {
    const { source, kernel, four, sixteen } = namedKernel(op, xs, type);
    const combine = OPERATORS[op];
    return {
      foldNode:
        four === undefined || sixteen === undefined
          ? undefined
          : (lo, n, fours) => (fours === 1 ? four(source, lo, n, 0) : sixteen(source, lo, n)),
      fold: (lo, hi) => {
        const value = kernel(source, lo, hi);
        return lo === 0 && identity !== undefined ? combine(identity[0], value) : value;
      },
      owner: kernel,
    };
  }
  const named = typeof op === 'string';
  const operator = (named ? OPERATORS[op] : compiled(op)) as UserOperator;
  const map = shippedMap === undefined ? same : (compiled(shippedMap) as UserMap);
  const fold = fresh(makeFold, type, operator, map);
  const node = fresh(makeFoldNode, type, operator, map);
  return {
    fold: (lo, hi) => {
      const hasAcc = lo === 0 && identity !== undefined;
      // Not by the loop, which V8 would optimise for calling the operator seldom: not inlined, and ten times slower.
      if (map === same && hi - lo === 1 && !hasAcc) return xs[lo];
      const value = fold(xs as ArrayLike<unknown>, lo, hi, hasAcc, hasAcc ? identity[0] : undefined, contextOf());
      if (named) checkMapped(value);
      return value;
    },
    foldNode(lo, n, fours) {
      try {
        return node(xs as ArrayLike<unknown>, lo, n, fours, contextOf());
      } catch {
        return undefined; // one by one, the error of the lowest index comes first
      }
    },
    owner: fold,
  };
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
      grain: new Grain(cost, unitBlocks * block, units, spec.threshold, spec.parallelism, hasFunctions ? 4 : 1),
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
