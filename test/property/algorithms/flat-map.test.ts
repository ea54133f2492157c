import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { parallelFlatMap, parallelFlatMapSync } from '../../../src/algorithms/loops/flat-map.js';
import { free, isShared, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { ALL_TYPES, difference, place, somePlace, someValues } from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

type FlatMapped = (x: number, emit: (value: number) => void, i: number, context: { most: number }) => void;

/** Of no values, of one, of as many as the index says, and of many for one element. */
const FUNCTIONS: readonly FlatMapped[] = [
  () => {},
  (x, emit) => emit(x),
  (x, emit, i, { most }) => {
    for (let k = 0; k < i % (most + 1); k++) emit(x);
  },
  (x, emit, i, { most }) => {
    if (i === most) for (let k = 0; k < 1000; k++) emit(x);
  },
];

const someFunction = fc.record({ fn: fc.constantFrom(...FUNCTIONS), most: fc.integer({ min: 0, max: 9 }) });

test('what is emitted comes in the order of the elements, in a new array that is shared as the input is', async () => {
  await fc.assert(
    fc.asyncProperty(
      someValues(ALL_TYPES),
      somePlace,
      someFunction,
      schedule,
      async ({ values }, where, { fn, most }, { threshold, ...changes }) => {
        reset(changes);
        const xs = place(values, where) as Float64Array;
        const options = { context: { most }, threshold };
        const expected: number[] = [];
        for (const [i, x] of (values as Float64Array).entries())
          fn(x, (value) => void expected.push(value), i, { most });
        const check = (ys: TypedArray): void => {
          expect(difference(ys, expected)).toBeUndefined();
          expect([ys.constructor, isShared(ys)]).toEqual([values.constructor, where.shared]);
          if (where.shared) free(ys);
        };
        check(await parallelFlatMap(xs, fn, options));
        check(parallelFlatMapSync(xs, fn, options));
        expect(difference(xs, values)).toBeUndefined();
      },
    ),
    { numRuns: 300 },
  );
});

test('results have the type that is asked for, as its elements store them', async () => {
  const emit = (x: number, add: (value: number) => void): void => {
    add(x);
    add(x + 255);
  };
  expect(await parallelFlatMap(Float64Array.of(1.5, 2), emit, { type: Uint8Array })).toEqual(Uint8Array.of(1, 0, 2, 1));
  expect(parallelFlatMapSync(new Int8Array(0), emit, { type: Float64Array })).toEqual(new Float64Array(0));
});

test('an error is that of the lowest index, and a value that is emitted too late is refused', async () => {
  const fails = (x: number): void => {
    if (x > 2) throw new Error(`at ${x}`);
  };
  await expect(parallelFlatMap(Int32Array.of(1, 2, 3, 4), fails)).rejects.toThrow('at 3');
  const given = globalThis as { late?: (value: number) => void };
  await parallelFlatMap(Int32Array.of(1), (_x, emit) => {
    (globalThis as { late?: unknown }).late = emit;
  });
  expect(() => given.late?.(1)).toThrow('furcate: emit was called after the function of parallelFlatMap had returned');
  delete given.late;
});

test('bad arguments are refused by name', async () => {
  await expect(parallelFlatMap(Int32Array.of(1), 'no function' as never)).rejects.toThrow(
    'furcate: parallelFlatMap: fn must be a function',
  );
  await expect(parallelFlatMap(Int32Array.of(1), () => {}, { type: Array as never })).rejects.toThrow(
    'options.type must be a typed-array constructor',
  );
});
