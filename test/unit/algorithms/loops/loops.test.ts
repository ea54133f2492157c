import '../../../helpers/in-simulated-core.js';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { calleesOf } from '../../../../src/algorithms/call/algorithm.js';
import { costOfPredicate, shipPredicate } from '../../../../src/algorithms/call/predicate.js';
import {
  parallelCount,
  parallelCountSync,
  parallelEverySync,
  parallelFillSync,
  parallelFilter,
  parallelFilterSync,
  parallelFind,
  parallelFindIndex,
  parallelFindIndexSync,
  parallelFindSync,
  parallelForEach,
  parallelIndexOfSync,
  parallelMap,
  parallelMapSync,
  parallelPartition,
  parallelPartitionSync,
  parallelScan,
  parallelScanSync,
  parallelSome,
  parallelTabulate,
  parallelTabulateSync,
} from '../../../../src/algorithms/index.js';
import { lower } from '../../../../src/algorithms/search/search-job.js';
import { COMPARISON_NS } from '../../../../src/algorithms/tuning.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { free, isShared, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { callWith, reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset({ stopsEarly: true }));

const refuse = (): never => {
  throw new Error('called');
};

describe('an empty array', () => {
  test('gives what the methods of arrays give, and calls nothing', async () => {
    const none = sharedArray(Float64Array, 0);
    const seen: unknown[] = [];
    const onProgress = (...args: unknown[]): void => void seen.push(args);
    expect([...(await parallelMap(none, refuse, { onProgress }))]).toEqual([]);
    expect(await parallelForEach(none, refuse, { onProgress })).toBeUndefined();
    expect(await parallelCount(none, refuse, { onProgress })).toBe(0);
    expect(await parallelSome(none, refuse)).toBe(false);
    expect(parallelEverySync(none, refuse)).toBe(true);
    expect(await parallelFind(none, refuse)).toBeUndefined();
    expect(await parallelFindIndex(none, refuse)).toBe(-1);
    expect(parallelIndexOfSync(none, 0)).toBe(-1);
    expect((await parallelPartition(none, refuse)).map((part) => [part.length, isShared(part)])).toEqual([
      [0, true],
      [0, true],
    ]);
    expect([...parallelScanSync(none, refuse, 0)]).toEqual([]);
    expect([...(await parallelTabulate(Int8Array, 0, refuse))]).toEqual([]);
    expect(parallelFillSync(none, 1)).toBe(none);
    expect(seen).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(simulation.jobs).toBe(0);
  });
});

describe('a predicate', () => {
  test('names a captured variable, at ten elements and at ten thousand', async () => {
    const captured = 3;
    for (const n of [10, 10_000]) {
      const xs = sharedArray(Float64Array, n);
      const says = /pred of parallel\w+ uses the captured variable `captured`/;
      await expect(parallelCount(xs, (x) => x < captured)).rejects.toThrow(says);
      expect(() => parallelFindSync(xs, (x) => x > captured)).toThrow(says);
      await expect(parallelFilter(xs, (x) => x === captured)).rejects.toThrow(says);
      expect(() => parallelMapSync(xs, (x) => x + captured)).toThrow(/fn of parallelMap uses the captured/);
      await expect(parallelScan(xs, (a, b) => a + b + captured, 0)).rejects.toThrow(
        /op of parallelScan uses the captured/,
      );
    }
  });

  test('that compares with a constant is known to be cheap, from the first call', () => {
    const costOf = (pred: unknown): number =>
      costOfPredicate(
        shipPredicate(calleesOf('parallelCount').sync, pred, {
          call: callWith(),
          awayFromCaller: false,
          threshold: 0,
          parallelism: 4,
          context: undefined,
          given: {},
        }),
      ).nsPerElement;
    expect(costOf((x: number) => x < 2.5)).toBe(COMPARISON_NS);
    expect(costOf((x: number, _i: number, { limit }: { limit: number }) => x >= limit)).toBe(COMPARISON_NS);
    expect(costOf((x: number) => Math.abs(x) < 2.5)).toBe(0);
  });
});

