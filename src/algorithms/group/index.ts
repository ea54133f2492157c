/** The public functions of this family: unique, reduce by key, histogram, dictionaries. */
export * from './dictionary.js';
export * from './histogram.js';
export * from './reduce-by-key.js';
export * from './unique.js';
