/**
 * The stage of a reduction: blocks of fixed size, combined in a fixed tree; runs on every thread that computes.
 *
 * A block is folded from left to right; the first block begins with the identity, every other with its own first
 * element, so that the identity counts once, as in `Array.prototype.reduce`. Block boundaries follow from the length, the
 * element type and whether there are functions to call; the tree is that of reduction-tree.ts. So the result is the same bit
 * for bit whoever ran which block.
 */
import { openContext, type ShippedContext } from '../../core/code/source.js';
import type { TypedArray } from '../../core/memory/element-types.js';

import { type Cost, costOf } from '../schedule/cost.js';
import { blockElements, unitBlocksFor } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { type Combine, Partials } from '../schedule/reduction-tree.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { NAMED_REDUCTION_NS, NODE_BLOCKS } from '../tuning.js';
import { type BlockFolds, foldOwner, foldsOf, operatorOf, type ReduceSpec } from './reduce-folds.js';

/** What a lane has made of units [lo, hi), which it ran one after the other. */
interface Run {
  readonly lo: number;
  hi: number;
  readonly partials: Partials;
}

/** What errors call the user's functions. */
const CALLED = 'a function of parallelReduce';

export const callsFunctions = ({ op, map }: ReduceSpec): boolean => typeof op !== 'string' || map !== undefined;

/** What an element costs, by the function that folds it. */
export const costOfReduce = (spec: ReduceSpec): Cost =>
  costOf(foldOwner(spec), callsFunctions(spec) ? 0 : NAMED_REDUCTION_NS);

/** The one stage of a reduction. A unit is a block where functions are called, and else several. */
class ReduceStage implements Stage {
  readonly units: number;
  readonly grain: Grain;
  readonly calls = CALLED;
  readonly context: ShippedContext | undefined;
  readonly #xs: TypedArray;
  readonly #hasIdentity: boolean;
  readonly #folds: BlockFolds;
  readonly #combine: Combine;
  /** Elements in a block. */
  readonly #block: number;
  readonly #blocks: number;
  readonly #unitBlocks: number;
  /** By lane. */
  readonly #runs: (Run[] | undefined)[] = [];
  #opened: unknown;
  #isOpen = false;

  constructor(spec: ReduceSpec) {
    const { xs, op, threshold, parallelism } = spec;
    const hasFunctions = callsFunctions(spec);
    const operator = operatorOf(op);
    const contextOf = spec.context === undefined ? nothing : () => this.#openContext();
    this.context = spec.context;
    this.#xs = xs;
    this.#hasIdentity = spec.identity !== undefined;
    this.#folds = foldsOf(spec, contextOf);
    this.#combine = hasFunctions ? (a, b) => operator(a, b, contextOf()) : (operator as Combine);
    this.#block = blockElements(xs.length, hasFunctions);
    this.#blocks = Math.ceil(xs.length / this.#block);
    this.#unitBlocks = hasFunctions ? 1 : unitBlocksFor(this.#blocks, threshold, parallelism, NODE_BLOCKS);
    this.units = Math.ceil(this.#blocks / this.#unitBlocks);
    this.grain = new Grain({
      cost: costOf(this.#folds.owner, hasFunctions ? 0 : NAMED_REDUCTION_NS),
      unitElements: this.#unitBlocks * this.#block,
      units: this.units,
      threshold,
      parallelism,
      together: hasFunctions ? 4 : 1, // the least node, in blocks
    });
  }

  run(lo: number, hi: number, lane: number): number {
    const run = this.#runFrom(lo, lane);
    const { fold, foldNode } = this.#folds;
    const { length } = this.#xs;
    const block = this.#block;
    const end = this.#endOf(hi);
    for (let b = lo * this.#unitBlocks; b < end; ) {
      const fours = foldNode === undefined ? 0 : this.#foursAt(b, end);
      const node = fours === 0 ? undefined : foldNode?.(b * block, block, fours);
      if (node !== undefined) {
        run.partials.push(node, 4 * fours);
        b += 4 * fours;
      } else {
        run.partials.push(fold(b * block, Math.min(length, (b + 1) * block)));
        b++;
      }
    }
    run.hi = hi;
    return Math.min(length, end * block) - lo * this.#unitBlocks * block;
  }

  collect(lane: number): unknown[] {
    const collected: unknown[] = [];
    for (const { lo, hi, partials } of this.#runs[lane] ?? []) {
      const { values } = partials; // a copy
      collected.push(lo, hi, values.length, ...values);
    }
    this.#runs[lane] = undefined;
    return collected;
  }

  value(collected?: readonly unknown[]): unknown {
    if (collected === undefined) return this.#runs[0]?.[0].partials.result();
    const whole = new Partials(0, this.#combine);
    for (const [lo, hi, values] of runsIn(collected)) whole.append(values, lo * this.#unitBlocks, this.#endOf(hi));
    return whole.result();
  }

  /** The run of this lane that ends at unit `lo`, or a new one. */
  #runFrom(lo: number, lane: number): Run {
    this.#runs[lane] ??= [];
    const runs = this.#runs[lane];
    const last = runs[runs.length - 1];
    if (last !== undefined && last.hi === lo) return last;
    const run = { lo, hi: lo, partials: new Partials(lo * this.#unitBlocks, this.#combine) };
    runs.push(run);
    return run;
  }

  /** The block where a unit begins. */
  #endOf(unit: number): number {
    return Math.min(this.#blocks, unit * this.#unitBlocks);
  }

  /** How many times four blocks from `b` on are a node of the tree: 0, 1 or 4. */
  #foursAt(b: number, end: number): number {
    if (!this.#isNode(b, 4, end)) return 0;
    return this.#isNode(b, 16, end) ? 4 : 1;
  }

  /** Whether so many whole blocks are a node of the tree. The identity is in block 0. */
  #isNode(b: number, count: number, end: number): boolean {
    return (
      b % count === 0 &&
      (b > 0 || !this.#hasIdentity) &&
      b + count <= end &&
      (b + count) * this.#block <= this.#xs.length
    );
  }

  /** Opens the context once, when a function first needs it. */
  #openContext(): unknown {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#opened = openContext(this.context as ShippedContext);
    }
    return this.#opened;
  }
}

const nothing = (): undefined => undefined;

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

export const REDUCE = stagedKind<ReduceSpec>('reduce', (spec) => [new ReduceStage(spec)]);