describe('a call that turns out more expensive than known', () => {
  /** Waits for the milliseconds that the context says. */
  const slowly = (x: number, _i: number, { ms }: { ms: number }): boolean => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    return x % 3 === 0;
  };
  const N = 40;
  const known = (xs: Float64Array, run: (context: { ms: number }) => unknown): void => {
    for (let call = 0; call < 20; call++) run({ ms: 0 });
    reset({ stopsEarly: true });
    expect(xs).toHaveLength(N);
  };

  test.each([true, false])('is handed over half-way, with the elements that are done (shared: %s)', (shared) => {
    const list = Array.from({ length: N }, (_, i) => i);
    const xs = shared ? sharedArray(Float64Array, list) : Float64Array.from(list);
    const threes = list.filter((x) => x % 3 === 0);
    const others = list.filter((x) => x % 3 !== 0);

    known(xs, (context) => parallelFilterSync(xs, slowly, { context }));
    expect([...parallelFilterSync(xs, slowly, { context: { ms: 1 } })]).toEqual(threes);
    expect(parallelPartitionSync(xs, slowly, { context: { ms: 0.5 } }).map((part) => [...part])).toEqual([
      threes,
      others,
    ]);
    expect(parallelCountSync(xs, slowly, { context: { ms: 0.5 } })).toBe(threes.length);
    expect(simulation.jobs).toBeGreaterThan(0);
  });

  test('a scan goes on from the carry, in place too', () => {
    const n = 300;
    const add = (a: number, b: number, { ms }: { ms: number }): number => {
      const end = performance.now() + ms;
      while (performance.now() < end);
      return a + b;
    };
    const list = Array.from({ length: n }, (_, i) => i + 1);
    for (const xs of [sharedArray(Float64Array, list), Float64Array.from(list)]) {
      for (let call = 0; call < 20; call++) parallelScanSync(xs, add, 0, { context: { ms: 0 } });
      reset();
      parallelScanSync(xs, add, 0, { context: { ms: 0.02 }, into: xs });
      expect(simulation.jobs).toBe(1);
      expect([...xs]).toEqual(list.map((x) => (x * (x + 1)) / 2));
    }
  });
});

describe('an abort half-way', () => {
  test('rejects, and leaves a shared target half written, another one as it was', async () => {
    for (const shared of [true, false]) {
      reset({ cancelAt: 20, stealing: 0 });
      const into = shared ? sharedArray(Float64Array, 3000) : new Float64Array(3000);
      const xs = sharedArray(Float64Array, 3000).fill(1);
      await expect(parallelMap(xs, (x) => x + 1, { into, threshold: 10 })).rejects.toThrow(
        'cancelled by the simulation',
      );
      const written = into.filter((x) => x === 2).length;
      if (shared) expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThan(3000);
      if (!shared) expect(written).toBe(0);
      reset({ cancelAt: 20, stealing: 0 });
      await expect(parallelScan(xs, 'max', { into, threshold: 10 })).resolves.toBe(into); // one block: nothing to cancel
      reset({ cancelAt: 10, stealing: 0, stopsEarly: true });
      await expect(parallelFind(xs, (x) => x * 2 < 0, { threshold: 10 })).rejects.toThrow('cancelled');
    }
  });
});

describe('the memory of a call', () => {
  test('is freed, with the unused end of a result, also on failure', async () => {
    const shared = sharedArray(Float64Array, 20_000).fill(1);
    const plain = new Float64Array(20_000).fill(1);
    const rarely = (_x: number, i: number): boolean => i % 100 === 0;
    const fails = (x: number, i: number): boolean => {
      if (i === 9_999) throw new RangeError('no');
      return x > 0;
    };
    const round = async (threshold: number | undefined): Promise<void> => {
      for (const xs of [shared, plain]) {
        const kept = await parallelFilter(xs, rarely, { threshold });
        expect(kept).toHaveLength(200);
        const [matching, others] = await parallelPartition(xs, rarely, { threshold });
        const sums = parallelScanSync(xs, (a, b) => a + b, 0, { threshold });
        for (const made of [kept, matching, others, sums]) if (xs === shared) free(made);
        await parallelFind(xs, (x) => x * 2 > 2, { threshold });
        await expect(parallelFilter(xs, fails, { threshold })).rejects.toThrow('no');
        await expect(parallelCount(xs, fails, { threshold })).rejects.toThrow('no');
        await expect(parallelMap(xs, fails as never, { threshold })).rejects.toThrow('no');
      }
    };
    for (const threshold of [64, undefined]) {
      await round(threshold); // sources of functions stay
      const before = heapStats();
      await round(threshold);
      expect(heapStats()).toEqual(before);
    }
  });
});

