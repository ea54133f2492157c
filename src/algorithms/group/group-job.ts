/**
 * Common part of `parallelUnique` and `parallelReduceByKey`: calls begin on the caller, and the stages run on every thread that computes.
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
 * depend on the schedule. Where it could not in any case, because the operation is exact (exact.ts), a thread goes on with one table from block to
 * block: a key is an entry once for each thread, and not once for each block.
 */

import { type Callee, compiled, isShared, type ShippedContext, type ShippedFunction } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { Start } from '../call/algorithm.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import type { Checked } from '../call/options.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { contextOf } from '../call/user-function.js';
import type { NamedReduction } from '../kernels/operators.js';
import { BufferCache } from '../schedule/buffer-cache.js';
import { Cost, costOf } from '../schedule/cost.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { eachUnit, stagedKind, type WorkStage } from '../schedule/stages.js';
import {
  BOUND_NS,
  BUCKET_ELEMENTS,
  ENTRY_NS,
  GROUP_BLOCKS,
  GROUP_NS,
  MAX_BUCKETS,
  MAX_GROUP_BLOCK,
  MAX_RUN_KEYS,
  MIN_BUCKETS,
  MIN_GROUP_BLOCK,
} from '../tuning.js';
import { ALWAYS, areExact, BY_VALUES, exactnessOf, magnitudes, NEVER } from './exact.js';
import { foldKernel, type Identity, opOn } from './fold-kernel.js';
import { type GroupRun, groupKernel, keyWords } from './group-kernel.js';

/** Values that are folded beside the keys. */
export interface GroupFold {
  readonly values: TypedArray;
  readonly op: NamedReduction | ShippedFunction;
  readonly identity: Identity;
  readonly context: ShippedContext | undefined;
}

interface GroupSpec extends ShareOptions, Partial<Omit<GroupFold, 'values'>> {
  readonly keys: TypedArray;
  /** Gets the distinct keys; of the type and length of `keys`. */
  readonly keysOut: TypedArray;
  /** The entries of blocks; of the type and length of `keys`. It is `keysOut` itself if there is only one block. */
  readonly entries: TypedArray;
  /** As `keys`, `keysOut` and `entries`; undefined if only keys are wanted. */
  readonly folded: Readonly<Record<'values' | 'valuesOut' | 'partials', TypedArray>> | undefined;
  /** See `planOf`. */
  readonly words: Uint32Array;
}

/** The word that holds how many groups there are. */
const W_GROUPS = 0;
/** The word that holds whether the operation is exact, where that depends on the values. */
const W_EXACT = 1;
/** The word that holds how many entries the first block has; then there is one for each other block. */
const W_ENTRIES = 2;

/**
 * Plan by which the keys of a call are cut into blocks and buckets, and where their words are. There is a power of two of
 * buckets, or none if there is one block. It follows from the length alone.
 *
 *     groups | entries of each block | starts: where buckets begin in the order, and where the last one ends |
 *     rows: a row of counts for each block | order: entries by bucket | first: for each entry the first one with its key
 */
function planOf(length: number) {
  let blockElements = MIN_GROUP_BLOCK;
  while (blockElements < MAX_GROUP_BLOCK && blockElements * GROUP_BLOCKS < length) blockElements *= 2;
  const blocks = Math.ceil(length / blockElements);
  let buckets = blocks > 1 ? MIN_BUCKETS : 0;
  while (buckets !== 0 && buckets < MAX_BUCKETS && buckets * BUCKET_ELEMENTS < length) buckets *= 2;
  const starts = W_ENTRIES + blocks;
  const rows = starts + buckets + 1;
  const order = rows + blocks * buckets;
  const first = order + (blocks > 1 ? length : 0);
  return { blockElements, blocks, buckets, starts, rows, order, first, words: 2 * first - order };
}

/** The group of each key of a block. */
const idsOfBlock = new BufferCache(() => new Int32Array(MAX_GROUP_BLOCK));

/** Elements that a kernel groups at a time: V8 leaves compiled code that is entered in a loop, and soon has code to call. */
const PIECE = 1024;

/** Cells of a table that a thread begins with. */
const RUN_CELLS = 4096;

/** Number of elements for each key of a full run that counts as few. */
const SOON = 8;

const newRun = (): GroupRun => ({ table: new Int32Array(RUN_CELLS), count: 0 });

/** The cost of an element. A named operation takes less time than the grouping. */
const costOfGrouping = (keys: TypedArray, values?: TypedArray, op?: GroupFold['op']): Cost =>
  typeof op === 'object' ? costOf(compiled(op)) : costOf(kernelOf(keys, values, op), GROUP_NS);

/** The kernel of a call. Only a named operation may be exact, and is part of it. */
const kernelOf = (keys: TypedArray, values?: TypedArray, op?: GroupFold['op']) =>
  groupKernel(keys, values, typeof op === 'string' ? opOn(values as TypedArray, op) : undefined);

