/** The seam of a virtual thread in the place of the builtins. */
import type { Seam } from '../seam.js';

declare const __seam: Seam;

export const { load, store, add, sub, and, or, exchange, compareExchange, wait, notify, waitAsync } = __seam;
