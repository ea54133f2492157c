/**
 * `furcate/insight`: what a parallel program does, for those who ask, and a pool for tests whose schedule a seed decides. Programs that do not import it pay nothing.
 *
 * @module
 */
export { SimulatedPool, type SimulatedPoolOptions } from '../extensions/simulation/index.js';
export * from './observing.js';
