/**
 * Every algorithm with guards around everything that it may write: the user's arrays, results and scratch arrays; on the caller,
 * in a pool, and handed over from one to the other. What the call gives is compared with what it gives for ordinary arrays
 * on the caller: other guards, other neighbours, other kernels.
 */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { TypedArray } from '../../../src/core/memory/shared-array.js';
import {
  ALL_TYPES,
  awkwardLength,
  BIGINT_TYPES,
  bits,
  difference,
  type Place,
  place,
  somePlace,
  someValues,
} from '../../helpers/array-values.js';
import { ELEMENT_CALLS, type ElementCall, flattened, formOf } from '../../helpers/element-calls.js';
import { countOfGuarded, strayWrites } from '../../helpers/guarded-memory.js';
import { schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

const limits = vi.hoisted(() => ({ callerUs: Number.POSITIVE_INFINITY, small: false }));

vi.mock('../../../src/core/memory/shared-array.js', async (original) =>
  (await import('../../helpers/guarded-memory.js')).guarded(await original()),
);
vi.mock('../../../src/algorithms/tuning.js', async (original) => ({
  ...(await original<object>()),
  CALLER_MOST_US: 1e12, // every known cost is short
  HELP_US: 1e12,
  get CALLER_LIMIT_US() {
    return limits.callerUs;
  },
  get CALLER_BLOCK_US() {
    return limits.callerUs;
  },
  CALLER_PIECE_US: 0,
  get MAX_REDUCE_BLOCK() {
    return limits.small ? SMALL_BLOCK : 4096;
  },
  get LEAVES_PER_THREAD() {
    return limits.small ? 1 : 8;
  },
}));

/** Elements in a block, where blocks are small. */
const SMALL_BLOCK = 64;

beforeEach(() => reset());

/** Where a call runs: without a threshold on the caller, which hands over at once if it is given no time. */
const WAYS = ['caller', 'handover', 'pool'] as const;
type Way = (typeof WAYS)[number];

interface Case {
  readonly way: Way;
  /** Whether blocks are small and units have several of them, as in arrays of millions of elements. */
  readonly small: boolean;
  readonly places: readonly Place[];
  readonly given: { readonly threshold: number } & Partial<typeof simulation>;
  readonly form: 'promise' | 'sync';
}

const someCase: fc.Arbitrary<Case> = fc.record({
  way: fc.constantFrom(...WAYS),
  small: fc.boolean(),
  places: fc.tuple(somePlace, somePlace, somePlace),
  given: schedule,
  form: fc.constantFrom('promise' as const, 'sync' as const),
});

/** The arrays of a call, all made of one: the second is the first backwards, results are what is there. */
function arraysFor(call: ElementCall, values: TypedArray, places: readonly Place[] | undefined): TypedArray[] {
  return call.parts.map(({ role, times }, k) => {
    const Type = values.constructor as (typeof ALL_TYPES)[number];
    const xs = role === 'into' ? new Type(times * values.length) : values.slice();
    if (k === 1 && role !== 'into') xs.reverse();
    if (call.withoutNaN === true) for (let i = 0; i < xs.length; i++) if (Number.isNaN(xs[i])) xs[i] = 7 as never;
    if (call.sorted === true && role !== 'into') xs.sort();
    return places === undefined ? xs : place(xs, places[k] as Place);
  });
}

async function resultOf(call: ElementCall, arrays: readonly TypedArray[], form: Case['form'], threshold?: number) {
  const big = BIGINT_TYPES.includes(arrays[0]?.constructor as never);
  const options: Record<string, unknown> = { threshold };
  const args = call.args(arrays, (n) => (big ? BigInt(n) : n) as never, options);
  return formOf(call, form)(...args, options);
}

/** Runs one call in a way, and compares with the same on ordinary arrays; returns whether all is as it should be. */
async function check(call: ElementCall, values: TypedArray, { way, small, places, given, form }: Case): Promise<void> {
  const stopsEarly = call.stopsEarly === true;
  Object.assign(limits, { callerUs: Number.POSITIVE_INFINITY, small });
  reset({ stopsEarly });
  const plain = arraysFor(call, values, undefined);
  const expected = await resultOf(call, plain, 'sync'); // its cost is known from now on
  expect(strayWrites()).toEqual([]);
  const { threshold, ...changes } = given;
  reset({ ...changes, stopsEarly });
  if (way === 'handover') limits.callerUs = 1e-9;
  const arrays = arraysFor(call, values, places);
  const result = await resultOf(call, arrays, form, way === 'pool' ? threshold : undefined);
  const [wanted, actual] = [flattened(expected), flattened(result)];
  expect(actual.length).toBe(wanted.length);
  for (const [k, part] of actual.entries()) expect(difference(part, wanted[k] as TypedArray)).toBeUndefined();
  for (const [k, xs] of arrays.entries()) expect(difference(xs, plain[k] as TypedArray)).toBeUndefined();
  expect(strayWrites()).toEqual([]);
  jobs += simulation.jobs;
}

let jobs = 0;

/** Long enough for several units of any algorithm: few different values, which are quick to draw. */
function longValues(Type: (typeof ALL_TYPES)[number], length: number, seed: number): TypedArray {
  const random = bits(seed);
  const isBig = BIGINT_TYPES.includes(Type);
  const xs = new Type(length);
  for (let i = 0; i < length; i++) xs[i] = (isBig ? BigInt(random() % 200) : random() % 200) as never;
  return xs;
}

const titled = ELEMENT_CALLS.map((call, k) => [`${call.name} (${k}, of ${call.parts.length} arrays)`, call] as const);

describe.each(titled)('%s', (_title, call) => {
  const types = call.types ?? ALL_TYPES;
  beforeEach(() => {
    // Kernels are made for the first long array only: from now on they serve the short ones too.
    return check(call, longValues(types[0] as (typeof ALL_TYPES)[number], 66_000, 1), {
      way: 'pool',
      small: false,
      places: Array(3).fill({ shared: true, offset: 1 }),
      given: { threshold: 1000 },
      form: 'sync',
    });
  });

  test('writes only into the arrays that it was given', async () => {
    await fc.assert(
      fc.asyncProperty(someValues(types), someCase, ({ values }, given) => check(call, values, given)),
      { numRuns: 40, interruptAfterTimeLimit: 8000 },
    );
  });

  test('writes only into these arrays at lengths around blocks, units and kernels', async () => {
    const lengths = fc.oneof(
      { arbitrary: awkwardLength(70_000), weight: 9 },
      { arbitrary: fc.constantFrom(262_143, 262_144, 262_145), weight: 1 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), lengths, fc.integer(), someCase, (Type, length, seed, given) =>
        check(call, longValues(Type, length, seed), given),
      ),
      { numRuns: 15, interruptAfterTimeLimit: 8000 },
    );
  });

  test('writes only into these arrays where units have several whole blocks', async () => {
    for (const Type of types) {
      for (const blocks of [8, 64]) {
        await check(call, longValues(Type, SMALL_BLOCK * blocks, blocks), {
          way: 'handover',
          small: true,
          places: Array(3).fill({ shared: true, offset: 1 }),
          given: { threshold: 1, parallelism: 2 },
          form: 'sync',
        });
      }
    }
  });
});

