/**
 * How the keys of a call are cut into blocks and buckets, and where the counts of these lie; runs on every thread that
 * computes. All of it follows from the length alone.
 */
import {
  BUCKET_ELEMENTS,
  GROUP_BLOCKS,
  MAX_BUCKETS,
  MAX_GROUP_BLOCK,
  MIN_BUCKETS,
  MIN_GROUP_BLOCK,
} from '../tuning.js';

export interface GroupPlan {
  readonly length: number;
  readonly blockElements: number;
  readonly blocks: number;
  /** A power of two; of one block there are no buckets. */
  readonly buckets: number;
}

/** Words of a grouping: how many groups there are, and whether they are merged already. */
export const W_GROUPS = 0;
export const W_MERGED = 1;

export function groupPlan(length: number): GroupPlan {
  let blockElements = MIN_GROUP_BLOCK;
  while (blockElements < MAX_GROUP_BLOCK && blockElements * GROUP_BLOCKS < length) blockElements *= 2;
  let buckets = MIN_BUCKETS;
  while (buckets < MAX_BUCKETS && buckets * BUCKET_ELEMENTS < length) buckets *= 2;
  const blocks = Math.ceil(length / blockElements);
  return { length, blockElements, blocks, buckets: blocks > 1 ? buckets : 0 };
}

/** Where a block's number of entries is, and later the place of its first group in the result. */
export const blockWord = (block: number): number => 2 + block;

/** Where the first place of a bucket in the order is; that of `buckets` is the end. */
export const bucketWord = ({ blocks }: GroupPlan, bucket: number): number => blockWord(blocks) + bucket;

/** Where a block's row of counts by bucket begins. */
export const rowWord = (plan: GroupPlan, block: number): number =>
  bucketWord(plan, plan.buckets + 1) + block * plan.buckets;

/** How many words there are. */
export const groupWords = (plan: GroupPlan): number => (plan.blocks <= 1 ? 2 : rowWord(plan, plan.blocks));
