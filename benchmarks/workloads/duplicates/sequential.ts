/** A Set keeps the order of first occurrence. */
import type { Entries } from './config.js';

export const sequential = ({ xs }: Entries): Uint32Array => Uint32Array.from(new Set(xs));
