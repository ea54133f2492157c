/**
 * The one seam through which the library touches shared words; runs on every thread.
 *
 * This is the only file that names the global `Atomics`. Model tests replace this module with one that yields to
 * a scheduler before every access, and so check the shipped source itself. The constants are the builtins, not
 * wrappers: V8 calls them directly (7 to 9 ns each, where a wrapper that is not inlined adds a frame).
 *
 * All that touch the library's own words take an `Int32Array`. BigInt64 atomics cost 10 to 40 ns on V8, so control words are Int32 only.
 */

/** Outcome of a `wait`. */
export type WaitOutcome = 'ok' | 'not-equal' | 'timed-out';

/** Result of `waitAsync`: an outcome at once, or a promise. */
export type AsyncWait =
  | { readonly async: false; readonly value: 'not-equal' | 'timed-out' }
  | { readonly async: true; readonly value: Promise<'ok' | 'timed-out'> };

type Read = (words: Int32Array, index: number) => number;
type Modify = (words: Int32Array, index: number, value: number) => number;

/** Reads a word. */
export const load: Read = Atomics.load;

/** Writes a word and returns the value written. */
export const store: Modify = Atomics.store;

/** Adds to a word and returns what it held before. */
export const add: Modify = Atomics.add;

/** Subtracts from a word and returns what it held before. */
export const sub: Modify = Atomics.sub;

/** Ands a word and returns what it held before. */
export const and: Modify = Atomics.and;

/** Ors a word and returns what it held before. */
export const or: Modify = Atomics.or;

/** Writes a word and returns what it held before. */
export const exchange: Modify = Atomics.exchange;

/** Writes `replacement` where the word holds `expected`; returns what it held before. */
export const compareExchange: (words: Int32Array, index: number, expected: number, replacement: number) => number =
  Atomics.compareExchange;

/** Types of the user's own arrays that atomics take. */
export type AtomicArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

type Element = number | bigint;

/** As `load`, of an array of the user's. */
export const loadFrom = Atomics.load as (xs: AtomicArray, index: number) => Element;

/** As `add`, to an array of the user's. */
export const addTo = Atomics.add as (xs: AtomicArray, index: number, value: Element) => Element;

/** As `compareExchange`, in an array of the user's. */
export const compareExchangeIn = Atomics.compareExchange as (
  xs: AtomicArray,
  index: number,
  expected: Element,
  replacement: Element,
) => Element;

/** Blocks while the word holds `expected`, at most `timeoutMs`. Throws a `TypeError` where waiting is not allowed. */
export const wait: (words: Int32Array, index: number, expected: number, timeoutMs?: number) => WaitOutcome =
  Atomics.wait;

/** Wakes at most `count` threads that wait on the word (all by default); returns how many. */
export const notify: (words: Int32Array, index: number, count?: number) => number = Atomics.notify;

/**
 * Waits without blocking, where the host has it: older Firefox and Bun do not.
 * It keeps no event loop alive.
 */
export const waitAsync: ((words: Int32Array, index: number, expected: number) => AsyncWait) | undefined = (
  Atomics as { waitAsync?: (w: Int32Array, i: number, v: number) => AsyncWait }
).waitAsync;
