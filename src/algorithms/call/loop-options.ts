/** The option `partition` of loops: its type, and its check on the calling thread. What it does: schedule/partition.ts. */
import { ONE_EACH } from '../schedule/partition.js';
import { type AlgorithmOptions, type Checked, check, checkCount, isPlainObject } from './options.js';

/** A number of integers, 0 to n - 1, or the two ends of a range of them, lo to hi - 1. */
export type LoopRange = number | readonly [lo: number, hi: number];

/** Partition of a loop's elements among threads; see `LoopOptions`. */
export type Partition = 'adaptive' | 'static' | 'cyclic' | { readonly kind: 'cyclic'; readonly block: number };

/** Options of loops. */
export interface LoopOptions<C = unknown> extends AlgorithmOptions<C> {
  /**
   * Partition of the elements with which each thread begins. `'adaptive'`, the default: an equal share each, of which idle threads steal
   * halves. `'static'`: one contiguous piece each. `'cyclic'`: one element each in turn, or blocks of `block` elements. Of the last two,
   * idle threads steal whole pieces and blocks. A partition steers scheduling, never the result.
   */
  partition?: Partition | undefined;
}

/** The names of the options that loops have beyond those of all algorithms. */
export const LOOP_OPTIONS: readonly string[] = ['partition'];

/**
 * Checks the option.
 *
 * @returns elements in a block of the partition, or `ONE_EACH`; undefined for the adaptive one
 */
export function blockOf(name: string, { given: { partition } }: Checked): number | undefined {
  if (partition === undefined || partition === 'adaptive') return undefined;
  if (partition === 'static') return ONE_EACH;
  if (partition === 'cyclic') return 1;
  const isCyclic = isPlainObject(partition) && partition.kind === 'cyclic';
  check(
    isCyclic && Object.keys(partition).every((key) => key === 'kind' || key === 'block'),
    name,
    'options.partition',
    "'adaptive', 'static', 'cyclic' or { kind: 'cyclic', block: 64 }",
    partition,
  );
  return checkCount(name, 'options.partition.block', partition.block, 1);
}
