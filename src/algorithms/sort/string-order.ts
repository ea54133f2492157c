/**
 * Strings as numbers of the same order, some code units at a time; runs on the calling thread.
 *
 * Strings that are equal so far are a group. A group's strings are compared behind the prefix that they have in common, so a
 * prefix is read once, not once a comparison. Code units become digits in a base that is as large as these units need: 8
 * units of ASCII text fit into a number, 3 of any text.
 */

import type { Sign } from './sort-keys.js';

/** A number holds integers of so many bits exactly. */
const NUMBER_BITS = 53;

/** Most code units in a number. */
const MOST_UNITS = 8;

/** Strings that are read between two pauses. */
const STEP = 1024;

/** Pauses: `yield` of nothing. */
type PausingSort<R> = Generator<undefined, R, unknown>;

/** Counts the code units that the strings of these items have in common, from the first on. */
function* prefixOf(xs: readonly string[], items: Uint32Array): PausingSort<number> {
  const one = xs[items[0]];
  let prefix = one.length;
  for (let i = 1; i < items.length && prefix > 0; i++) {
    if (i % STEP === 0) yield;
    const other = xs[items[i]];
    if (other === one) continue;
    let k = 0;
    while (k < prefix && k < other.length && other.charCodeAt(k) === one.charCodeAt(k)) k++;
    prefix = k;
  }
  return prefix;
}

/**
 * Gets numbers for some code units of the strings of one group of items, behind their common prefix. The end of a string counts as
 * a unit less than all others.
 *
 * @param sign -1 for the reverse order
 */
export function* packUnits(
  xs: readonly string[],
  items: Uint32Array,
  sign: Sign,
  numbers: Float64Array,
): PausingSort<void> {
  const start = yield* prefixOf(xs, items);
  let least = 0xffff;
  let most = 0;
  for (let i = 0; i < items.length; i++) {
    if (i % STEP === STEP - 1) yield;
    const x = xs[items[i]];
    const end = Math.min(x.length, start + MOST_UNITS);
    for (let k = start; k < end; k++) {
      const unit = x.charCodeAt(k);
      if (unit < least) least = unit;
      if (unit > most) most = unit;
    }
  }
  const base = most - least + 2;
  const end = start + Math.min(MOST_UNITS, Math.floor(NUMBER_BITS / Math.log2(base)));
  for (let i = 0; i < items.length; i++) {
    if (i % STEP === STEP - 1) yield;
    const x = xs[items[i]];
    let number = 0;
    for (let k = start; k < end; k++) number = number * base + (k < x.length ? x.charCodeAt(k) - least + 1 : 0);
    numbers[i] = sign * number;
  }
}
