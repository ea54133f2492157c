import '../../../helpers/in-simulated-core.js';
import { beforeEach, describe, expect, test } from 'vitest';
import * as algorithms from '../../../../src/algorithms/index.js';
import { CancellationError, NotShareableError } from '../../../../src/core/errors.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { pool, reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset());

type Call = (...args: unknown[]) => unknown;

const { parallelFor, parallelReduce, parallelSort, parallelSortSync } = algorithms;
const FORMS = algorithms as unknown as Record<string, Call>;

const xs = sharedArray(Float64Array, 3);
const long = sharedArray(Float64Array, 9);
const own = new Float64Array(9);
const add = (a: number, b: number): number => a + b;
const detached = (): Float64Array => {
  const gone = new Float64Array(4);
  structuredClone(gone, { transfer: [gone.buffer] });
  return gone;
};
const onResizable = (length?: number): Float64Array =>
  new Float64Array(
    new (ArrayBuffer as never as { new (n: number, o: object): ArrayBuffer })(64, { maxByteLength: 128 }),
    0,
    length,
  );
const onGrowable = (): Float64Array =>
  new Float64Array(
    new (SharedArrayBuffer as never as { new (n: number, o: object): ArrayBuffer })(64, { maxByteLength: 128 }),
  );

/** Arguments, and what the message must say. The `Sync` twin gets them too. */
type BadCall = readonly [
  form: string,
  args: readonly unknown[],
  error: typeof TypeError | typeof RangeError | typeof NotShareableError,
  says: RegExp,
];

const body = (): void => {};

