/**
 * The stage of a reduction, of an array or of a range of integers: blocks of fixed size, which a kernel or the user's functions fold, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whichever thread ran which block.
 */
import {
  compiled,
  disown,
  observerHere,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  specialize,
} from '../../core/engine.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { namedReduction } from '../kernels/named-reductions.js';
import { type NamedReduction, OPERATORS } from '../kernels/operators.js';
import { refusePromise } from '../returned-promise.js';
import { accumulator, type ShippedIdentity, startOf } from '../schedule/accumulator.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { blockElements, type Cut, cutInto } from '../schedule/cut.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { evenPart } from '../schedule/partition.js';
import { type Combine, Partials, treeValue } from '../schedule/reduction-tree.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import { NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';

export interface ReduceSpec extends ShareOptions {
  /** Undefined for a range of integers. */
  readonly xs: TypedArray | undefined;
  /** The first integer of a range. */
  readonly from: number;
  /** Number of elements, integers or parts. */
  readonly elements: number;
  /** Number of integers in the parts of a range, where the map takes parts. Each is a block of its own. */
  readonly inParts?: number | undefined;
  readonly op: NamedReduction | ShippedFunction;
  readonly map: ShippedFunction | undefined;
  readonly identity: ShippedIdentity | undefined;
  readonly context: ShippedContext | undefined;
  /** True if the values of the tree are to know their cost: all threads must do the same. */
  readonly isCounted: boolean;
}

/** Folds elements [lo, hi), from `acc` on: those of an array, or the integers from `xs` on. */
type FoldElements = (
  xs: ArrayLike<unknown> | number,
  lo: number,
  hi: number,
  acc: unknown,
  context: unknown,
) => unknown;
type UserOperator = (a: unknown, b: unknown, context?: unknown) => unknown;
type UserMap = (x: unknown, i: number, context: unknown) => unknown;
type UserMapOfRange = (i: number, context: unknown) => unknown;
type UserMapOfParts = (lo: number, hi: number, context: unknown) => unknown;

/** The map of a reduction that has none. V8 inlines it to nothing. */
const same: UserMap = (x) => x;

/** A template, see specialize.ts. While results are numbers they stay in a register; the second loop takes anything. */
const makeFold = (op: UserOperator, map: UserMap) =>
  function fold(xs: ArrayLike<unknown>, lo: number, hi: number, acc: unknown, context: unknown): unknown {
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

/** A template, as `makeFold`. */
const makeRangeFold = (op: UserOperator, map: UserMapOfRange) =>
  function foldRange(from: number, lo: number, hi: number, acc: unknown, context: unknown): unknown {
    let i = from + lo;
    const end = from + hi;
    if (typeof acc === 'number') {
      let sum: number = acc;
      while (i < end) {
        const next = op(sum, map(i++, context), context);
        if (typeof next !== 'number') {
          acc = next;
          break;
        }
        sum = next;
      }
      if (typeof acc === 'number') return sum;
    }
    for (; i < end; i++) acc = op(acc, map(i, context), context);
    return acc;
  };

/**
 * Folds a node of the tree, four blocks of n elements from lo on, or sixteen: `fours` is 1 or 4; undefined if anything is not
 * a number.
 */
type FoldNode = (xs: ArrayLike<unknown>, lo: number, n: number, fours: number, context: unknown) => number | undefined;

/** A template, see specialize.ts. Four chains side by side: none waits for itself. `drop` takes what is no number, and gives undefined. */
const makeFoldNode = (op: UserOperator, map: UserMap, drop: (...values: unknown[]) => undefined): FoldNode =>
  function foldNode(xs, lo, n, fours, context) {
    let one = 0;
    let two = 0;
    for (let k = 0; k < fours; k++, lo += 4 * n) {
      let a = map(xs[lo], lo, context);
      let b = map(xs[lo + n], lo + n, context);
      let c = map(xs[lo + 2 * n], lo + 2 * n, context);
      let d = map(xs[lo + 3 * n], lo + 3 * n, context);
      for (let i = lo + 1; i < lo + n; i++) {
        if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') {
          return drop(a, b, c, d);
        }
        a = op(a, map(xs[i], i, context), context);
        b = op(b, map(xs[i + n], i + n, context), context);
        c = op(c, map(xs[i + 2 * n], i + 2 * n, context), context);
        d = op(d, map(xs[i + 3 * n], i + 3 * n, context), context);
      }
      if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') {
        return drop(a, b, c, d);
      }
      const left = op(a, b, context);
      const right = op(c, d, context);
      if (typeof left !== 'number' || typeof right !== 'number') return drop(left, right);
      let value = op(left, right, context);
      if (typeof value !== 'number') return drop(value);
      if (k % 2 === 0) one = value;
      else {
        value = op(one, value, context);
        if (typeof value !== 'number') return drop(value);
        if (k === 1) two = value;
        else one = op(two, value, context) as number;
      }
    }
    return typeof one === 'number' ? one : drop(one);
  };

