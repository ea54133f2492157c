/** The part `simulating`: a pool whose schedule a seed decides. */
export { SimulatedPool, type SimulatedPoolOptions } from './simulated-pool.js';
