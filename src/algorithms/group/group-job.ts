/**
 * What `parallelUnique` and `parallelReduceByKey` have in common: calls begin on the caller, and the stages run on every thread
 * that computes.
 *
 * Each block of the input is grouped alone, with a table that grows with its distinct keys, into *entries*: those keys in
 * order of first occurrence, with the values of each folded from left to right. Entries then go to buckets by another hash, in
 * order; each bucket finds the first entry of each key and folds the others into it; and the first entries, which lie in order
 * of first occurrence, are moved together.
 *
 *     input     |  block 0  |  block 1  |  block 2  |
 *     entries   |aaa.....    bb.........|cccc.......    at the front of each block's part
 *     result    |aaabcc|
 *
 * The values of a key are combined block by block in the order of the blocks, which follow from the length, so the result does not
 * depend on the schedule.
 */

import { compiled, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { parallelismOf } from '../../core/pool/call.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import type { Checked } from '../call/options.js';
import type { PreparedCall } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import type { NamedReduction } from '../kernels/operators.js';
import { Cost, costOf } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { Spare } from '../schedule/spare.js';
import { eachUnit, type Stage, stagedKind } from '../schedule/stages.js';
import {
  BUCKET_ELEMENTS,
  ENTRY_NS,
  GROUP_BLOCKS,
  GROUP_NS,
  MAX_BUCKETS,
  MAX_GROUP_BLOCK,
  MIN_BUCKETS,
  MIN_GROUP_BLOCK,
} from '../tuning.js';
import { foldKernel, type Identity } from './fold-kernel.js';
import { groupKernel, keyWords } from './group-kernel.js';

/** What is folded beside the keys. */
export interface Fold {
  readonly values: TypedArray;
  readonly op: NamedReduction | ShippedFunction;
  readonly identity: Identity;
  readonly context: ShippedContext | undefined;
}

interface GroupSpec {
  readonly keys: TypedArray;
  /** Gets the distinct keys; of the type and length of `keys`. */
  readonly keysOut: TypedArray;
  /** The entries of blocks; of the type and length of `keys`. It is `keysOut` itself if there is only one block. */
  readonly entries: TypedArray;
  /** As `keys`, `keysOut` and `entries`; undefined if only keys are wanted. */
  readonly folded: Readonly<Record<'values' | 'valuesOut' | 'partials', TypedArray>> | undefined;
  /** See `W_GROUPS` and `GroupPlan`. */
  readonly words: Uint32Array;
  /** Entries by bucket, and for each entry the first one with its key: empty if there is only one block. */
  readonly order: Uint32Array;
  readonly first: Uint32Array;
  readonly op: Fold['op'] | undefined;
  readonly identity: Identity;
  readonly context: ShippedContext | undefined;
  readonly threshold: number;
  readonly parallelism: number;
}

/** The word that holds how many groups there are. */
const W_GROUPS = 0;
/** The word that holds how many entries the first block has; then there is one for each other block. */
const W_ENTRIES = 1;

/** How the keys of a call are cut into blocks and buckets, and where their words are. It follows from the length alone. */
class GroupPlan {
  readonly blockElements: number;
  readonly blocks: number;
  /** A power of two; of one block there are no buckets. */
  readonly buckets: number;
  /** The first of the words that hold where a bucket begins in the order. Behind the last bucket there is the end of the order. */
  readonly starts: number;

  constructor(length: number) {
    let blockElements = MIN_GROUP_BLOCK;
    while (blockElements < MAX_GROUP_BLOCK && blockElements * GROUP_BLOCKS < length) blockElements *= 2;
    let buckets = MIN_BUCKETS;
    while (buckets < MAX_BUCKETS && buckets * BUCKET_ELEMENTS < length) buckets *= 2;
    this.blockElements = blockElements;
    this.blocks = Math.ceil(length / blockElements);
    this.buckets = this.blocks > 1 ? buckets : 0;
    this.starts = W_ENTRIES + this.blocks;
  }

  /** The first word of a block's row of counts, one for each bucket. Later it holds where the first entries of the block go. */
  row(block: number): number {
    return this.starts + this.buckets + 1 + block * this.buckets;
  }
}

/** The group of each key of a block. */
const idsOfBlock = new Spare(() => new Int32Array(MAX_GROUP_BLOCK));

/** The cost of an element. A named operation takes less time than the grouping. */
const costOfGrouping = (keys: TypedArray, op: Fold['op'] | undefined): Cost =>
  typeof op === 'object' ? costOf(compiled(op)) : costOf(groupKernel(keys, op !== undefined), GROUP_NS);

/** The kernel that folds, and its arrays. Without spreads, which take V8 half of a call for ten keys. */
function foldOf({ op, folded }: GroupSpec) {
  if (op === undefined || folded === undefined) return undefined;
  const { values, valuesOut, partials } = folded;
  return { values, valuesOut, partials, kernel: foldKernel(op, values) };
}

const calledBy = ({ op }: GroupSpec): string | undefined =>
  op === undefined ? undefined : 'op of parallelReduceByKey';

/** The shift of a hash that leaves the number of a bucket. */
const bucketShift = ({ buckets }: GroupPlan): number => 32 - Math.log2(buckets);

function openGrouping(spec: GroupSpec): Stage[] {
  const { keys, entries, words, identity, threshold, parallelism } = spec;
  const { length } = keys;
  const plan = new GroupPlan(length);
  const { blockElements, blocks } = plan;
  const kernel = groupKernel(keys, spec.folded !== undefined);
  const [keysIn, entryKeys] = [keyWords(keys), keyWords(entries)];
  const fold = foldOf(spec);
  const context = contextOf(spec);

  /** Groups keys [from, to) into entries. */
  function groupKeys(from: number, to: number): number {
    if (fold === undefined) return kernel.group(keysIn, from, to, entryKeys, from, undefined);
    return idsOfBlock.with((ids) => {
      const seen = kernel.group(keysIn, from, to, entryKeys, from, ids);
      const own = blocks === 1 ? identity : undefined;
      fold.kernel.fold(ids, fold.values as never, from, to, fold.partials as never, own, context);
      return seen;
    });
  }

  function groupBlock(block: number): number {
    const from = block * blockElements;
    const to = Math.min(length, from + blockElements);
    const seen = groupKeys(from, to);
    words[W_ENTRIES + block] = seen;
    if (blocks === 1) words[W_GROUPS] = seen;
    else {
      words.fill(0, plan.row(block), plan.row(block + 1));
      kernel.count(entryKeys, from, from + seen, words, plan.row(block), bucketShift(plan));
    }
    return to - from;
  }

  const grain = new Grain({
    cost: costOfGrouping(keys, spec.op),
    unitElements: blockElements,
    units: blocks,
    threshold,
    parallelism,
  });
  const run = eachUnit(groupBlock);
  const grouping: Stage = { calls: calledBy(spec), context: spec.context, units: blocks, grain, run };
  return blocks <= 1 ? [grouping] : [grouping, ...entryStages(spec, plan)];
}

/** The stages that combine the entries of several blocks. */
function entryStages(spec: GroupSpec, plan: GroupPlan): Stage[] {
  const { keys, entries, keysOut, words, order, first, identity, threshold, parallelism } = spec;
  const { blockElements, blocks, buckets, starts } = plan;
  const kernel = groupKernel(keys, spec.folded !== undefined);
  const [entryKeys, out] = [keyWords(entries), keyWords(keysOut)];
  const fold = foldOf(spec);
  const context = contextOf(spec);
  const shift = bucketShift(plan);
  const startOf = (block: number): number => block * blockElements;
  /** Where the entries of a block end. */
  const endOf = (block: number): number => startOf(block) + words[W_ENTRIES + block];

  /** Turns a count into the place where what was counted begins; returns where it ends. */
  function placeAt(word: number, place: number): number {
    const count = words[word];
    words[word] = place;
    return place + count;
  }

  /** Says where in the order each block's entries of each bucket go. */
  function planBuckets(): void {
    let place = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      words[starts + bucket] = place;
      for (let block = 0; block < blocks; block++) place = placeAt(plan.row(block) + bucket, place);
    }
    words[starts + buckets] = place;
  }

  /** Puts the entries of a block in the order of buckets. */
  function scatterBlock(block: number): number {
    kernel.scatter(entryKeys, startOf(block), endOf(block), words, plan.row(block), shift, order);
    return 0;
  }

  /** Finds the first entry of each key in a bucket, and folds the others into it. */
  function mergeBucket(bucket: number): number {
    const from = words[starts + bucket];
    const to = words[starts + bucket + 1];
    kernel.match(entryKeys, order, from, to, first);
    fold?.kernel.foldFirst(order, first, from, to, fold.partials as never, identity, context);
    return 0;
  }

  /** Counts the first entries of a block, in a word of the row that is not needed any more. */
  function countFirst(block: number): number {
    let count = 0;
    for (let e = startOf(block), end = endOf(block); e < end; e++) if (first[e] === e) count++;
    words[plan.row(block)] = count;
    return 0;
  }

  /** Says where each block's first entries go. */
  function placeFirst(): void {
    let place = 0;
    for (let block = 0; block < blocks; block++) place = placeAt(plan.row(block), place);
    words[W_GROUPS] = place;
  }

  /** Moves the first entries of a block to the result. */
  function moveFirst(block: number): number {
    const [from, end, to] = [startOf(block), endOf(block), words[plan.row(block)]];
    kernel.copyFirst(entryKeys, first, from, end, out, to);
    if (fold === undefined) return 0;
    const { partials, valuesOut } = fold;
    for (let e = from, place = to; e < end; e++) if (first[e] === e) valuesOut[place++] = partials[e] as never;
    return 0;
  }

  /** A stage that works on all entries. The root runs it alone where entries are few. */
  function entryStage(units: number, run: (unit: number) => number, before = (): void => {}): Stage {
    let made: Grain | undefined;
    return {
      calls: calledBy(spec),
      context: spec.context,
      units,
      before,
      run: eachUnit(run),
      /** Made when the number of entries is known. */
      get grain() {
        if (made === undefined) {
          const cost = new Cost(ENTRY_NS);
          cost.measuredElements = words[starts + buckets];
          const unitElements = Math.ceil(cost.measuredElements / units);
          made = new Grain({ cost, unitElements, units, threshold, parallelism });
        }
        return made;
      },
    };
  }
  return [
    entryStage(blocks, scatterBlock, planBuckets),
    entryStage(buckets, mergeBucket),
    entryStage(blocks, countFirst),
    entryStage(blocks, moveFirst, placeFirst),
  ];
}