/** Name of the one of the two algorithms. */
const algorithmOf = ({ xs }: ReduceSpec): string => (xs === undefined ? 'parallelReduceRange' : 'parallelReduce');

/** The option that the map was given by. */
const mapName = ({ inParts }: ReduceSpec): string => (inParts === undefined ? 'map' : 'mapRange');

/** Checks that a map gave a named operation numbers or bigints. */
function checkMapped(name: string, what: string, value: unknown): void {
  if (typeof value === 'number' || typeof value === 'bigint') return;
  throw new TypeError(
    `furcate: ${name}: ${what} must return numbers (or bigints) for a named reduction, but the results were of type ${typeof value}.`,
  );
}

export const callsFunctions = ({ op, map }: ReduceSpec): boolean => typeof op !== 'string' || map !== undefined;

const operatorOf = (op: ReduceSpec['op']): UserOperator =>
  (typeof op === 'string' ? OPERATORS[op] : compiled(op)) as UserOperator;

const mapOf = (map: ReduceSpec['map']): UserMap => (map === undefined ? same : (compiled(map) as UserMap));

const dropAll = (...values: unknown[]): undefined => void values.forEach(disown);

const foldFor = ({ xs, op, map }: ReduceSpec): FoldElements =>
  (xs === undefined
    ? specialize(makeRangeFold, 'range', operatorOf(op), mapOf(map) as UserMapOfRange)
    : specialize(makeFold, typeOfView(xs), operatorOf(op), mapOf(map))) as FoldElements;

/** Cost of an element. The cost belongs to the function that folds a block, or to the one that takes a part. */
export const costOfReduce = (spec: ReduceSpec): Cost =>
  callsFunctions(spec)
    ? costOf(spec.inParts === undefined ? foldFor(spec) : mapOf(spec.map))
    : costOf(namedReduction(spec.op as NamedReduction, spec.xs as TypedArray).owner, NAMED_REDUCTION_NS);

interface BlockFolds {
  /** Folds elements [lo, hi), a block. */
  readonly fold: (lo: number, hi: number) => unknown;
  /** `fours` times four blocks of n elements, as the tree combines them, or undefined where `fold` has to do it. */
  readonly foldNode: ((lo: number, n: number, fours: number) => unknown) | undefined;
  readonly combine: Combine;
  /** As `costOfReduce` gives it. */
  readonly cost: Cost;
  /** Makes the result of the value of the tree. */
  readonly finish?: (value: unknown, calls: string) => unknown;
}

/** Checks whether this call is observed so that the cost of each of its values counts. */
export const isCounted = (): boolean => observerHere()?.isFine === true;

/** A value of the tree, and the cost of the costliest chain that leads to it. */
type Counted = readonly [value: unknown, cost: number];

/** Folds whose values know their cost, for who observes: so the span is that of the tree, whoever combines what, and when. */
function counted({ fold, combine, cost }: BlockFolds): BlockFolds {
  const aside = (run: () => unknown): Counted => observerHere()?.aside(run) ?? [run(), 0];
  return {
    cost,
    foldNode: undefined,
    fold: (lo, hi) => aside(() => fold(lo, hi)),
    combine(left, right) {
      const [[a, before], [b, beside]] = [left as Counted, right as Counted];
      const [value, own] = aside(() => combine(a, b));
      return [value, Math.max(before, beside) + own];
    },
    finish(tree, calls) {
      const [value, span] = tree as Counted;
      observerHere()?.advance(calls, span);
      return value;
    },
  };
}

function namedFolds({ xs, op, identity }: ReduceSpec): BlockFolds {
  const { fold, four, owner } = namedReduction(op as NamedReduction, xs as TypedArray);
  const combine = operatorOf(op);
  const eight = (lo: number, n: number): number => (four ? four(lo, n, 0) + four(lo + 4 * n, n, 0) : 0);
  return {
    combine,
    cost: costOf(owner, NAMED_REDUCTION_NS),
    foldNode: four && ((lo, n, fours) => (fours === 1 ? four(lo, n, 0) : eight(lo, n) + eight(lo + 8 * n, n))),
    fold: identity === undefined ? fold : (lo, hi) => (lo === 0 ? combine(identity.data, fold(lo, hi)) : fold(lo, hi)),
  };
}