const BAD_CALLS: readonly BadCall[] = [
  ['parallelFor', [], TypeError, /range must be a number n.*undefined/],
  ['parallelFor', ['10', body], TypeError, /range must be.*"10"/],
  ['parallelFor', [10n, body], TypeError, /range must be.*10n/],
  ['parallelFor', [Number.NaN, body], RangeError, /n must be an integer from 0.*NaN/],
  ['parallelFor', [-1, body], RangeError, /n must be.*-1/],
  ['parallelFor', [1.5, body], RangeError, /n must be.*1\.5/],
  ['parallelFor', [2 ** 53, body], RangeError, /n must be.*9007199254740992/],
  ['parallelFor', [Number.POSITIVE_INFINITY, body], RangeError, /n must be.*Infinity/],
  ['parallelFor', [[1], body], TypeError, /range must be.*\[1\]/],
  ['parallelFor', [[1, 2, 3], body], TypeError, /range must be/],
  ['parallelFor', [[0, '9'], body], TypeError, /range must be/],
  ['parallelFor', [[3, 2], body], RangeError, /lo <= hi.*\[3, 2\]/],
  ['parallelFor', [[0.5, 2], body], RangeError, /safe integers/],
  ['parallelFor', [[Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], body], RangeError, /safe integers/],
  ['parallelFor', [3], TypeError, /body must be a function, but it is undefined/],
  ['parallelFor', [3, async () => {}], TypeError, /body is an AsyncFunction.*await around/],
  ['parallelFor', [3, function* () {}], TypeError, /body is an? GeneratorFunction/],
  ['parallelFor', [3, body, 7], TypeError, /options must be a plain object, but it is 7/],
  ['parallelFor', [3, body, null], TypeError, /options must be a plain object, but it is null/],
  ['parallelFor', [3, body, pool], TypeError, /options must be a plain object.*Write \{ pool \}/],
  ['parallelFor', [3, body, { treshold: 3 }], TypeError, /no option "treshold".*pool, threshold, context, signal/],
  ['parallelFor', [3, body, { map: body }], TypeError, /no option "map"/],
  [
    'parallelFor',
    [3, body, { partition: 'cyclical' }],
    TypeError,
    /options\.partition must be 'adaptive', 'static'.*"cyclical"/,
  ],
  ['parallelFor', [3, body, { partition: 4 }], TypeError, /options\.partition must be.*but it is 4/],
  ['parallelFor', [3, body, { partition: { block: 4 } }], TypeError, /options\.partition must be.*kind: 'cyclic'/],
  ['parallelForRange', [3, body, { partition: { kind: 'static' } }], TypeError, /options\.partition must be/],
  [
    'parallelForEach',
    [xs, body, { partition: { kind: 'cyclic' } }],
    TypeError,
    /options\.partition\.block must be a number/,
  ],
  [
    'parallelMap',
    [xs, body, { partition: { kind: 'cyclic', block: 0 } }],
    RangeError,
    /partition\.block.*from 1.*it is 0/,
  ],
  [
    'parallelMap',
    [xs, body, { partition: { kind: 'cyclic', block: 1, lanes: 2 } }],
    TypeError,
    /options\.partition must be/,
  ],
  [
    'parallelTabulate',
    [Float64Array, 3, body, { partition: 'static' }],
    TypeError,
    /no option "partition".*parallelFor, /,
  ],
  [
    'parallelMap',
    [xs, body, { concurrency: 3 }],
    TypeError,
    /no option "concurrency".*parallelMap and its kin have it for plain values/,
  ],
  ['parallelMap', [xs, body, { transfer: body }], TypeError, /no option "transfer".*for plain values/],
  ['parallelFor', [3, body, { pool: {} }], TypeError, /options\.pool must be a ForkJoinPool or SequentialExecutor/],
  ['parallelFor', [3, body, { threshold: '3' }], TypeError, /options\.threshold must be a number.*"3"/],
  ['parallelFor', [3, body, { threshold: 0 }], RangeError, /options\.threshold.*from 1 to.*0/],
  ['parallelFor', [3, body, { threshold: -1 }], RangeError, /options\.threshold/],
  ['parallelFor', [3, body, { threshold: 1.5 }], RangeError, /options\.threshold/],
  ['parallelFor', [3, body, { threshold: Number.NaN }], RangeError, /options\.threshold.*NaN/],
  ['parallelFor', [3, body, { context: 3 }], TypeError, /options\.context must be an object/],
  ['parallelFor', [3, body, { context: null }], TypeError, /options\.context must be an object/],
  ['parallelFor', [3, body, { signal: {} }], TypeError, /options\.signal must be an AbortSignal/],
  ['parallelFor', [3, body, { onProgress: 3 }], TypeError, /options\.onProgress must be a function/],
  ['parallelForRange', [-1, body], RangeError, /n must be/],
  ['parallelForRange', [3, 'body'], TypeError, /body must be a function/],
  ['parallelReduce', [new DataView(new ArrayBuffer(8)), 'sum'], TypeError, /xs must be a typed array/],
  ['parallelReduce', [detached(), 'sum'], TypeError, /xs is detached/],
  ['parallelReduce', [onResizable(), 'sum'], TypeError, /xs can be resized/],
  ['parallelReduce', [onResizable(2), 'sum'], TypeError, /xs can be resized/],
  ['parallelReduce', [onGrowable(), 'sum'], TypeError, /xs can be resized/],
  ['parallelReduce', [xs, 'mean'], TypeError, /op must be a function \(a, b\) or one of 'sum'.*"mean"/],
  ['parallelReduce', [xs], TypeError, /op must be/],
  ['parallelReduce', [xs, async () => 0, 0], TypeError, /op is an AsyncFunction/],
  ['parallelReduce', [xs, add, new (class Sum {})()], NotShareableError, /identity is an instance of Sum/],
  [
    'parallelReduce',
    [xs, add, [new Map([[1, new (class Sum {})()]])]],
    NotShareableError,
    /identity \(at \[0\]\.get\(1\)\) is an instance of Sum/,
  ],
  ['parallelReduce', [xs, add], TypeError, /needs an identity/],
  ['parallelReduce', [xs, add, undefined], TypeError, /needs an identity/],
  ['parallelReduce', [xs, add, { pool }], TypeError, /needs an identity/],
  ['parallelReduce', [xs, add, { map: body }], TypeError, /needs an identity/],
  ['parallelReduce', [xs, add, body], NotShareableError, /identity is a function, which cannot be cloned/],
  ['parallelReduce', [xs, add, 0, { map: 3 }], TypeError, /options\.map must be a function/],
  ['parallelReduce', [xs, 'sum', '0'], TypeError, /identity must be a number for 'sum'.*"0"/],
  ['parallelReduce', [xs, 'sum', 0n], TypeError, /identity must be a number/],
  ['parallelReduce', [new BigInt64Array(1), 'sum', 0], TypeError, /identity must be a bigint/],
  ['parallelReduce', [xs, 'sum', { pool }, { pool }], TypeError, /identity must be a number or a bigint/],
  ['parallelReduce', [xs, 'and'], TypeError, /'and' works on bits, and xs is a Float64Array/],
  ['parallelReduce', [xs, 'or', { mapp: body }], TypeError, /no option "mapp".*onProgress, map/],
  ['parallelSort', ['xs'], TypeError, /xs must be a typed array/],
  ['parallelSort', [detached()], TypeError, /xs is detached/],
  ['parallelSort', [xs, null], TypeError, /compare must be a function.*null/],
  ['parallelSort', [xs, 3], TypeError, /compare must be a function.*3/],
  ['parallelSort', [xs, { pool }, { pool }], TypeError, /compare must be a function/],
  ['parallelSort', [xs, { threshold: 0 }], RangeError, /options\.threshold/],
  ['parallelSort', [xs, async () => 0], TypeError, /compare is an AsyncFunction/],
  ['parallelMap', ['xs', body], TypeError, /xs must be a typed array/],
  ['parallelMap', [xs, 3], TypeError, /fn must be a function, but it is 3/],
  ['parallelMap', [xs, async () => 0], TypeError, /fn is an AsyncFunction/],
  ['parallelMap', [xs, body, { into: [1, 2, 3] }], TypeError, /options\.into must be a typed array, but it is/],
  ['parallelMap', [xs, body, { into: new Float64Array(2) }], RangeError, /options\.into has 2 elements.*has 3/],
  [
    'parallelMap',
    [xs, body, { into: new BigInt64Array(3) }],
    TypeError,
    /options\.into is a BigInt64Array, and xs a F/,
  ],
  ['parallelMap', [long.subarray(0, 3), body, { into: long.subarray(1, 4) }], TypeError, /options\.into overlaps xs/],
  ['parallelMap', [own.subarray(0, 3), body, { into: own.subarray(1, 4) }], TypeError, /options\.into overlaps xs/],
  ['parallelMap', [xs, body, { exclusive: true }], TypeError, /no option "exclusive".*into/],
  ['parallelForEach', ['xs', body], TypeError, /xs must be a typed array/],
  ['parallelForEach', [xs], TypeError, /fn must be a function/],
  ['parallelForEach', [xs, body, { into: xs }], TypeError, /no option "into"/],
  ['parallelTabulate', [Array, 3, body], TypeError, /Type must be a typed-array constructor.*the function Array/],
  ['parallelTabulate', [Float64Array, '3', body], TypeError, /n must be a number of elements.*"3"/],
  ['parallelTabulate', [Float64Array, -1, body], RangeError, /n must be an integer from 0.*-1/],
  ['parallelTabulate', [Float64Array, 1.5, body], RangeError, /n must be an integer from 0.*1\.5/],
  ['parallelTabulate', [Float64Array, 3], TypeError, /fn must be a function/],
  [
    'parallelTabulate',
    [Int8Array, 3, body, { into: xs }],
    TypeError,
    /options\.into is a Float64Array, and Type is Int8Array/,
  ],
  ['parallelTabulate', [Float64Array, 4, body, { into: xs }], RangeError, /options\.into has 3 elements.*has 4/],
  ['parallelFill', [[1], 0], TypeError, /xs must be a typed array/],
  ['parallelFill', [xs, 3n], TypeError, /value must be a number for a Float64Array, but it is 3n/],
  ['parallelFill', [xs], TypeError, /value must be a number.*undefined/],
  ['parallelFill', [new BigInt64Array(1), 3], TypeError, /value must be a bigint for a BigInt64Array, but it is 3/],
  ['parallelIndexOf', [xs, '3'], TypeError, /value must be a number.*"3"/],
  ['parallelIndexOf', [new BigUint64Array(1), 3], TypeError, /value must be a bigint/],
  ['parallelIndexOf', [xs, 3, 4], TypeError, /options must be a plain object, but it is 4/],
  ...['parallelCount', 'parallelSome', 'parallelEvery', 'parallelFind', 'parallelFindIndex', 'parallelFilter'].map(
    (form): BadCall => [form, [xs, 'x > 3'], TypeError, /pred must be a function.*"x > 3"/],
  ),
  ['parallelPartition', [xs], TypeError, /pred must be a function, but it is undefined/],
  ['parallelPartition', [xs, async () => true], TypeError, /pred is an AsyncFunction/],
  ['parallelFilter', [xs, body, { into: xs }], TypeError, /no option "into"/],
  ['parallelFind', [3, body], TypeError, /xs must be a typed array, but it is 3/],
  ['parallelScan', [[1], 'sum'], TypeError, /xs must be a typed array/],
  ['parallelScan', [xs, 'mean'], TypeError, /op must be a function \(a, b\) or one of 'sum'/],
  ['parallelScan', [xs, 'and'], TypeError, /'and' works on bits, and xs is a Float64Array/],
  ['parallelScan', [xs, add], TypeError, /needs an identity/],
  ['parallelScan', [xs, add, { into: xs }], TypeError, /needs an identity/],
  ['parallelScan', [xs, add, '0'], TypeError, /identity must be a number for a Float64Array, but it is "0"/],
  ['parallelScan', [xs, 'sum', 0n], TypeError, /identity must be a number/],
  ['parallelScan', [xs, 'sum', { exclusive: 1 }], TypeError, /options\.exclusive must be true or false, but it is 1/],
  ['parallelScan', [xs, 'sum', { into: new Float64Array(4) }], RangeError, /options\.into has 4 elements.*has 3/],
  ['parallelScan', [xs, 'sum', { into: new BigInt64Array(3) }], TypeError, /numbers and bigints do not mix/],
  ['parallelScan', [long.subarray(1, 4), 'sum', { into: long.subarray(0, 3) }], TypeError, /options\.into overlaps xs/],
  ['parallelScan', [xs, 'sum', { map: body }], TypeError, /no option "map".*exclusive, into/],
];