const GROUPING = stagedKind<GroupSpec>('group', openGrouping);

/**
 * Begins a grouping of checked keys.
 *
 * @param answer makes the result, from the distinct keys and what their values were folded to
 */
export function beginGrouping<R>(
  name: string,
  options: Checked,
  keys: TypedArray,
  fold: Fold | undefined,
  answer: (keys: TypedArray, values: TypedArray | undefined) => R,
): PreparedCall<R> {
  const { length } = keys;
  const plan = new GroupPlan(length);
  const many = plan.blocks > 1;
  const { values, op, identity, context } = fold ?? {};
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: GROUPING,
    elements: length,
    passes: 1,
    cost: costOfGrouping(keys, op),
    copies: copiedBytes(keys, values),
    spec(arrays): GroupSpec {
      /** Room for results of the type, and for those of blocks. */
      const roomFor = (xs: TypedArray, type: ArrayType): [out: TypedArray, ofBlocks: TypedArray] => {
        const shared = isShared(xs);
        const out = arrays.output<TypedArray>({ into: undefined, type, shared, length, mayBeShorter: true });
        return [out, many ? arrays.scratch<TypedArray>(type, length) : out];
      };
      const [keysOut, entries] = roomFor(keys, typeOf<TypedArray>(keys));
      const words = arrays.scratch(Uint32Array, plan.row(plan.blocks));
      words[W_GROUPS] = 0; // of no keys there is no block that says so
      const indices = (): Uint32Array => arrays.scratch(Uint32Array, many ? length : 0);
      let folded: GroupSpec['folded'];
      if (values !== undefined) {
        const isBig = isBigIntType(typeOfView(values));
        const [valuesOut, partials] = roomFor(values, isBig ? typeOf<TypedArray>(values) : (Float64Array as ArrayType));
        folded = { values: arrays.input(values), valuesOut, partials };
      }
      return {
        keys: arrays.input(keys),
        keysOut,
        entries,
        folded,
        words,
        order: indices(),
        first: indices(),
        op,
        identity,
        context,
        threshold: options.threshold,
        parallelism,
      };
    },
    result(arrays, { keysOut, folded, words }) {
      const groups = words[W_GROUPS];
      return answer(arrays.delivered(keysOut, groups), folded && arrays.delivered(folded.valuesOut, groups));
    },
  });
}
