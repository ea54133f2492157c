/** Calls of every algorithm over arrays, with each array that it takes as an argument of its own. */

import type { TypedArray } from 'furcate';
import * as furcate from 'furcate';

/** A call of an algorithm, and how many arrays it is given: shared ones of doubles. */
export interface ArrayCall {
  /** Of the promise form; the Sync form has the suffix `Sync`. */
  readonly name: string;
  /** What is special about this call. */
  readonly how: string;
  /** The arrays' names in errors, and how many times as long as the first each is. */
  readonly arrays: readonly (readonly [argument: string, times: number])[];
  call(form: AnyFunction, arrays: readonly TypedArray[], options: object): unknown;
}

type AnyFunction = (...args: unknown[]) => unknown;

const xs = ['xs', 1] as const;
const into = ['options.into', 1] as const;

const one = (name: string, how: string, ...rest: unknown[]): ArrayCall => ({
  name,
  how,
  arrays: [xs],
  call: (form, [a], options) => form(a, ...rest, options),
});

const withInto = (name: string, how: string, ...rest: unknown[]): ArrayCall => ({
  name,
  how,
  arrays: [xs, into],
  call: (form, [a, b], options) => form(a, ...rest, { ...options, into: b }),
});

const named = (argument: string, call: ArrayCall): ArrayCall => ({ ...call, arrays: [[argument, 1]] });

const inContext = (name: string, body: (...args: never[]) => unknown): ArrayCall => ({
  name,
  how: 'in its context',
  arrays: [['context.xs', 1]],
  call: (form, [a], options) => form((a as TypedArray).length, body, { ...options, context: { xs: a } }),
});

type Held = { xs: Float64Array };

export const ARRAY_CALLS: readonly ArrayCall[] = [
  inContext('parallelFor', (i: number, { xs }: Held) => {
    xs[i] = i;
  }),
  inContext('parallelForRange', (lo: number, hi: number, { xs }: Held) => {
    xs.fill(1, lo, hi);
  }),
  {
    ...inContext('parallelForTiles', () => {}),
    call: (form, [a], options) =>
      form(
        1,
        (a as TypedArray).length,
        (_top: number, _bottom: number, left: number, right: number, { xs }: Held) => {
          xs.fill(1, left, right);
        },
        { ...options, context: { xs: a } },
      ),
  },
  {
    ...inContext('parallelRounds', () => {}),
    call: (form, [a], options) =>
      form(
        (round: number, { xs }: Held) => (round < 3 ? xs.length : undefined),
        (lo: number, hi: number, round: number, { xs }: Held) => {
          xs.fill(round, lo, hi);
        },
        { ...options, context: { xs: a } },
      ),
  },
  one('parallelForEach', 'of elements', () => {}),
  withInto('parallelMap', 'into an array', (x: number) => x + 1),
  one('parallelMap', 'to a new one', (x: number) => x + 1),
  {
    name: 'parallelTabulate',
    how: 'into an array',
    arrays: [into],
    call: (form, [a], options) =>
      form(Float64Array, (a as TypedArray).length, (i: number) => i, { ...options, into: a }),
  },
  one('parallelFill', 'of all', 1),
  one('parallelReduce', 'by name', 'sum'),
  one('parallelReduce', 'by a function', (a: number, b: number) => a + b, 0),
  withInto('parallelScan', 'by name', 'sum'),
  one('parallelScan', 'by a function', (a: number, b: number) => a + b, 0),
  one('parallelFilter', 'by a comparison', (x: number) => x < 0.5),
  one('parallelFilter', 'by a function', (x: number) => Math.sin(x) > 0),
  one('parallelFlatMap', 'of one each', (x: number, emit: (value: number) => void) => emit(x)),
  one('parallelPartition', 'in two', (x: number) => x < 0.5),
  one('parallelFind', 'of nothing', (x: number) => x < -1),
  one('parallelFindIndex', 'of nothing', (x: number) => x < -1),
  one('parallelIndexOf', 'of nothing', -1),
  one('parallelSome', 'of none', (x: number) => x < -1),
  one('parallelEvery', 'of all', (x: number) => x > -1),
  one('parallelCount', 'of some', (x: number) => x < 0.5),
  one('parallelSort', 'of numbers'),
  one('parallelSort', 'by a comparator that is known', (a: number, b: number) => b - a),
  one('parallelSort', 'by a comparator that is called', (a: number, b: number) => Math.sign(a - b)),
  named('keys', one('parallelArgsort', 'of numbers')),
  named(
    'keys',
    one('parallelArgsort', 'by a comparator', (a: number, b: number) => Math.sign(a - b)),
  ),
  {
    name: 'parallelMerge',
    how: 'into an array',
    arrays: [
      ['a', 1],
      ['b', 1],
      ['options.into', 2],
    ],
    call: (form, [a, b, c], options) => form(a, b, { ...options, into: c }),
  },
  one('parallelTopK', 'of numbers', 5),
  one('parallelTopK', 'by a comparator', 5, (a: number, b: number) => Math.sign(a - b)),
  one('parallelMinMax', 'of numbers'),
  {
    ...one('parallelHistogram', 'of equal bins'),
    call: (form, [a], options) => form(a, { ...options, bins: 10, min: 0, max: 1 }),
  },
  {
    ...one('parallelHistogram', 'by a function'),
    call: (form, [a], options) => form(a, (x: number) => (x < 0.5 ? 0 : 1), { ...options, bins: 2 }),
  },
  {
    name: 'parallelReduceByKey',
    how: 'by name',
    arrays: [
      ['keys', 1],
      ['values', 1],
    ],
    call: (form, [a, b], options) => form(a, b, 'sum', options),
  },
  one('parallelUnique', 'of numbers'),
];

const exported = furcate as unknown as Readonly<Record<string, AnyFunction>>;

/** The form of a call: the promise form, or the Sync form. */
export const formOf = ({ name }: ArrayCall, form: 'promise' | 'sync'): AnyFunction =>
  exported[form === 'promise' ? name : `${name}Sync`] as AnyFunction;