const title = ([form, args, , says]: BadCall): string => `${form}(${args.length} arguments) says ${says}`;

describe('bad arguments', () => {
  test.each(BAD_CALLS.map((call) => [title(call), call] as const))('%s', async (_, [form, args, error, says]) => {
    let returned: unknown;
    expect(() => {
      returned = FORMS[form](...args);
    }).not.toThrow();
    await expect(returned).rejects.toThrow(error);
    await expect(returned).rejects.toThrow(says);
    await expect(returned).rejects.toThrow(`furcate: ${form}: `);
    const sync = FORMS[`${form}Sync`];
    expect(() => sync(...args)).toThrow(error);
    expect(() => sync(...args)).toThrow(says);
    expect(simulation.jobs).toBe(0);
  });

  test.each(['parallelMap', 'parallelForEach', 'parallelFilter', 'parallelReduce'])(
    '%sSync refuses plain values, and names the form that takes them',
    (form) => {
      const says = new RegExp(
        `xs must be a typed array, but.*sharedArray.*Use await ${form}\\(\\), which takes plain values`,
      );
      expect(() => FORMS[`${form}Sync`]([1, 2], body, 0)).toThrow(says);
      const ofIterables = new RegExp(`xs must be a typed array, but.*Use await ${form}\\(\\)`);
      expect(() => FORMS[`${form}Sync`](new Set([1, 2]), body, 0)).toThrow(ofIterables);
    },
  );

  test('are refused before anything is called or written', async () => {
    const ys = sharedArray(Float64Array, [3, 1, 2]);
    await expect(parallelSort(ys, (a, b) => a - b, { threshold: 0 })).rejects.toThrow(RangeError);
    expect([...ys]).toEqual([3, 1, 2]);
  });

  test('a signal that is aborted already rejects with an AbortError, before anything runs', async () => {
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    const ys = sharedArray(Float64Array, [3, 1, 2]);
    const calls = [
      parallelFor(
        3,
        (i, { ys }) => {
          ys[i] = 9;
        },
        { signal, context: { ys } },
      ),
      parallelReduce(ys, 'sum', { signal }),
      parallelSort(ys, { signal }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'AbortError', cause: reason });
    expect(() => parallelSortSync(ys, { signal })).toThrow(CancellationError);
    expect([...ys]).toEqual([3, 1, 2]);
  });

  test('do not include a zero-length array, an empty subarray, or options without a prototype', async () => {
    expect(await parallelReduce(new Float64Array(0), 'sum')).toBe(0);
    expect(await parallelReduce(new Float64Array(5).subarray(5), 'sum')).toBe(0);
    expect(await parallelReduce(xs, 'sum', Object.assign(Object.create(null), { threshold: 2 }))).toBe(0);
    expect(await parallelReduce(xs, 'sum', { pool: undefined, threshold: undefined })).toBe(0);
    expect(await parallelReduce(xs, 'sum', { pool } as never)).toBe(0);
  });
});