function foldsOf(spec: ReduceSpec): BlockFolds {
  if (!callsFunctions(spec)) return namedFolds(spec);
  const { op, identity, from, elements, inParts } = spec;
  const name = algorithmOf(spec);
  const xs = spec.xs as ArrayLike<unknown> | undefined;
  const operator = operatorOf(op);
  const map = mapOf(spec.map);
  const context = spec.context && openContext(spec.context);
  const fold = foldFor(spec);
  const node = xs && specialize(makeFoldNode, typeOfView(spec.xs as TypedArray), operator, map, dropAll);
  const mapped = (i: number): unknown => {
    if (inParts !== undefined) {
      const [lo, hi] = [evenPart(inParts, elements, i), evenPart(inParts, elements, i + 1)];
      return refusePromise((map as UserMapOfParts)(from + lo, from + hi, context));
    }
    if (xs === undefined) return refusePromise((map as UserMapOfRange)(from + i, context));
    return map === same ? xs[i] : refusePromise(map(xs[i], i, context));
  };
  const combine: Combine = (a, b) => refusePromise(operator(a, b, context));
  return {
    combine,
    cost: costOfReduce(spec),
    fold(lo, hi) {
      // The first results are looked at. For so few elements V8 would optimise the loop for calling the operator seldom, too: not inlined,
      // and ten times slower.
      let i = lo;
      let value = mapped(i++);
      if (typeof op === 'string') checkMapped(name, mapName(spec), value);
      value = lo === 0 && identity !== undefined ? combine(startOf(identity), value) : accumulator(value);
      if (i < hi) value = combine(value, mapped(i++));
      if (i < hi) value = refusePromise(fold(xs ?? from, i, hi, value, context));
      if (typeof op === 'string') checkMapped(name, mapName(spec), value);
      return value;
    },
    foldNode:
      node &&
      ((lo, n, fours) => {
        try {
          return node(xs as ArrayLike<unknown>, lo, n, fours, context);
        } catch {
          return undefined; // one by one, the error of the lowest index comes first
        }
      }),
  };
}

/**
 * The one stage of a reduction. A unit is a block where functions are called, and else several. It is a class, because closures
 * that are made for each call add 0.6 us to a sum of ten elements.
 */
class ReduceStage implements WorkStage {
  readonly calls: string;
  readonly byLane = true;
  readonly context: ShippedContext | undefined;
  readonly units: number;
  readonly grain: Grain;
  readonly #folds: BlockFolds;
  readonly #spec: ReduceSpec;
  readonly #cut: Cut;
  /** By lane. */
  readonly #partials: (Partials | undefined)[] = [];

  constructor(spec: ReduceSpec) {
    const { elements, op, map, context, threshold, parallelism } = spec;
    const hasFunctions = callsFunctions(spec);
    const called = map === undefined ? 'op' : typeof op === 'string' ? mapName(spec) : 'a function';
    this.calls = `${called} of ${algorithmOf(spec)}`;
    this.context = context;
    this.#folds = spec.isCounted ? counted(foldsOf(spec)) : foldsOf(spec);
    this.#spec = spec;
    const block = spec.inParts === undefined ? blockElements(elements, hasFunctions) : 1;
    this.#cut = cutInto(block, elements, spec, hasFunctions ? 1 : NODE_BLOCKS);
    this.units = this.#cut.units;
    this.grain = new Grain({
      cost: this.#folds.cost,
      unitElements: this.#cut.unit,
      units: this.units,
      threshold,
      parallelism,
      together: hasFunctions && spec.inParts === undefined ? 4 : 1, // the least node, in blocks
    });
  }

  run(lo: number, hi: number, lane: number): number {
    const { fold, foldNode, combine } = this.#folds;
    const length = this.#spec.elements;
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
    const value = lists === undefined ? this.#partials[0]?.result() : treeValue(lists, this.#folds.combine);
    return this.#folds.finish === undefined ? value : this.#folds.finish(value, this.calls);
  }

  /** Checks whether so many whole blocks from `b` on are a node of the tree. The identity is in block 0. */
  #isNode(b: number, count: number, end: number): boolean {
    if (b % count !== 0 || (b === 0 && this.#spec.identity !== undefined)) return false;
    return b + count <= end && (b + count) * this.#cut.block <= this.#spec.elements;
  }
}

export const REDUCE = stagedKind<ReduceSpec>('reduce', (spec) => [new ReduceStage(spec)]);
