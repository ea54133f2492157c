/**
 * `furcate/insight`: what a parallel program does, for those who ask. Programs that do not import it pay nothing.
 *
 * @module
 */
export * from './profile/index.js';
