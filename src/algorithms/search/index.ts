/** The public functions of this family: find, some, every, index of, count. */
export * from './count.js';
export * from './search.js';
