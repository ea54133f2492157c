/**
 * What the tasks of `parallelUnique` and `parallelReduceByKey` run; runs on every thread that computes.
 *
 * Each block of the input is grouped alone, with a table that grows with its distinct keys, into *entries*: those keys in
 * order of first occurrence, with the values of each folded from left to right. Few entries are then grouped once more
 * by the root, block after block. Many go to buckets by another hash, in order; each bucket finds the first entry of each
 * key and folds the others into it; and the first entries, which lie in order of first occurrence, are moved together.
 *
 *     input     |  block 0  |  block 1  |  block 2  |
 *     entries   |aaa.....    bb.........|cccc.......    at the front of each block's part
 *     result    |aaabcc|
 *
 * Either way the values of a key are combined block by block in the order of the blocks, which follow from the length, so
 * the result does not depend on which way was taken, nor on the schedule.
 */

import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { type CallArrays, typeOf } from '../call/call-arrays.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { Spare } from '../schedule/spare.js';
import type { Stage } from '../schedule/stages.js';
import { MERGE_ALONE_ENTRIES } from '../tuning.js';
import type { FoldKernel, Identity } from './fold-kernel.js';
import { type GroupKernel, groupKernel, type KeyWords, keyWords } from './group-kernel.js';
import { blockWord, bucketWord, type GroupPlan, groupWords, rowWord, W_GROUPS, W_MERGED } from './group-plan.js';

/** Part of a specification that groups keys. */
export interface GroupSpec {
  readonly keys: TypedArray;
  /** Gets the distinct keys; of the same type and length. */
  readonly keysOut: TypedArray;
  /** For the entries of blocks, likewise; `keysOut` itself if there is only one block. */
  readonly entries: TypedArray;
  /** See group-plan.ts. */
  readonly words: Uint32Array;
  /** Entries by bucket, and for each entry the first one with its key: not used if there is only one block. */
  readonly order: Uint32Array;
  readonly first: Uint32Array;
  readonly plan: GroupPlan;
  readonly threshold: number;
  readonly parallelism: number;
}

/** What is folded beside the keys. */
export interface Folding {
  readonly kernel: FoldKernel;
  readonly values: TypedArray;
  /** As `keysOut` and `entries`. */
  readonly valuesOut: TypedArray;
  readonly partials: TypedArray;
  readonly identity: Identity;
  readonly context: unknown;
}

/** Tables by the logarithm of their length. One realm fills one at a time: nothing calls user code meanwhile. */
const tables: Int32Array[] = [];
/** A table that holds 16 keys. */
export const MIN_TABLE_BITS = 5;
const state = new Int32Array(1);

function tableOf(bits: number): Int32Array {
  tables[bits] ??= new Int32Array(1 << bits);
  return tables[bits].fill(0);
}

/** Groups what is put in, piece by piece, into entries from `base` on. */
export class Grouping {
  readonly #kernel: GroupKernel;
  readonly #entries: KeyWords;
  readonly #base: number;
  #bits: number;
  #table: Int32Array;
  seen = 0;

  constructor(kernel: GroupKernel, entries: KeyWords, base: number, bits: number) {
    this.#kernel = kernel;
    this.#entries = entries;
    this.#base = base;
    this.#bits = bits;
    this.#table = tableOf(bits);
  }

  /** The logarithm of the table's length: what the next block begins with. */
  get bits(): number {
    return this.#bits;
  }

  put(src: KeyWords, lo: number, hi: number, ids: Int32Array | undefined): void {
    state[0] = this.seen;
    let i = lo;
    for (;;) {
      const shift = 32 - this.#bits;
      i = this.#kernel.group(src, lo, i, hi, this.#entries, this.#base, this.#table, shift, state, ids);
      this.seen = state[0];
      if (i >= hi) return;
      this.#bits += 2;
      this.#table = tableOf(this.#bits);
      this.#kernel.insert(this.#entries, this.#base, this.seen, this.#table, 32 - this.#bits);
    }
  }
}

class GroupState {
  readonly #spec: GroupSpec;
  readonly #folding: Folding | undefined;
  readonly #kernel: GroupKernel;
  readonly #keys: KeyWords;
  readonly #entries: KeyWords;
  #bits = MIN_TABLE_BITS;
  readonly #ids: Spare<Int32Array>;

  constructor(spec: GroupSpec, folding: Folding | undefined) {
    this.#spec = spec;
    this.#folding = folding;
    this.#kernel = groupKernel(spec.keys, folding === undefined ? 'unique' : 'reduce');
    this.#keys = keyWords(spec.keys);
    this.#entries = keyWords(spec.entries);
    const { blockElements, length } = spec.plan;
    this.#ids = new Spare(() => new Int32Array(Math.min(blockElements, length)));
  }

