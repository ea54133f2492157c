/**
 * `dictionaryEncode`: strings as numbers that workers can share, and back; runs on the calling thread.
 *
 * Strings live on the heap of one thread, and sending one to a worker copies it. So the calling thread looks up each string once,
 * and shares an array of codes. Arrow calls this dictionary encoding; in pandas and polars it is a categorical. A lookup costs as
 * much as counting in a `Map`. The gain is in what programs do with the codes afterwards.
 */

import { free, sharedArray } from '../../core/engine.js';
import { refuseRevoked } from '../../core/errors.js';
import { check, checkArray, readPlainOptions } from '../call/options.js';
import { shown } from '../shown.js';

/** Value that may be encoded; null and undefined are a missing string. */
export type MaybeString = string | null | undefined;

/** Options of `dictionaryEncode`; all optional. */
export interface DictionaryOptions {
  /**
   * Distinct strings that get the codes 0, 1, and so on: the `values` of another encoding, so that equal strings have equal
   * codes in both, or categories in an order of your own. What `unknown` adds comes behind them.
   */
  values?: readonly string[] | undefined;
  /** The code of a string that is not in `values`: the next free one (default), or the code of a missing string. */
  unknown?: 'add' | 'missing' | undefined;
  /** True if codes are in the order of the strings, as `<` has it, so that sorting codes sorts strings. Default false. */
  sorted?: boolean | undefined;
}

/** Strings that were encoded: `values[codes[i]]` is the i-th. */
export interface DictionaryEncoded {
  /** A code for each string, in a shared array; 0xFFFFFFFF for a missing one. */
  readonly codes: Uint32Array;
  /** The string of each code, each one once: by first occurrence, unless `sorted` or `values` say otherwise. */
  readonly values: readonly string[];
  /** The code of a string, or undefined if it has none. */
  codeOf(value: string): number | undefined;
  /**
   * The strings of some codes, null for a missing one.
   *
   * @param codes codes of this dictionary in any array, such as a result of `parallelUnique`; all codes by default
   * @throws RangeError for a code that is none
   */
  decode(codes?: ArrayLike<number>): (string | null)[];
}

/** The code of a missing string. It sorts last and is outside all bins of a histogram. */
const MISSING = 0xffff_ffff;

/** Most distinct strings, since a Map of V8 holds no more. */
const MAX_VALUES = 2 ** 24;

/** Length of the first array for the codes of an iterable, which grows (elements). */
const FIRST_ELEMENTS = 1024;

const OPTIONS = ['values', 'unknown', 'sorted'];

const NAME = 'dictionaryEncode';

const tooMany = (what: string): RangeError =>
  new RangeError(
    `furcate: ${NAME}: ${what} has more than ${MAX_VALUES} distinct strings, which is what a Map holds. Encode parts of it, or strings that repeat.`,
  );

/** Gives codes to strings. */
class Encoder {
  readonly values: string[] = [];
  readonly codes = new Map<string, number>();
  /** True if a string without a code gets the next free one; if not, it counts as missing. */
  readonly #addsUnknown: boolean;

  constructor(addsUnknown: boolean) {
    this.#addsUnknown = addsUnknown;
  }

  /** The code of a string; `i` is its place, for the error. */
  encode(value: unknown, i: number): number {
    const code = this.codes.get(value as string);
    if (code !== undefined) return code;
    if (value === undefined || value === null) return MISSING;
    if (typeof value !== 'string') {
      const needed = 'a string, or null or undefined for a missing one';
      check(false, NAME, `strings[${i}]`, needed, value, ' Make strings of it: strings.map(String).');
    }
    return this.#addsUnknown ? this.add(value) : MISSING;
  }

  add(value: string): number {
    const code = this.values.length;
    if (code === MAX_VALUES) throw tooMany('strings');
    this.values.push(value);
    this.codes.set(value, code);
    return code;
  }

  /** Gives the first codes to the strings of `options.values`. */
  addValues(values: readonly unknown[]): void {
    if (values.length > MAX_VALUES) throw tooMany('options.values');
    for (let code = 0; code < values.length; code++) {
      const value = values[code];
      const isString = typeof value === 'string';
      if (!isString || this.codes.has(value)) {
        throw new TypeError(
          `furcate: ${NAME}: options.values must be distinct strings, but options.values[${code}] is ${shown(value)}${isString ? ', which is there before' : ''}. Leave out what is double: [...new Set(values)].`,
        );
      }
      this.add(value);
    }
  }

  /** Sorts the values; returns the new code for each old one. */
  sort(): Uint32Array {
    const newCodes = new Uint32Array(this.values.length);
    this.values.sort(); // by code units
    for (const [code, value] of this.values.entries()) {
      newCodes[this.codes.get(value) as number] = code;
      this.codes.set(value, code);
    }
    return newCodes;
  }
}