describe('parallelScan', () => {
  test('begins with the neutral element of the operation if no identity is given', () => {
    const first = (type: Int8ArrayConstructor | Uint32ArrayConstructor | Float64ArrayConstructor, op: 'min'): unknown =>
      parallelScanSync(new type(2), op, { exclusive: true })[0];
    expect(parallelScanSync(Float64Array.of(-0, -0), 'sum')).toEqual(Float64Array.of(-0, -0));
    expect(parallelScanSync(Float64Array.of(-0, -0), 'sum', { exclusive: true })).toEqual(Float64Array.of(0, 0));
    expect(parallelScanSync(Float64Array.of(2, 3), 'product', { exclusive: true })).toEqual(Float64Array.of(1, 2));
    expect(first(Float64Array, 'min')).toBe(Number.POSITIVE_INFINITY);
    expect(first(Float64Array, 'max' as 'min')).toBe(Number.NEGATIVE_INFINITY);
    expect(first(Int8Array, 'min')).toBe(127);
    expect(first(Int8Array, 'max' as 'min')).toBe(-128);
    expect(first(Uint32Array, 'min')).toBe(2 ** 32 - 1);
    expect(first(Uint32Array, 'and' as 'min')).toBe(2 ** 32 - 1);
    expect(parallelScanSync(BigInt64Array.of(1n), 'max', { exclusive: true })[0]).toBe(-(2n ** 63n));
    expect(parallelScanSync(BigUint64Array.of(2n ** 63n, 2n ** 63n, 1n), 'sum')[2]).toBe(1n);
  });

  test('keeps sums of doubles from integers, where the result is an array of doubles', () => {
    const xs = new Uint32Array(10_000).fill(2 ** 32 - 1);
    const into = new Float64Array(10_000);
    parallelScanSync(xs, 'sum', { into });
    expect(into[9_999]).toBe((2 ** 32 - 1) * 10_000);
    expect(parallelScanSync(Int32Array.of(1, 1, 1, 1), 'sum', 2 ** 53 - 1)).toEqual(Int32Array.of(0, 1, 2, 3));
    expect(parallelScanSync(Float64Array.of(0.5, 0.5, 0.5), 'sum', { into: new Int32Array(3) })).toEqual(
      Int32Array.of(0, 1, 1),
    );
    expect(parallelScanSync(Uint8ClampedArray.of(200, 100, 1), 'sum')).toEqual(Uint8ClampedArray.of(200, 255, 255));
  });

  test('refuses a result of the operation that is not a number', () => {
    expect(() => parallelScanSync(Float64Array.of(1, 2), () => 'text' as never, 0)).toThrow(
      /op of parallelScan must return a number for a Float64Array.*string/,
    );
  });

  test('surfaces what the operation throws', async () => {
    const xs = sharedArray(Float64Array, 5000).fill(1);
    const op = (a: number, b: number): number => {
      if (a > 3000) throw new RangeError('too much');
      return a + b;
    };
    for (const threshold of [undefined, 64]) {
      await expect(parallelScan(xs, op, 0, { threshold })).rejects.toThrow(new RangeError('too much'));
    }
  });
});

describe('a search that stops early', () => {
  test('measures its cost by the elements that it has searched', () => {
    const slowMatch = (x: number): boolean => {
      const end = performance.now() + 1;
      while (performance.now() < end);
      return x === 0;
    };
    const options = {
      call: callWith(),
      awayFromCaller: false,
      threshold: 0,
      parallelism: 4,
      context: undefined,
      given: {},
    };
    const cost = costOfPredicate(shipPredicate(calleesOf('parallelFindIndex').sync, slowMatch, options));
    expect(parallelFindIndexSync(sharedArray(Float64Array, 1000), slowMatch, { threshold: 1000 })).toBe(0);
    expect(cost.nsPerElement).toBeGreaterThan(500_000);
  });
});

describe('the least index found', () => {
  test('is never raised, and is unsigned', () => {
    const words = new Int32Array(new SharedArrayBuffer(8)).fill(-1);
    const seen = [2 ** 32 - 2, 2 ** 31 + 5, 2 ** 31 + 9, 7, 2 ** 31, 8, 3, 0, 1].map((index) => {
      lower(words, index);
      return words[0] >>> 0;
    });
    expect(seen).toEqual([2 ** 32 - 2, 2 ** 31 + 5, 2 ** 31 + 5, 7, 7, 7, 3, 0, 0]);
    expect(words[1]).toBe(-1);
  });
});

describe('types', () => {
  test('follow from the arguments', () => {
    const typed = (): void => {
      const xs: Float64Array = new Float64Array(1);
      const bigs: BigInt64Array = new BigInt64Array(1);
      const into: Int32Array = new Int32Array(1);
      expectTypeOf(parallelFilter(bigs, (x) => x > 3n)).toEqualTypeOf<Promise<BigInt64Array>>();
      expectTypeOf(parallelFind(bigs, () => true)).toEqualTypeOf<Promise<bigint | undefined>>();
      expectTypeOf(parallelScanSync(xs, 'sum')).toEqualTypeOf<Float64Array>();
      expectTypeOf(parallelScanSync(xs, 'sum', { into })).toEqualTypeOf<Int32Array>();
      expectTypeOf(parallelScanSync(bigs, (a, b) => a + b, 0n, { exclusive: true })).toEqualTypeOf<BigInt64Array>();
      expectTypeOf(parallelTabulateSync(BigInt64Array, 3, (i) => BigInt(i))).toEqualTypeOf<BigInt64Array>();
      // @ts-expect-error a function needs an identity
      parallelScanSync(xs, (a: number, b: number) => a + b);
      // @ts-expect-error numbers are no bigints
      parallelFillSync(bigs, 3);
    };
    expect(typed).toBeTypeOf('function');
  });
});
