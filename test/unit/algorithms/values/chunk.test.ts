import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChunkLimits, openCall, type Purpose, runChunk } from '../../../../src/algorithms/values/chunk.js';
import { shipFunction } from '../../../../src/core/code/source.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { collect } from '../../../helpers/garbage.js';

registerHost(detectNode);

const NO_LIMITS: ChunkLimits = {
  arePacked: true,
  atOnce: 1,
  limitMs: Number.POSITIVE_INFINITY,
  scope: undefined,
  signal: undefined,
  cancel() {},
};

const callOf = (purpose: Purpose, fn: unknown, op?: unknown, identity?: unknown): ReturnType<typeof openCall> =>
  openCall({
    purpose,
    fn: fn === undefined ? undefined : shipFunction(fn, 'fn', { mayAwait: true }),
    op: op === undefined ? undefined : shipFunction(op, 'op'),
    identity: identity === undefined ? undefined : { data: identity, codes: [] },
    context: undefined,
    called: 'fn of a test',
    takesScope: false,
    isSynchronous: false,
  });

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test('a function that returns no promise gives its results at once', () => {
  const chunk = runChunk(
    callOf('map', (x: number, i: number) => x * 10 + i),
    [1, 2, 3],
    5,
    NO_LIMITS,
  );
  expect(chunk).toMatchObject({ results: [15, 26, 37], done: 3, isAsync: false });
});

test('a chunk stops between two calls when its time is up', () => {
  const dear = (): number => {
    for (const end = performance.now() + 2; performance.now() < end; );
    return 1;
  };
  expect(runChunk(callOf('map', dear), upTo(50), 0, { ...NO_LIMITS, limitMs: 1 })).toMatchObject({
    results: [1],
    done: 1,
  });
});

test('a chunk of a reduction stops between two blocks only', () => {
  const dear = (x: number): number => {
    for (const end = performance.now() + 0.1; performance.now() < end; );
    return x;
  };
  const call = callOf('reduce', dear, (a: number, b: number) => a + b, 0);
  expect(runChunk(call, upTo(200), 0, { ...NO_LIMITS, limitMs: 1 })).toMatchObject({ results: [2016], done: 64 });
});

test('the first block of a reduction begins with a clone of the identity, the others with their first values', () => {
  const collect = (a: number[], b: number[]): number[] => {
    a.push(...b);
    return a;
  };
  const identity: number[] = [-1];
  const chunk = runChunk(
    callOf('reduce', (_: unknown, i: number) => [i], collect, identity),
    upTo(100),
    0,
    { ...NO_LIMITS, arePacked: false },
  );
  expect(chunk).toMatchObject({ results: [[-1, ...upTo(64)], upTo(100).slice(64)], done: 100 });
  expect(identity).toEqual([-1]);
});

test('promises are awaited, as many at once as allowed, and results keep their order', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ waits: fc.boolean(), ms: fc.nat(2) }), { minLength: 1, maxLength: 30 }),
    fc.integer({ min: 1, max: 8 }),
    fc.constantFrom<Purpose>('map', 'reduce'),
    async (values, atOnce, purpose) => {
      // The functions are compiled from their text, so they meet here.
      const counts = { now: 0, most: 0 };
      Object.assign(globalThis, { furcateTestCounts: counts });
      const fn = ({ waits, ms }: { waits: boolean; ms: number }, i: number): unknown => {
        if (!waits) return [i];
        const { furcateTestCounts: shared } = globalThis as unknown as {
          furcateTestCounts: { now: number; most: number };
        };
        shared.most = Math.max(shared.most, ++shared.now);
        return new Promise((resolve) => setTimeout(resolve, ms)).then(() => {
          shared.now--;
          return [i];
        });
      };
      const call = callOf(
        purpose,
        fn,
        purpose === 'reduce' ? (a: number[], b: number[]) => [...a, ...b] : undefined,
        [],
      );
      const { results, done, isAsync } = await runChunk(call, values, 0, { ...NO_LIMITS, atOnce, arePacked: false });
      expect(results.flat()).toEqual(upTo(values.length));
      expect([done, isAsync]).toEqual([values.length, values.some(({ waits }) => waits)]);
      expect(counts.now).toBe(0);
      expect(counts.most).toBeLessThanOrEqual(atOnce);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('the failure of the lowest index wins, and all calls in progress are awaited', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ fails: fc.boolean(), ms: fc.nat(2) }), { minLength: 1, maxLength: 30 }),
    fc.integer({ min: 1, max: 8 }),
    async (values, atOnce) => {
      const fn = async ({ fails, ms }: { fails: boolean; ms: number }, i: number): Promise<number> => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (fails) throw new Error(`failed ${i}`);
        return i;
      };
      const chunk = Promise.resolve(runChunk(callOf('map', fn), values, 0, { ...NO_LIMITS, atOnce }));
      const first = values.findIndex(({ fails }) => fails);
      if (first < 0) expect((await chunk).results).toEqual(upTo(values.length));
      else await expect(chunk).rejects.toThrow(`failed ${first}`);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('results that are to be packed do not keep the strings that they have parts of', () => {
  const look = {
    bytes: 0,
    now: (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    },
  };
  Object.assign(globalThis, { furcateTestLook: look });
  const before = look.now();
  const lineOf = (k: number): { line: string } => {
    const { furcateTestLook } = globalThis as unknown as { furcateTestLook: typeof look };
    if (k === 63) furcateTestLook.bytes = furcateTestLook.now();
    const [line = ''] = `a line of file ${k}\n${'x'.repeat(2 ** 20)}`.split('\n');
    return { line };
  };
  runChunk(callOf('map', lineOf), upTo(64), 0, NO_LIMITS);
  expect(look.bytes - before).toBeLessThan(16 * 2 ** 20); // 64 MiB where each keeps its file
});

test('functions that only read fold numbers as others do, and anything else as well', () => {
  const reads = (o: { x: unknown }): unknown => o.x;
  const readsAndMore = (o: { x: unknown }): unknown => {
    const { x } = o;
    return x;
  };
  const add = (a: number, b: number): number => a + b;
  const greater = (a: number, b: number): unknown => (a < b ? b : a);
  for (const op of [add, greater, (a: number, b: number) => a < b])
    for (const values of [upTo(200), ['a', 'b'], [1, 'b', 2], [true, 2]].map((list) =>
      (list as unknown[]).map((x) => ({ x })),
    )) {
      const [one, other] = [reads, readsAndMore].map((fn) =>
        runChunk(callOf('reduce', fn, op, 0), values, 0, NO_LIMITS),
      );
      expect((one as { results: unknown }).results).toEqual((other as { results: unknown }).results);
    }
});
