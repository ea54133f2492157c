/** The best solution found so far: what users import. */

export { type SharedBest, type SharedBestOptions, sharedBest } from './shared-best.js';
export { type SharedWindow, type SharedWindowOptions, sharedWindow } from './shared-window.js';
