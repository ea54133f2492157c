/** Everything the library offers. */
export * from './algorithms/index.js';
export * from './core/index.js';
