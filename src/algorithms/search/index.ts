/** The public functions of this family: find, some, every, index of. */
export * from './search.js';
