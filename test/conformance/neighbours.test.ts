/**
 * Each algorithm in real pools, with guards around the user's arrays: a result is the same wherever its arrays lie, and nobody
 * writes beside them. Guards around results and scratch arrays are in property/algorithms/outputs.test.ts, in simulated pools.
 */
import fc from 'fast-check';
import type { ForkJoinPool } from 'furcate';
import { describe, expect, test, vi } from 'vitest';
import {
  ALL_TYPES,
  awkwardLength,
  BIGINT_TYPES,
  bits,
  difference,
  type Place,
  place,
} from '../helpers/array-values.js';
import { mayBlock } from '../helpers/caller.js';
import { ELEMENT_CALLS, type ElementCall, type ElementType, flattened, formOf } from '../helpers/element-calls.js';
import { ofEachKind } from '../helpers/environment.js';
import { type Pools, warmPools } from '../helpers/pools.js';

// These helpers serve the tests of the source; here they use the built package.
vi.mock('../../src/algorithms/index.js', () => import('furcate'));
vi.mock('../../src/core/memory/shared-array.js', () => import('furcate'));

type Form = 'promise' | 'sync';

/** Few different values, which are quick to draw. */
function someValues(Type: ElementType, length: number, seed: number): InstanceType<ElementType> {
  const random = bits(seed);
  const isBig = BIGINT_TYPES.includes(Type);
  return new Type(Array.from({ length }, () => (isBig ? BigInt(random() % 200) : random() % 200)) as never);
}

/** The arrays of a call, all made of one: the second is the first backwards, results are what is there. */
function arraysFor(call: ElementCall, values: InstanceType<ElementType>, places: readonly Place[]) {
  return call.parts.map(({ role, times }, k) => {
    const isInput = role !== 'into';
    const xs = isInput ? values.slice() : new (values.constructor as ElementType)(times * values.length);
    if (isInput && k === 1) xs.reverse();
    if (isInput && call.sorted === true) xs.sort();
    return place(xs, places[k] as Place);
  });
}

function resultOf(call: ElementCall, arrays: ReturnType<typeof arraysFor>, form: Form, given: object): unknown {
  const isBig = BIGINT_TYPES.includes(arrays[0]?.constructor as ElementType);
  const options = { ...given };
  const args = call.args(arrays, (n) => (isBig ? BigInt(n) : n) as never, options);
  return formOf(call, form)(...args, options);
}

const titled = ELEMENT_CALLS.map((call, k) => [`${call.name} (${k})`, call] as const);

const somePlaces = fc.array(
  fc.record({
    shared: fc.boolean(),
    offset: fc.integer({ min: 0, max: 5 }),
    behind: fc.constantFrom(1, 2, 17),
  }),
  { minLength: 3, maxLength: 3 },
);

/** The form that runs on the caller, which a page has not. */
const HERE: Form = mayBlock ? 'sync' : 'promise';

const someCase = (call: ElementCall) =>
  fc.record({
    Type: fc.constantFrom(...(call.types ?? ALL_TYPES)),
    length: awkwardLength(40_000),
    seed: fc.integer(),
    places: somePlaces,
    threshold: fc.constantFrom(undefined, 1, 100, 4096, 10_000),
    form: fc.constantFrom<Form>('promise', HERE),
  });

/** A threshold of a few elements makes a task of each; with many elements that takes long, and shows nothing more. */
const leastThreshold = (threshold: number | undefined, length: number): number | undefined =>
  threshold === undefined ? undefined : Math.max(threshold, length >> 8, 1);

describe.each(ofEachKind<Pools>([warmPools(1), warmPools(2), warmPools(4)], ({ parallelism }) => parallelism === 2))(
  'with a pool of $name,',
  (pools) => {
    test.each(titled)('%s writes nowhere but into what it was given', async (_title, call) => {
      const property = fc.asyncProperty(someCase(call), async ({ Type, length, seed, places, threshold, form }) => {
        const values = someValues(Type, length, seed);
        const options = (pool: ForkJoinPool) => ({ pool, threshold: leastThreshold(threshold, length) });
        const alone = arraysFor(call, values, Array(3).fill({ shared: false, offset: 0, behind: 0 }));
        const expected = flattened(await pools.use((pool) => resultOf(call, alone, HERE, { pool })));
        const arrays = arraysFor(call, values, places);
        const actual = flattened(await pools.use((pool) => resultOf(call, arrays, form, options(pool))));
        expect(actual.length).toBe(expected.length);
        for (const [k, part] of actual.entries()) expect(difference(part, expected[k] as never)).toBeUndefined();
        for (const [k, xs] of arrays.entries()) expect(difference(xs, alone[k] as never)).toBeUndefined();
      });
      await fc.assert(property, { numRuns: 8 });
    });
  },
);