/**
 * Turns strings into codes in a shared array, and back: equal strings have equal codes, so that strings can be counted,
 * grouped, sorted and joined by the algorithms over typed arrays.
 *
 * @param strings an array or another iterable of strings; null and undefined stand for a missing string and get the code
 *   0xFFFFFFFF, which sorts last and is in no bin of a histogram. Of an iterable no more than one string at a time is held,
 *   beside the distinct ones
 * @param options `values` (strings that get the first codes; those of another encoding for a join), `unknown` ('add' or
 *   'missing': what becomes of other strings then), `sorted` (codes in the order of the strings; not with `values`)
 * @returns `{ codes, values, codeOf, decode }`: a code for each string, and the string for each code
 * @throws TypeError, RangeError for bad arguments; RangeError for more than 2^24 distinct strings, or if the shared heap is full
 * @remarks Cost: one lookup in a `Map` for each string, on the calling thread, as much as counting in that `Map` takes;
 * `sorted` sorts the distinct strings and passes over the codes once more. Memory: 4 bytes a string, and the distinct ones.
 * So it pays where the codes are used, more than once or by several threads; to count strings once a `Map` does as well.
 * @example
 * const { codes, values } = dictionaryEncode(['to', 'be', 'or', 'not', 'to', 'be']); // codes: 0, 1, 2, 3, 0, 1
 * const counts = await parallelHistogram(codes, { bins: values.length, min: 0, max: values.length }); // 2, 2, 1, 1
 * const other = dictionaryEncode(['be', 'that'], { values }); // codes: 1, 4
 */
export function dictionaryEncode(strings: Iterable<MaybeString>, options: DictionaryOptions = {}): DictionaryEncoded {
  checkStrings(strings);
  const { values, unknown = 'add', sorted = false } = readPlainOptions(NAME, options, OPTIONS);
  check(values === undefined || Array.isArray(values), NAME, 'options.values', 'an array of strings', values);
  check(unknown === 'add' || unknown === 'missing', NAME, 'options.unknown', "'add' or 'missing'", unknown);
  check(typeof sorted === 'boolean', NAME, 'options.sorted', 'a boolean', sorted);
  if (sorted && values !== undefined) {
    throw new TypeError(
      `furcate: ${NAME}: options.sorted and options.values exclude each other: strings of values keep their codes. Sort them before: values.sort().`,
    );
  }
  if (unknown === 'missing' && values === undefined) {
    throw new TypeError(
      `furcate: ${NAME}: options.unknown is 'missing' without options.values, so all strings would be unknown. Give the values that are known.`,
    );
  }
  const encoder = new Encoder(unknown === 'add');
  if (values !== undefined) encoder.addValues(values);
  const codes = encodeAll(encoder, strings);
  if (sorted) {
    const newCodes = encoder.sort();
    for (let i = 0; i < codes.length; i++) if (codes[i] !== MISSING) codes[i] = newCodes[codes[i]];
  }
  return {
    codes,
    values: encoder.values,
    codeOf: (value) => encoder.codes.get(value),
    decode: (some = codes) => decode(encoder.values, some),
  };
}

/** The codes of all strings, in a shared array: at once for an array, whose length is known, else copied at the end. */
function encodeAll(encoder: Encoder, strings: Iterable<unknown>): Uint32Array {
  const isArray = Array.isArray(strings);
  let codes = isArray ? sharedArray(Uint32Array, strings.length) : new Uint32Array(FIRST_ELEMENTS);
  let length = 0;
  try {
    for (const value of strings) {
      if (length === codes.length) {
        const longer = new Uint32Array(2 * length);
        longer.set(codes);
        codes = longer;
      }
      codes[length] = encoder.encode(value, length);
      length++;
    }
  } catch (error) {
    if (isArray) free(codes);
    throw error;
  }
  return isArray ? codes : sharedArray(Uint32Array, codes.subarray(0, length));
}

function decode(values: readonly string[], codes: ArrayLike<number>): (string | null)[] {
  refuseRevoked(codes, 'decode: codes');
  if (!Array.isArray(codes)) checkArray('decode', 'codes', codes);
  const strings: (string | null)[] = [];
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    const value = values[code];
    if (value === undefined && code !== MISSING) {
      throw new RangeError(
        `furcate: decode: codes[${i}] is ${shown(code)}, and codes are the integers below ${values.length} here, or ${MISSING} for a missing string.`,
      );
    }
    strings.push(value ?? null);
  }
  return strings;
}

function checkStrings(strings: unknown): void {
  refuseRevoked(strings, `${NAME}: strings`);
  const isObject = typeof strings === 'object' && strings !== null && !ArrayBuffer.isView(strings);
  const needed = 'an array or another iterable of strings';
  const cure = typeof strings === 'string' ? " Split it into words: text.split(' ')." : '';
  check(isObject && Symbol.iterator in strings, NAME, 'strings', needed, strings, cure);
}