  /** Groups blocks [lo, hi), each for itself. */
  groupBlocks(lo: number, hi: number): number {
    const { plan, words } = this.#spec;
    for (let block = lo; block < hi; block++) {
      const from = block * plan.blockElements;
      const to = Math.min(plan.length, from + plan.blockElements);
      const seen = this.#groupBlock(from, to);
      words[blockWord(block)] = seen;
      if (plan.blocks === 1) words[W_GROUPS] = seen;
      else this.#countByBucket(block, from, from + seen);
    }
    return Math.min(plan.length, hi * plan.blockElements) - lo * plan.blockElements;
  }

  #groupBlock(from: number, to: number): number {
    const grouping = new Grouping(this.#kernel, this.#entries, from, this.#bits);
    if (this.#folding === undefined) {
      grouping.put(this.#keys, from, to, undefined);
      this.#bits = grouping.bits;
      return grouping.seen;
    }
    const { kernel, values, partials, identity, context } = this.#folding;
    return this.#ids.with((ids) => {
      grouping.put(this.#keys, from, to, ids);
      this.#bits = grouping.bits;
      const own = this.#spec.plan.blocks === 1 ? identity : undefined;
      kernel.fold(ids, values as never, from, to, partials as never, from, 0, own, context);
      return grouping.seen;
    });
  }

