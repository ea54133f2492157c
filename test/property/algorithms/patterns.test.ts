/** What a function is recognised as gives what calling it gives, for any input: only the time tells. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Comparator,
  parallelArgsortSync,
  parallelCount,
  parallelEvery,
  parallelFilter,
  parallelFind,
  parallelFindIndex,
  parallelPartition,
  parallelSome,
  parallelSort,
  parallelTopK,
} from '../../../src/algorithms/index.js';
import { maybeComparison, numericOrder, resetRecognition } from '../../../src/algorithms/patterns/recognise.js';
import { isBigIntType, typeOfView } from '../../../src/core/memory/element-types.js';
import type { TypedArray } from '../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { ALL_TYPES, difference, MOSTLY_FLOATS, place, somePlace, someValues } from '../../helpers/array-values.js';
import { anySchedule, type Schedule, schedule } from '../../helpers/schedules.js';
import { reset } from '../../helpers/simulated-core.js';

vi.mock('../../../src/core/pool/call.js', async () => (await import('../../helpers/simulated-core.js')).call);
vi.mock('../../../src/core/job/job.js', async () => (await import('../../helpers/simulated-core.js')).job);
vi.mock(
  '../../../src/core/worker/checkpoint.js',
  async () => (await import('../../helpers/simulated-core.js')).checkpoints,
);
vi.mock(
  '../../../src/core/task/function-task.js',
  async () => (await import('../../helpers/simulated-core.js')).functionTask,
);

registerHost(detectNode);
beforeEach(() => recognise(true));
afterEach(() => {
  vi.unstubAllEnvs();
  resetRecognition();
});

/** Turns the switch. */
function recognise(on: boolean): void {
  vi.stubEnv('FURCATE_PATTERNS', on ? undefined : 'off');
  resetRecognition();
}

/** What a text says, made anew each time: nothing that is known of one function is known of the other. */
const made = (text: string): never => new Function(`return (${text});`)() as never;

/** The same with recognition and without it. */
async function bothWays<R>(run: () => Promise<R>): Promise<[recognised: R, called: R]> {
  recognise(true);
  const recognised = await run();
  recognise(false);
  return [recognised, await run()];
}

/** Awkward for some type or other: at the ends of ranges, between two values, of the other kind. */
const CONSTANTS = [
  ...['0', '-0', '1', '-1', '0.5', '-0.5', '0.1', '127', '-128', '255', '256', '65535', '2147483647', '-2147483648'],
  ...[
    '4294967295',
    '4294967296',
    '9007199254740993',
    '1e-45',
    '5e-324',
    '1e39',
    '1.7976931348623157e308',
    '0n',
    '-1n',
    '7n',
  ],
];
const OPERATORS = ['<', '<=', '>', '>=', '===', '!==', '==', '!='];

const comparisons = fc
  .tuple(fc.constantFrom(...CONSTANTS), fc.constantFrom(...OPERATORS), fc.nat(3))
  .map(
    ([constant, op, form]) =>
      [
        `(x) => x ${op} ${constant}`,
        `(x) => ${constant} ${op} x`,
        `function (x) { return x ${op} ${constant}; }`,
        `(x, i, { limit }) => x ${op} limit`,
      ][form] as string,
  );

const limits = fc.oneof(
  fc.double(),
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3n),
);

/** Comparators that stand for an order of numbers, with a way to answer for what is neither less nor more. */
const COMPARATORS = [
  '(a, b) => a - b',
  '(a, b) => b - a',
  '(a, b) => a < b ? -1 : a > b ? 1 : 0',
  '(a, b) => a < b ? 1 : a > b ? -1 : 0',
  '(a, b) => a < b ? -1 : 1',
  '(a, b) => a > b ? 1 : -1',
  'function (a, b) { return b - a; }',
];
/** Those that lose their branches only. */
const TERNARIES = [
  '(a, b) => Math.abs(a) < Math.abs(b) ? -1 : Math.abs(a) > Math.abs(b) ? 1 : 0',
  '(a, b) => a % 3 > b % 3 ? 1 : a % 3 < b % 3 ? -1 : 0',
];

