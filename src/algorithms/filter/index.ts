/** The public functions of this family: filter, partition. */
export { parallelFilter, parallelFilterSync } from './filter.js';
export { parallelPartition, parallelPartitionSync } from './partition.js';
