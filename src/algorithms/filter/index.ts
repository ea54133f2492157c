/** The public functions of this family: filter, partition. */
export * from './filter.js';