/** A block's row of counts. Later it holds the places where the block's entries of each bucket go. */
const rowOf = ({ rows, buckets }: ReturnType<typeof planOf>, words: Uint32Array, block: number): Uint32Array =>
  words.subarray(rows + block * buckets, rows + (block + 1) * buckets);

function openGrouping(spec: GroupSpec): WorkStage[] {
  const { keys, entries, folded, words, op, identity, context, threshold, parallelism } = spec;
  const { length } = keys;
  const plan = planOf(length);
  const { blockElements, blocks, buckets, starts, rows } = plan;
  const kernel = kernelOf(keys, folded?.values, op);
  const [keysIn, entryKeys] = [keyWords(keys), keyWords(entries)];
  const values = folded?.values as Float64Array; // as all arrays below: of numbers or of bigints, or undefined
  const partials = folded?.partials as Float64Array;
  const folding = op === undefined ? undefined : foldKernel(op, values);
  const given = contextOf(spec);
  const calls = op === undefined ? undefined : 'op of parallelReduceByKey';
  /** The shift of a hash that leaves the number of a bucket. */
  const shift = 32 - Math.log2(buckets);

  const exactness = blocks === 1 || folded === undefined ? NEVER : exactnessOf(op, values, length, identity);
  const isExact = (): boolean => exactness === ALWAYS || (exactness === BY_VALUES && words[W_EXACT] === 1);

  /**
   * Keys that this thread has seen, up to a block. Its entries are in the order of first occurrence as long as blocks come in
   * order.
   */
  let run: GroupRun | undefined;
  let nextBlock = 0;
  let firstOfRun = 0;
  /** True if a run was full so soon that blocks have few keys in common: then tables that stay in the cache are faster. */
  let hasMany = false;

  /** Groups the keys of a block, [from, to), into entries, which the blocks before it may have. */
  function groupOnBlock(block: number, from: number, to: number): void {
    if (run === undefined || block < nextBlock || run.count > MAX_RUN_KEYS) {
      run = newRun();
      firstOfRun = block;
    }
    nextBlock = block + 1;
    let seen = 0;
    for (let at = from; at < to; at += PIECE)
      seen += kernel.groupOn(run, keysIn, at, Math.min(to, at + PIECE), entryKeys, from + seen, values, partials);
    entriesOf(block, seen);
    hasMany = run.count > MAX_RUN_KEYS && (nextBlock - firstOfRun) * blockElements < SOON * MAX_RUN_KEYS;
  }

  function entriesOf(block: number, seen: number): void {
    const from = block * blockElements;
    words[W_ENTRIES + block] = seen;
    kernel.count(entryKeys, from, from + seen, rowOf(plan, words, block).fill(0), shift);
  }

  /** Groups the keys of a block into entries. */
  function groupBlock(block: number): number {
    const from = block * blockElements;
    const to = Math.min(length, from + blockElements);
    if (isExact() && !hasMany) {
      groupOnBlock(block, from, to);
      return to - from;
    }
    const ids = folding === undefined ? undefined : idsOfBlock.take();
    const seen = kernel.group(keysIn, from, to, entryKeys, from, ids);
    if (ids !== undefined) {
      folding?.fold(ids, values, from, to, partials, blocks === 1 ? identity : undefined, given);
      idsOfBlock.give(ids);
    }
    if (blocks > 1) entriesOf(block, seen);
    else words[W_GROUPS] = seen;
    return to - from;
  }

  const cost = costOfGrouping(keys, folded?.values, op);
  const grain = new Grain({ cost, unitElements: blockElements, units: blocks, threshold, parallelism });
  const grouping: WorkStage = { calls, context, units: blocks, grain, run: eachUnit(groupBlock) };
  if (blocks <= 1) return [grouping];
  return exactness === BY_VALUES ? [...boundStages(grouping), ...entryStages()] : [grouping, ...entryStages()];

  /** The stage that finds how large the values are, and the grouping. */
  function boundStages(grouping: WorkStage): WorkStage[] {
    const grain = new Grain({
      cost: new Cost(BOUND_NS, length),
      unitElements: blockElements,
      units: blocks,
      threshold,
      parallelism,
    });
    const bound: WorkStage = {
      calls: undefined,
      context: undefined,
      units: blocks,
      grain,
      run(lo, hi) {
        for (let block = lo; block < hi; block++) {
          const from = block * blockElements;
          words[W_ENTRIES + block] = magnitudes(values, from, Math.min(length, from + blockElements));
        }
        return 0;
      },
    };
    const before = (): void => {
      words[W_EXACT] = areExact(words.subarray(W_ENTRIES, W_ENTRIES + blocks), length) ? 1 : 0;
    };
    return [bound, { ...grouping, before }];
  }

  /** The stages that combine the entries of several blocks. */
  function entryStages(): WorkStage[] {
    const order = words.subarray(plan.order, plan.first);
    const first = words.subarray(plan.first);
    const startOf = (block: number): number => block * blockElements;
    /** End of the entries of a block. */
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
        for (let block = 0; block < blocks; block++) place = placeAt(rows + block * buckets + bucket, place);
      }
      words[starts + buckets] = place;
    }

    /** Puts the entries of a block in the order of buckets. */
    function scatterBlock(block: number): void {
      kernel.scatter(entryKeys, startOf(block), endOf(block), rowOf(plan, words, block), shift, order);
    }

    /** Finds the first entry of each key in a bucket, and folds the others into it. */
    function mergeBucket(bucket: number): void {
      const from = words[starts + bucket];
      const to = words[starts + bucket + 1];
      kernel.match(entryKeys, order, from, to, first);
      folding?.foldFirst(order.subarray(from, to), first, partials, identity, given);
    }

    /** Counts the first entries of a block, in a word of the row that is not needed any more. */
    function countFirst(block: number): void {
      const word = rows + block * buckets; // before the loop: V8 enters compiled code in it, and would leave that behind it
      let count = 0;
      for (let e = startOf(block), end = endOf(block); e < end; e++) if (first[e] === e) count++;
      words[word] = count;
    }

    /** Says where each block's first entries go. */
    function placeFirst(): void {
      let place = 0;
      for (let block = 0; block < blocks; block++) place = placeAt(rows + block * buckets, place);
      words[W_GROUPS] = place;
    }

    const out = keyWords(spec.keysOut);
    const valuesOut = folded?.valuesOut as Float64Array;

    /** Moves the first entries of a block to the result. */
    function moveFirst(block: number): void {
      const [from, end, to] = [startOf(block), endOf(block), words[rows + block * buckets]];
      kernel.copyFirst(entryKeys, first, from, end, out, to);
      if (folding === undefined) return;
      for (let e = from, place = to; e < end; e++) if (first[e] === e) valuesOut[place++] = partials[e];
    }

    /** A stage that works on all entries. The root runs it alone where entries are few. */
    function entryStage(units: number, unit: (unit: number) => void, before = (): void => {}): WorkStage {
      let made: Grain | undefined;
      return {
        calls,
        context,
        units,
        before,
        run(lo, hi) {
          for (let k = lo; k < hi; k++) unit(k);
          return 0;
        },
        /** Made when the number of entries is known. */
        get grain() {
          if (made === undefined) {
            const count = words[starts + buckets];
            const unitElements = Math.ceil(count / units);
            made = new Grain({ cost: new Cost(ENTRY_NS, count), unitElements, units, threshold, parallelism });
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
}

const GROUPING = stagedKind<GroupSpec>('group', openGrouping);

/**
 * Begins a grouping of checked keys.
 *
 * @param answer makes the result, from the distinct keys and what their values were folded to
 */
export function beginGrouping<R>(
  callee: Callee,
  options: Checked,
  keys: TypedArray,
  fold: GroupFold | undefined,
  answer: (keys: TypedArray, values: TypedArray | undefined) => R,
): Start<R> {
  const { threshold, parallelism } = options;
  const { length } = keys;
  const plan = planOf(length);
  const { values, op, identity, context } = fold ?? {};
  return beginStaged({
    callee,
    options,
    kind: GROUPING,
    elements: length,
    cost: costOfGrouping(keys, values, op),
    copies: copiedBytes(keys, values),
    spec(arrays): GroupSpec {
      /** Room for results of the type, and for those of blocks. */
      const roomFor = (xs: TypedArray, type: ArrayType): [out: TypedArray, ofBlocks: TypedArray] => {
        const shared = isShared(xs);
        const out = arrays.output<TypedArray>({ into: undefined, type, shared, length, mayBeShorter: true });
        return [out, plan.blocks > 1 ? arrays.scratch<TypedArray>(type, length) : out];
      };
      const [keysOut, entries] = roomFor(keys, typeOf<TypedArray>(keys));
      const words = arrays.scratch(Uint32Array, plan.words);
      words[W_GROUPS] = 0; // of no keys there is no block that says so
      let folded: GroupSpec['folded'];
      if (values !== undefined) {
        const isBig = isBigIntType(typeOfView(values));
        const [valuesOut, partials] = roomFor(values, isBig ? typeOf<TypedArray>(values) : (Float64Array as ArrayType));
        folded = { values: arrays.input(values), valuesOut, partials };
      }
      const keysIn = arrays.input(keys);
      return { keys: keysIn, keysOut, entries, folded, words, op, identity, context, threshold, parallelism };
    },
    result(arrays, { keysOut, folded, words }) {
      const groups = words[W_GROUPS];
      return answer(arrays.delivered(keysOut, groups), folded && arrays.delivered(folded.valuesOut, groups));
    },
  });
}
