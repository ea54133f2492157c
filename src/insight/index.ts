/**
 * `furcate/insight`: what a parallel program does, for those who ask. Programs that do not import it pay nothing. It is the part `observing`, too, which observes
 * the threads of pools meanwhile.
 *
 * @module
 */
export * from './profile/index.js';
export * from './recording/index.js';