  #countByBucket(block: number, lo: number, hi: number): void {
    const { plan, words } = this.#spec;
    const row = rowWord(plan, block);
    words.fill(0, row, row + plan.buckets);
    this.#kernel.count(this.#entries, lo, hi, words, row, this.#bucketShift);
  }

  get #bucketShift(): number {
    return 32 - Math.log2(this.#spec.plan.buckets);
  }

  /** Merges all entries at once if they are few; else says where in the order each block's entries of each bucket go. */
  mergeOrPlan(): void {
    const { plan, words } = this.#spec;
    let total = 0;
    for (let block = 0; block < plan.blocks; block++) total += words[blockWord(block)];
    words[W_MERGED] = total <= MERGE_ALONE_ENTRIES ? 1 : 0;
    if (words[W_MERGED] === 1) this.#mergeAlone();
    else this.#planBuckets();
  }

  #mergeAlone(): void {
    const { plan, words, keysOut } = this.#spec;
    const folding = this.#folding;
    const grouping = new Grouping(this.#kernel, keyWords(keysOut), 0, MIN_TABLE_BITS);
    const pieces: { readonly from: number; readonly to: number; readonly ids: Int32Array }[] = [];
    for (let block = 0; block < plan.blocks; block++) {
      const from = block * plan.blockElements;
      const to = from + words[blockWord(block)];
      const ids = folding === undefined ? undefined : new Int32Array(to - from);
      grouping.put(this.#entries, from, to, ids);
      if (ids !== undefined) pieces.push({ from, to, ids });
    }
    words[W_GROUPS] = grouping.seen;
    if (folding === undefined) return;
    const { kernel, partials, valuesOut, identity, context } = folding;
    let seen = 0; // user code from here on: the table is not used any more
    for (const { from, to, ids } of pieces) {
      seen = kernel.fold(ids, partials as never, from, to, valuesOut as never, 0, seen, identity, context);
    }
  }

  #planBuckets(): void {
    const { plan, words } = this.#spec;
    let place = 0;
    for (let bucket = 0; bucket < plan.buckets; bucket++) {
      words[bucketWord(plan, bucket)] = place;
      for (let block = 0; block < plan.blocks; block++) {
        const at = rowWord(plan, block) + bucket;
        const count = words[at];
        words[at] = place;
        place += count;
      }
    }
    words[bucketWord(plan, plan.buckets)] = place;
  }

  /** Puts the entries of blocks [lo, hi) in the order of buckets. */
  scatterBlocks(lo: number, hi: number): number {
    const { plan, words, order } = this.#spec;
    for (let block = lo; block < hi; block++) {
      const from = block * plan.blockElements;
      const to = from + words[blockWord(block)];
      this.#kernel.scatter(this.#entries, from, to, words, rowWord(plan, block), this.#bucketShift, order);
    }
    return 0;
  }

  /** Finds the first entry of each key in buckets [lo, hi), and folds the others into it. */
  mergeBuckets(lo: number, hi: number): number {
    const { plan, words, order, first } = this.#spec;
    for (let bucket = lo; bucket < hi; bucket++) {
      const from = words[bucketWord(plan, bucket)];
      const to = words[bucketWord(plan, bucket + 1)];
      const bits = Math.max(MIN_TABLE_BITS, 33 - Math.clz32(to - from));
      this.#kernel.match(this.#entries, order, from, to, tableOf(bits), 32 - bits, first);
      if (this.#folding === undefined) continue;
      const { kernel, partials, identity, context } = this.#folding;
      kernel.foldFirst(order, first, from, to, partials as never, identity, context);
    }
    return 0;
  }

  /** Counts the first entries of blocks [lo, hi), in a word of the row that is not needed any more. */
  countFirst(lo: number, hi: number): number {
    const { plan, words, first } = this.#spec;
    for (let block = lo; block < hi; block++) {
      const from = block * plan.blockElements;
      const to = from + words[blockWord(block)];
      let count = 0;
      for (let e = from; e < to; e++) if (first[e] === e) count++;
      words[rowWord(plan, block)] = count;
    }
    return 0;
  }

  /** Says where each block's first entries go. */
  placeFirst(): void {
    const { plan, words } = this.#spec;
    let place = 0;
    for (let block = 0; block < plan.blocks; block++) {
      const at = rowWord(plan, block);
      const count = words[at];
      words[at] = place;
      place += count;
    }
    words[W_GROUPS] = place;
  }

  /** Moves the first entries of blocks [lo, hi) to the result. */
  moveFirst(lo: number, hi: number): number {
    const { plan, words, first, keysOut } = this.#spec;
    const out = keyWords(keysOut);
    for (let block = lo; block < hi; block++) {
      const from = block * plan.blockElements;
      const to = from + words[blockWord(block)];
      const at = words[rowWord(plan, block)];
      this.#kernel.copyFirst(this.#entries, first, from, to, out, at);
      if (this.#folding === undefined) continue;
      const { partials, valuesOut } = this.#folding;
      let place = at;
      for (let e = from; e < to; e++) if (first[e] === e) valuesOut[place++] = partials[e] as never;
    }
    return 0;
  }
}

/** The arrays that a grouping of `keys` needs. */
export function groupArrays(
  arrays: CallArrays,
  keys: TypedArray,
  plan: GroupPlan,
): Pick<GroupSpec, 'keys' | 'keysOut' | 'entries' | 'words' | 'order' | 'first'> {
  const { length, blocks } = plan;
  const type = typeOf<TypedArray>(keys);
  const keysOut = arrays.output<TypedArray>({ into: undefined, type, shared: isShared(keys), length });
  const words = arrays.scratch(Uint32Array, groupWords(plan));
  words[W_GROUPS] = 0; // of no keys there is no block that says so
  const many = blocks > 1;
  return {
    keys: arrays.input(keys),
    keysOut,
    entries: many ? arrays.scratch<TypedArray>(type, length) : keysOut,
    words,
    order: many ? arrays.scratch(Uint32Array, length) : words,
    first: many ? arrays.scratch(Uint32Array, length) : words,
  };
}

/** The stages of a grouping; `cost` is that of an element in the first. */
export function groupStages(spec: GroupSpec, folding: Folding | undefined, cost: Cost): Stage[] {
  const { plan, words, threshold, parallelism } = spec;
  const { blocks, buckets, blockElements } = plan;
  const group = new GroupState(spec, folding);
  const grouping: Stage = {
    units: blocks,
    grain: new Grain({ cost, unitElements: blockElements, units: blocks, threshold, parallelism }),
    run: (lo, hi) => group.groupBlocks(lo, hi),
  };
  if (blocks <= 1) return [grouping];
  /** Stages that are left out when the root has merged alone. */
  const ifMany = (units: number, run: Stage['run'], before?: () => void): Stage => ({
    get units() {
      return words[W_MERGED] === 1 ? 0 : units; // plain: written by the root, which asks
    },
    grain: new Grain({ cost: new Cost(), unitElements: blockElements, units, threshold, parallelism }),
    run,
    before() {
      if (words[W_MERGED] === 0) before?.();
    },
  });
  return [
    { ...grouping, after: () => group.mergeOrPlan() },
    ifMany(blocks, (lo, hi) => group.scatterBlocks(lo, hi)),
    ifMany(buckets, (lo, hi) => group.mergeBuckets(lo, hi)),
    ifMany(blocks, (lo, hi) => group.countFirst(lo, hi)),
    ifMany(
      blocks,
      (lo, hi) => group.moveFirst(lo, hi),
      () => group.placeFirst(),
    ),
  ];
}
