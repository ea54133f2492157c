/** Calls of every algorithm that takes or gives typed arrays, for elements of any type, from the source. */
import * as algorithms from '../../src/algorithms/index.js';
import type { TypedArray } from '../../src/core/memory/shared-array.js';
import { ALL_TYPES, BIGINT_TYPES } from './array-values.js';

export type ElementType = (typeof ALL_TYPES)[number];

/** How an array takes part in a call. */
export interface Part {
  readonly role: 'input' | 'inout' | 'into';
  /** How many times as long as the first it is. */
  readonly times: number;
  /** Its elements' type; that of the first if it does not say. */
  readonly Type?: ElementType;
}

export interface ElementCall {
  readonly name: string;
  readonly parts: readonly Part[];
  /** Whether inputs have to be sorted. */
  readonly sorted?: boolean;
  readonly types?: readonly ElementType[];
  /** Whether its comparator takes NaN for equal to all: then the order depends on which elements are compared. */
  readonly withoutNaN?: boolean;
  /** Whether it may leave elements undone. */
  readonly stopsEarly?: boolean;
  /** Arguments but for the options; `options` may be added to. */
  args(arrays: readonly TypedArray[], value: (n: number) => never, options: Record<string, unknown>): unknown[];
}

type AnyForm = (...args: unknown[]) => unknown;
type Value = number | bigint;

const INPUT: Part = { role: 'input', times: 1 };
const INOUT: Part = { role: 'inout', times: 1 };
const INTO: Part = { role: 'into', times: 1 };

const integers = ALL_TYPES.filter((Type) => !Type.name.startsWith('Float'));
const numbers = ALL_TYPES.filter((Type) => !BIGINT_TYPES.includes(Type));

const one = (name: string, args: (value: (n: number) => never, options: Record<string, unknown>) => unknown[]) =>
  ({
    name,
    parts: [INPUT],
    args: ([xs], value, options) => [xs, ...args(value, options)],
  }) satisfies ElementCall;

const inPlace = (name: string, ...rest: unknown[]): ElementCall => ({
  name,
  parts: [INOUT],
  args: ([xs]) => [xs, ...rest],
});

const intoAnother = (call: ElementCall): ElementCall => ({
  ...call,
  parts: [...call.parts, INTO],
  args(arrays, value, options) {
    options['into'] = arrays.at(-1);
    return call.args(arrays, value, options);
  },
});

const ontoItself = (call: ElementCall): ElementCall => ({
  ...call,
  parts: [INOUT],
  args(arrays, value, options) {
    options['into'] = arrays[0];
    return call.args(arrays, value, options);
  },
});

const last = (_a: Value, b: Value): Value => b;
const both = (a: number, b: number): number => a + b;
const same = (x: Value): Value => x;
const twice = (x: Value, emit: (value: Value) => void): void => {
  emit(x);
  emit(x);
};

const third = (x: Value): boolean => Math.trunc(Number(x)) % 3 === 0;
/** Not known by its text, so called. NaN is last. */
const called = (a: Value, b: Value): number =>
  a < b ? 1 : a > b ? -1 : Number(Number.isNaN(a)) - Number(Number.isNaN(b));

const scanned = one('parallelScan', () => ['sum']);
const scannedBefore = one('parallelScan', (value, options) => {
  options['exclusive'] = true;
  return ['max', value(3)];
});
const scannedByFunction = one('parallelScan', (value) => [both, value(5)]);
const mapped = one('parallelMap', () => [same]);

export const ELEMENT_CALLS: readonly ElementCall[] = [
  mapped,
  intoAnother(mapped),
  ontoItself(mapped),
  inPlace('parallelForEach', () => {}),
  { name: 'parallelFill', parts: [INOUT], args: ([xs], value) => [xs, value(7)] },
  {
    name: 'parallelTabulate',
    parts: [INTO],
    types: numbers,
    args([into], _value, options) {
      options['into'] = into;
      return [(into as TypedArray).constructor, into?.length, (i: number) => i];
    },
  },
  one('parallelReduce', () => ['sum']),
  one('parallelReduce', (value) => ['max', value(1)]),
  { ...one('parallelReduce', () => ['xor']), types: integers },
  one('parallelReduce', (value) => [both, value(9)]),
  scanned,
  intoAnother(scanned),
  ontoItself(scanned),
  scannedBefore,
  intoAnother(scannedBefore),
  ontoItself(scannedBefore),
  { ...one('parallelScan', () => ['or']), types: integers },
  scannedByFunction,
  intoAnother(scannedByFunction),
  ontoItself(scannedByFunction),
  one('parallelFilter', () => [(x: Value) => x < 1]),
  one('parallelFilter', () => [third]),
  one('parallelFlatMap', () => [twice]),
  one('parallelPartition', () => [(x: Value) => x >= 1]),
  one('parallelPartition', () => [third]),
  one('parallelUnique', () => []),
  { ...one('parallelFindIndex', () => [third]), stopsEarly: true },
  { ...one('parallelIndexOf', (value) => [value(77)]), stopsEarly: true },
  one('parallelCount', () => [(x: Value) => x <= 1]),
  one('parallelCount', () => [third]),
  inPlace('parallelSort'),
  { ...inPlace('parallelSort', (a: number, b: number) => (a < b ? 1 : a > b ? -1 : 0)), withoutNaN: true },
  inPlace('parallelSort', called),
  one('parallelArgsort', () => []),
  one('parallelArgsort', () => [called]),
  { name: 'parallelMerge', parts: [INPUT, INPUT], sorted: true, args: ([a, b]) => [a, b] },
  {
    name: 'parallelMerge',
    parts: [INPUT, INPUT, { role: 'into', times: 2 }],
    sorted: true,
    args([a, b, into], _value, options) {
      options['into'] = into;
      return [a, b];
    },
  },
  one('parallelTopK', () => [5]),
  one('parallelTopK', () => [200, called]),
  one('parallelMinMax', () => []),
  one('parallelHistogram', (_value, options) => {
    Object.assign(options, { bins: 37, min: -100, max: 155 });
    return [];
  }),
  // More bins than elements, which are counted without a table.
  one('parallelHistogram', (_value, options) => {
    Object.assign(options, { bins: 3000, min: 0, max: 190 });
    return [];
  }),
  one('parallelHistogram', (_value, options) => {
    options['bins'] = 3;
    return [(x: Value) => Math.abs(Math.trunc(Number(x))) % 3 || 0];
  }),
  { name: 'parallelReduceByKey', parts: [INPUT, INPUT], args: ([keys, values]) => [keys, values, 'sum'] },
  { name: 'parallelReduceByKey', parts: [INPUT, INPUT], args: ([keys, values]) => [keys, values, last] },
];

/** The promise form, or the Sync form. */
export const formOf = ({ name }: ElementCall, form: 'promise' | 'sync'): AnyForm =>
  (algorithms as unknown as Record<string, AnyForm>)[form === 'promise' ? name : `${name}Sync`] as AnyForm;

/** All arrays and numbers in a result, in order. */
export function flattened(result: unknown): ArrayLike<unknown>[] {
  if (ArrayBuffer.isView(result)) return [result as TypedArray];
  if (typeof result !== 'object' || result === null) return [[result]];
  return Object.values(result).flatMap(flattened);
}
