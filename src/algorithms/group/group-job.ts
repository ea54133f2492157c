/**
 * What the tasks of `parallelUnique` and `parallelReduceByKey` run; runs on every thread that computes.
 *
 * Each block of the input is grouped alone, with a table that grows with its distinct keys, into *entries*: those keys in
 * order of first occurrence, with the values of each folded from left to right. Entries then go to buckets by another hash, in order;
 * each bucket finds the first entry of each key and folds the others into it; and the first entries, which lie in order of first
 * occurrence, are moved together. The root does that alone where entries are few.
 *
 *     input     |  block 0  |  block 1  |  block 2  |
 *     entries   |aaa.....    bb.........|cccc.......    at the front of each block's part
 *     result    |aaabcc|
 *
 * The values of a key are combined block by block in the order of the blocks, which follow from the length, so the result does not
 * depend on the schedule.
 */

import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { type CallArrays, typeOf } from '../call/call-arrays.js';
import { Cost } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { Spare } from '../schedule/spare.js';
import type { Stage } from '../schedule/stages.js';
import type { UserPiece } from '../schedule/user-piece.js';
import {
  BUCKET_ELEMENTS,
  GROUP_BLOCKS,
  MAX_BUCKETS,
  MAX_GROUP_BLOCK,
  MERGE_ALONE_ENTRIES,
  MIN_BUCKETS,
  MIN_GROUP_BLOCK,
} from '../tuning.js';
import type { FoldKernel, Identity } from './fold-kernel.js';
import { type GroupKernel, groupKernel, type KeyWords, keyWords } from './group-kernel.js';

/** How the keys of a call are cut into blocks and buckets, which follows from the length alone. */
export interface GroupPlan {
  readonly length: number;
  readonly blockElements: number;
  readonly blocks: number;
  /** A power of two; of one block there are no buckets. */
  readonly buckets: number;
}

/** Words of a grouping: how many groups there are, and whether the root has merged the entries already. */
export const W_GROUPS = 0;
const W_MERGED = 1;

export function groupPlan(length: number): GroupPlan {
  let blockElements = MIN_GROUP_BLOCK;
  while (blockElements < MAX_GROUP_BLOCK && blockElements * GROUP_BLOCKS < length) blockElements *= 2;
  let buckets = MIN_BUCKETS;
  while (buckets < MAX_BUCKETS && buckets * BUCKET_ELEMENTS < length) buckets *= 2;
  const blocks = Math.ceil(length / blockElements);
  return { length, blockElements, blocks, buckets: blocks > 1 ? buckets : 0 };
}

/** The word that holds the number of entries of a block. */
const blockWord = (block: number): number => 2 + block;

/** The word that holds where a bucket begins in the order. Behind the last bucket there is the end of the order. */
const bucketWord = ({ blocks }: GroupPlan, bucket: number): number => blockWord(blocks) + bucket;

/** The first word of a block's row of counts, one for each bucket. Later it holds where the first entries of the block go. */
const rowWord = (plan: GroupPlan, block: number): number => bucketWord(plan, plan.buckets + 1) + block * plan.buckets;

/** How many words there are. */
const groupWords = (plan: GroupPlan): number => (plan.blocks <= 1 ? 2 : rowWord(plan, plan.blocks));

/** Part of a specification that groups keys. */
export interface GroupSpec {
  readonly keys: TypedArray;
  /** Gets the distinct keys; of the type and length of `keys`. */
  readonly keysOut: TypedArray;
  /** The entries of blocks; of the type and length of `keys`. It is `keysOut` itself if there is only one block. */
  readonly entries: TypedArray;
  /** See `W_GROUPS` and `blockWord`. */
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

/** Tables by the logarithm of their length. A realm fills one at a time, since user code is not called while a table is in use. */
const tables: Int32Array[] = [];
/** The logarithm of the length of the smallest table, which holds 16 keys. */
const MIN_TABLE_BITS = 5;
const state = new Int32Array(1);
/** The group of each key of a block. */
const idsOfBlock = new Spare(() => new Int32Array(MAX_GROUP_BLOCK));

function tableOf(bits: number): Int32Array {
  tables[bits] ??= new Int32Array(1 << bits);
  return tables[bits].fill(0);
}

/** Groups the keys that are put in, piece by piece, into entries from `base` on. */
class Grouping {
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

  /** The logarithm of the table's length, with which the next block begins. */
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

  constructor(spec: GroupSpec, folding: Folding | undefined) {
    this.#spec = spec;
    this.#folding = folding;
    this.#kernel = groupKernel(spec.keys, folding !== undefined);
    this.#keys = keyWords(spec.keys);
    this.#entries = keyWords(spec.entries);
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
    return idsOfBlock.with((ids) => {
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

  /** Says where in the order each block's entries of each bucket go, and merges all entries at once if they are few. */
  planAndMerge(): void {
    const { plan, words } = this.#spec;
    let total = 0;
    for (let block = 0; block < plan.blocks; block++) total += words[blockWord(block)];
    const isFew = total <= MERGE_ALONE_ENTRIES;
    words[W_MERGED] = isFew ? 1 : 0;
    this.#planBuckets();
    if (!isFew) return;
    this.scatterBlocks(0, plan.blocks);
    this.mergeBuckets(0, plan.buckets);
    this.countFirst(0, plan.blocks);
    this.placeFirst();
    this.moveFirst(0, plan.blocks);
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

/** What a grouping of `keys` needs. */
export function groupSpec(
  arrays: CallArrays,
  keys: TypedArray,
  plan: GroupPlan,
  threshold: number,
  parallelism: number,
): GroupSpec {
  const { length, blocks } = plan;
  const type = typeOf<TypedArray>(keys);
  const shared = isShared(keys);
  const keysOut = arrays.output<TypedArray>({ into: undefined, type, shared, length, mayBeShorter: true });
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
    plan,
    threshold,
    parallelism,
  };
}

/** The stages of a grouping; `cost` is that of an element in the first, and `user` the user's operation, which any of them may call. */
export function groupStages(
  spec: GroupSpec,
  folding: Folding | undefined,
  cost: Cost,
  { calls, context }: UserPiece = {},
): Stage[] {
  const { plan, words, threshold, parallelism } = spec;
  const { blocks, buckets, blockElements } = plan;
  const group = new GroupState(spec, folding);
  const grouping: Stage = {
    units: blocks,
    calls,
    context,
    grain: new Grain({ cost, unitElements: blockElements, units: blocks, threshold, parallelism }),
    run: (lo, hi) => group.groupBlocks(lo, hi),
  };
  if (blocks <= 1) return [grouping];
  /** A stage without units if the root has merged all entries. */
  const ifMany = (units: number, run: Stage['run'], before?: () => void): Stage => ({
    get units() {
      return words[W_MERGED] === 1 ? 0 : units; // plain: written by the root, which asks
    },
    calls,
    context,
    grain: new Grain({ cost: new Cost(), unitElements: blockElements, units, threshold, parallelism }),
    run,
    before() {
      if (words[W_MERGED] === 0) before?.();
    },
  });
  return [
    { ...grouping, after: () => group.planAndMerge() },
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
