/** What leaves of algorithms ask between blocks; runs on every thread that computes. */
export { checkpoint, someoneIsHungry } from './attention.js';
