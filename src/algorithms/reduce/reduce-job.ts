/**
 * What the leaves of a reduction run: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of partials.ts. So the result is the same bit
 * for bit whoever ran which block.
 */

import { addProgress, jobKind, jobState } from '../../core/call/job.js';
import { builtin } from '../../core/code/registry.js';
import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { fresh } from '../../core/code/specialize.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { type Fork, type Forkable, fork, join } from '../../core/task/function-task.js';
import { checkWrites, explaining, type UserPiece } from '../call/user-function.js';
import { type NamedReduction, namedKernel, OPERATORS } from '../kernels/named-reductions.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { blockElements } from '../schedule/cut.js';
import { Partials } from '../schedule/reduction-tree.js';
import { Grain, splitRange, unitBlocksFor } from '../schedule/split.js';
import { NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';

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
    grain: new Grain(cost, unitBlocks * block, units, spec.threshold, spec.parallelism, callsFunctions ? 4 : 1),
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

export const REDUCE = jobKind<ReduceSpec, ReduceState>('reduce', openReduce);

/**
 * What a task gives back: milliseconds spent on its blocks, by all threads together, then its partial results; of a task that
 * has all units, the result, since what forks cannot run on the caller.
 */
export type ReduceResult = [busyMs: number, ...values: unknown[]];

export const reduceTask: Forkable<[job: number, lo: number, hi: number], ReduceResult> = builtin(
  'reduce',
  (job: number, lo: number, hi: number): ReduceResult => {
    const state = jobState(REDUCE, job);
    const partials = state.partials(lo);
    let stolenMs = 0;
    const forkPart = (from: number, to: number): Fork<ReduceResult> => fork(reduceTask, job, from, to);
    const block = (from: number, to: number): number => {
      state.run(partials, from, to);
      addProgress(job, state.elements(from, to));
      return to - from;
    };
    const busyMs = splitRange(lo, hi, state.grain, forkPart, block, (part, from, to) => {
      const [ms, ...values] = join(part);
      stolenMs += ms;
      state.append(partials, values, from, to);
    });
    const isWhole = lo === 0 && hi === state.units;
    return isWhole ? [busyMs + stolenMs, state.result(partials)] : [busyMs + stolenMs, ...partials.values];
  },
);