test('the guards detect a write beside a result, a scratch array and a placed array', async () => {
  const { scratchArray, freeScratch, unfilledArray } = await import('../../../src/core/memory/shared-array.js');
  const { ownArena } = await import('../../../src/core/memory/arena.js');
  const beside = (xs: TypedArray, at: number): void => {
    new Uint8Array(xs.buffer, xs.byteOffset - 1, xs.byteLength + 2)[at < 0 ? 0 : xs.byteLength + 1] ^= 1;
  };
  for (const at of [-1, 1]) {
    const result = unfilledArray(Int32Array, 3);
    beside(result, at);
    expect(strayWrites()).toEqual([expect.stringContaining('result: a stray write')]);
    const scratch = scratchArray(Int32Array, 3, ownArena);
    beside(scratch, at);
    freeScratch(scratch, ownArena);
    expect(strayWrites()).toEqual([expect.stringContaining('scratch array: a stray write')]);
    for (const shared of [false, true]) {
      const xs = place(Int32Array.of(1, 2), { shared, offset: 1 });
      beside(xs, at);
      expect(difference(xs, [1, 2])).toMatch(/a stray write 1 bytes before|a stray write 0 bytes behind/);
    }
  }
});

test('these tests guard many arrays, in pools too', () => {
  expect(countOfGuarded()).toBeGreaterThan(100);
  expect(jobs).toBeGreaterThan(50);
});
