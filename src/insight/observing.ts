/**
 * The part `observing`: what `furcate/insight` counts and records, and what observes the threads of pools meanwhile.
 *
 * @module
 */
export * from './profile/index.js';
export * from './recording/index.js';