/** Bigints have no differences that are numbers, and no `Math`. */
const suits = (compare: string, xs: TypedArray): boolean =>
  !isBigIntType(typeOfView(xs)) || !/ - |Math|%/.test(compare);

const sameElements = ([recognised, called]: readonly [TypedArray, TypedArray]): void => {
  expect(difference(recognised, Array.from(called as Float64Array))).toBeUndefined();
};

describe('what is recognised and what is called give the same', () => {
  test('for predicates, whatever the elements are', async () => {
    const given = [someValues(ALL_TYPES), somePlace, comparisons, limits, anySchedule] as const;
    await fc.assert(
      fc.asyncProperty(...given, async ({ values }, where, text, limit, { threshold, ...changes }) => {
        const xs = place(values, where) as Float64Array;
        const options = (): { context: { limit: number }; threshold: number | undefined } => {
          reset({ ...changes, stopsEarly: true });
          return { context: { limit: limit as number }, threshold };
        };
        const pred = (): ((x: number, i: number, context: { limit: number }) => boolean) => made(text);
        recognise(true);
        expect(maybeComparison(pred())).toBe(true);
        sameElements(await bothWays(() => parallelFilter(xs, pred(), options())));
        const [parts, others] = await bothWays(() => parallelPartition(xs, pred(), options()));
        for (const side of [0, 1] as const) sameElements([parts[side], others[side]]);
        for (const ask of [parallelCount, parallelFind, parallelFindIndex, parallelSome, parallelEvery]) {
          const [recognised, called] = await bothWays<unknown>(async () => ask(xs, pred(), options()));
          expect(recognised).toBe(called);
        }
      }),
      { numRuns: 300 },
    );
  });

  const sortsAlike = async (text: string, input: TypedArray, given: Schedule): Promise<void> => {
    const { threshold, ...changes } = given;
    const options = (): { threshold: number } => {
      reset(changes);
      return { threshold };
    };
    const compare = (): Comparator<Float64Array> => made(text);
    const xs = input as Float64Array;
    sameElements(
      await bothWays(() => parallelSort(place(xs, { shared: true, offset: 0 }) as Float64Array, compare(), options())),
    );
    sameElements(await bothWays(async () => parallelArgsortSync(xs, compare(), options())));
    sameElements(await bothWays(() => parallelTopK(xs, 1 + (xs.length >> 2), compare(), options())));
  };

  test('for comparators, of short arrays', async () => {
    const texts = fc.constantFrom(...COMPARATORS, ...TERNARIES);
    await fc.assert(
      fc.asyncProperty(texts, someValues(MOSTLY_FLOATS, 600), schedule, async (text, { values }, given) => {
        fc.pre(suits(text, values));
        await sortsAlike(text, values, given);
      }),
      { numRuns: 100 },
    );
  });

  test('for comparators, of arrays that are sorted by buckets', async () => {
    expect(numericOrder(made('(a, b) => a - b'), false)).toBe('ascending');
    const some = fc.constantFrom(0, -0, Number.NaN, 1, -1, Number.POSITIVE_INFINITY);
    const texts = fc.constantFrom(...COMPARATORS);
    const fewRare = fc.array(fc.tuple(fc.nat(9999), some), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom(Float64Array, Float32Array),
        fewRare,
        schedule,
        async (text, Type, rare, given) => {
          const input = new Type(10_000).map((_, i) => Math.fround(Math.sin(i) * 1000) || 1);
          for (const [at, x] of rare) input[at] = x;
          await sortsAlike(text, input, { ...given, threshold: 1000 });
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});

test('FURCATE_PATTERNS=off has every function called', () => {
  expect(numericOrder(made('(a, b) => a - b'), false)).toBe('ascending');
  expect(maybeComparison(made('(x) => x < 1'))).toBe(true);
  recognise(false);
  expect(numericOrder(made('(a, b) => a - b'), false)).toBeUndefined();
  expect(maybeComparison(made('(x) => x < 1'))).toBe(false);
});
