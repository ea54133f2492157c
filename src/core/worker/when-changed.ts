/** Waiting for a shared word without blocking; runs on every thread. */
import { type AsyncWait, waitAsync } from '../memory/atomics.js';
import { host } from '../platform/host.js';

/** Waits while the word holds `expected`, in the engine's way or in the host's. Undefined if neither has one: then the caller looks again later. */
export const whenChanged = (words: Int32Array, index: number, expected: number): AsyncWait | undefined =>
  waitAsync?.(words, index, expected) ?? host().waitAsync?.(words, index, expected);
