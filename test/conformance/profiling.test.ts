import fc from 'fast-check';
import {
  type Executor,
  ForkJoinPool,
  parallelFor,
  parallelMap,
  parallelSort,
  type RecursiveTask,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { charge, profile } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { type CostTree, costOf, costTrees } from '../helpers/cost-trees.js';
import { fixture, type Scenario } from '../helpers/executors.js';

type Made = new (arg: unknown) => RecursiveTask<unknown>;
const fixtures = await fixture<Record<string, Scenario>>('profiled.mjs');
const { asyncTree, burnTwice, chain, failing, flat, inRegions, loop, reduction, skewed, tree } = fixtures as Record<
  string,
  Scenario
> &
  Record<'burnTwice' | 'chain' | 'flat' | 'reduction', Scenario>;
const { Balanced, Tree } = fixtures as unknown as Record<'Balanced' | 'Tree', Made>;

const charged = { cost: 'charged' } as const;
const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));
const pools = [1, 2, 3].map((parallelism) => new ForkJoinPool({ parallelism }));
const checked = new ForkJoinPool({ parallelism: 2, checked: true });
afterAll(() => Promise.all([...pools, checked].map((pool) => pool.close())));

const places: readonly { readonly name: string; readonly pool: Executor }[] = [
  ...pools.map((pool) => ({ name: `P=${pool.parallelism}`, pool })),
  { name: 'P=2, checked', pool: checked },
  { name: 'alone', pool: new SequentialExecutor() },
];

describe.each(places)('$name: charged', ({ pool }) => {
  const cost = async (fn: () => unknown): Promise<{ work: number; span: number }> => {
    const { work, span } = await profile(fn, charged);
    return { work, span };
  };
  const run = (work: unknown, ...args: unknown[]): Promise<unknown> => pool.invoke(work as Scenario, ...args);

  test('work and span of programs are what they are by construction', async () => {
    expect(await cost(() => pool.invoke(new Balanced(8)))).toEqual({ work: 256, span: 1 });
    expect(await cost(() => run(skewed, 12))).toEqual({ work: fib(13), span: 1 });
    expect(await cost(() => run(flat, 300))).toEqual({ work: 300, span: 1 });
    expect(await cost(() => run(chain, 200))).toEqual({ work: 401, span: 201 });
    expect(await cost(() => run(failing, 5))).toEqual({ work: 1 + 11 + 3 + 7 + 2, span: 12 });
  });

  test('random trees of forks, joined in any order or left to the end of a task, cost what they cost by definition', async () => {
    await fc.assert(
      fc.asyncProperty(costTrees, async (made) => {
        const expected = costOf(made);
        expect(await cost(() => pool.invoke(new Tree(made)))).toEqual(expected);
        expect(await cost(() => run(tree, made))).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  test('trees of asynchronous tasks cost what they cost by definition, as far as charge() is called before an await', async () => {
    const parts: CostTree = [
      2,
      { fork: [3, { fork: [4], form: 'function' }, 1], form: 'class' },
      { fork: [9], form: 'function' },
      1,
      { join: 0 },
      { fork: [1], form: 'class' },
    ];
    expect(await cost(() => run(asyncTree, parts))).toEqual(costOf(parts));
  });

  test('the span of an algorithm is that of its finest cut', async () => {
    expect(await cost(() => run(loop, 100))).toEqual({ work: 5050, span: 100 });
    const context = { charge };
    const body = (i: number, { charge }: { charge: (units: number) => void }): void => charge(i % 7);
    expect(await cost(() => parallelFor(1000, body, { pool, context }))).toEqual({ work: 2997, span: 6 });
    const xs = sharedArray(Float64Array, 500).fill(3);
    const map = (x: number, _: number, { charge }: { charge: (units: number) => void }): number => {
      charge(x);
      return x;
    };
    expect(await cost(() => parallelMap(xs, map as never, { pool, context } as never))).toEqual({
      work: 1500,
      span: 3,
    });
    expect(await cost(() => parallelMap([1, 2, 5, 3], map as never, { pool, context } as never))).toEqual({
      work: 11,
      span: 5,
    });
  });

  test('what is awaited comes before what follows, and what is not awaited runs beside it', async () => {
    const inTurn = await cost(async () => {
      await run(chain, 3);
      charge(10);
      await run(chain, 4);
    });
    expect(inTurn).toEqual({ work: 7 + 10 + 9, span: 4 + 10 + 5 });
    const beside = await cost(() => Promise.all([run(chain, 3), run(chain, 4)]));
    expect(beside).toEqual({ work: 16, span: 5 });
  });

  test('regions, tasks and the path of the span say where the cost is', async () => {
    const report = await profile(() => run(inRegions, 4), charged);
    expect(report.regions).toEqual([
      { name: 'balanced', calls: 1, work: 16, span: 1, parallelism: 16 },
      { name: 'chain', calls: 2, work: 18, span: 10, parallelism: 1.8 },
    ]);
    expect(report).toMatchObject({ unit: 'units', work: 34, span: 11 });
    expect(report.byTask.reduce((sum, { work }) => sum + work, 0)).toBe(34);
    expect(report.byTask.reduce((sum, { onSpan }) => sum + onSpan, 0)).toBe(11);
    expect(report.path.reduce((sum, { cost }) => sum + cost, 0)).toBe(11);
    expect(report.byTask.map(({ name }) => name)).toEqual(expect.arrayContaining(['Balanced', 'chain', 'leaf']));
    expect(report.speedUp(1)).toEqual({ atLeast: 1, expected: 1, atMost: 1 });
    expect(report.speedUp(64).atMost).toBeCloseTo(34 / 11);
  });
});

test('a reduction has the span of its tree, with every number of threads', async () => {
  const xs = sharedArray(Float64Array, 3000).fill(1);
  const costs: object[] = [];
  for (const { pool } of places) {
    const { work, span, result } = await profile(() => pool.invoke(task(reduction, xs)), charged);
    costs.push({ work, span, result });
  }
  expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1);
  expect(costs[0]).toEqual({ work: 3000, span: 16 + Math.ceil(Math.log2(3000 / 16)), result: 3000 }); // in blocks of 16
});

test('a sort by a comparator that charges costs the same with every number of threads', async () => {
  const n = 6000;
  const byCharge = (a: number, b: number, { charge }: { charge: (units: number) => void }): number => {
    charge(1);
    return a - b;
  };
  const sorted = (pool: ForkJoinPool): Promise<unknown> => {
    const xs = sharedArray(Float64Array, n).map((_x, i) => Math.sin(i * i)) as Float64Array;
    return parallelSort(xs, byCharge, { pool, context: { charge } });
  };
  const costs: object[] = [];
  for (const pool of pools) {
    for (let k = 0; k < 3; k++) await sorted(pool);
    const { work, span } = await profile(() => sorted(pool), charged);
    costs.push({ work, span });
    expect(work).toBeGreaterThan(n);
    expect(span).toBeLessThan(work / 10);
  }
  expect(costs).toEqual(pools.map(() => costs[0]));
});

test('nothing is counted after a profile, and charge() costs nothing then', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  await profile(() => pool.invoke(flat, 10), charged);
  charge(5);
  await pool.invoke(flat, 10);
  const { work } = await profile(() => pool.invoke(flat, 20), charged);
  expect(work).toBe(20);
});

test('plain values cost the same when the caller has learned that it could compute them itself', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  const map = (x: number, _: number, { charge }: { charge: (units: number) => void }): number => {
    charge(x);
    return x;
  };
  const run = (): unknown => parallelMap([1, 2, 5, 3], map as never, { pool, context: { charge } } as never);
  for (let k = 0; k < 30; k++) await run();
  const { work, span } = await profile(run, charged);
  expect({ work, span }).toEqual({ work: 11, span: 5 });
});

test('a profile of time has no less work than span, and counts tasks', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  const report = await profile(() => pool.invoke(new Balanced(6)), { runs: 2 });
  expect(report).toMatchObject({ unit: 'us', result: undefined });
  expect(report.work).toBeGreaterThanOrEqual(report.span);
  expect(report.span).toBeGreaterThanOrEqual(0); // clocks of browsers step by microseconds
  expect(report.byTask.find(({ name }) => name === 'Balanced')?.tasks).toBeGreaterThan(0);
  expect(report.precision).not.toBe('exact'); // which of the others depends on what else the machine does
  expect(report.toString()).toMatch(/^tasks, forks, apart +64, 63, \d+$/m);
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({ work: report.work });
  expect(report.toSvg([{ threads: 2, speedUp: 1.9 }])).toMatch(/^<svg .*<circle .*<\/svg>$/s);
});

test('a profile of time tells work, span, their bounds, what steals add and where the time went', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  const report = await profile(() => pool.invoke(burnTwice, 4), { runs: 2 });
  const { work, span, burdenedSpan, stealCost, time } = report;
  expect(work).toBeGreaterThan(2 * 3800);
  expect(span).toBeGreaterThan(3800);
  expect(span).toBeLessThanOrEqual(work);
  expect(['measured', 'interval']).toContain(report.precision);
  expect(report.workBounds[1]).toBe(work);
  expect(burdenedSpan).toBeGreaterThanOrEqual(span);
  expect(burdenedSpan).toBeLessThanOrEqual(span + stealCost + 1);
  expect(report.c).toBeCloseTo(burdenedSpan / span);
  expect(time?.threads).toBe(2);
  const { wall = 0, total, work: least = 0, inflation = 0, garbage = 0 } = time ?? {};
  expect(total).toBeCloseTo(2 * wall);
  expect(least).toBeLessThanOrEqual(work); // but for garbage, it is the work
  expect(least + garbage).toBeGreaterThanOrEqual(work - 1);
  expect(inflation).toBeGreaterThanOrEqual(0);
  expect(report.schedule.encodedBytes).toBeGreaterThanOrEqual(2 * 256); // of the invocation, and of its result
  expect(report.schedule.copiedBytes).toBe(0);
  expect(report.toString()).toMatch(/^work \(T1\) +[\d., to]+ us\nspan /);
  const { atLeast, expected, atMost } = report.speedUp(2);
  expect(atLeast).toBeLessThanOrEqual(expected);
  expect(expected).toBeLessThanOrEqual(atMost);
});

test('time between calls is told, and bounds the speed-up', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  const calls = async (): Promise<void> => {
    await pool.invoke(burnTwice, 2);
    const untilMs = performance.now() + 5;
    while (performance.now() < untilMs);
    await pool.invoke(burnTwice, 2);
  };
  const report = await profile(calls, { runs: 2 });
  expect(report.between).toBeGreaterThan(4900);
  expect(report.work).toBeGreaterThan(4 * 1900); // and the rest is not in it
  expect(report.speedUp(64).atMost).toBeLessThan((4900 + report.workBounds[1]) / 4900);
  expect(report.toString()).toMatch(/^between calls +[\d.,]+ us$/m);
  const once = await profile(() => pool.invoke(burnTwice, 2), { runs: 2 });
  expect(once.between).toBe(0);
});

test('a program that does other work each time is told by its tasks', async () => {
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  let depth = 3;
  const report = await profile(() => pool.invoke(new Balanced(++depth)), { ...charged, runs: 3 });
  expect(report.taskBounds).toEqual([16, 64]);
  expect(`${report}`).toContain('The runs had 16 to 64 tasks: their work differs');
  const same = await profile(() => pool.invoke(new Balanced(4)), { ...charged, runs: 3 });
  expect(same.taskBounds).toEqual([16, 16]);
  expect(`${same}`).not.toContain('differs');
});

test('classes and functions have their lines where the runtime tells', async () => {
  const { AtLine4 } = (await fixture('lines.mjs')) as unknown as { AtLine4: new () => RecursiveTask<number> };
  const [, pool] = pools as [ForkJoinPool, ForkJoinPool];
  const { byTask } = await profile(() => pool.invoke(new AtLine4()), charged);
  const isNode = typeof process !== 'undefined' && !('bun' in process.versions) && !('deno' in process.versions);
  expect(byTask).toMatchObject([{ name: 'AtLine4' }]);
  expect(byTask[0]?.module).toMatch(/lines\.mjs$/);
  if (isNode) expect(byTask[0]?.line).toBe(4);
  else expect([4, undefined]).toContain(byTask[0]?.line);
  const call = (): unknown => parallelFor(100, (_, { charge }) => charge(1), { pool, context: { charge } });
  const other = (): unknown => parallelFor(100, (_, { charge }) => charge(1), { pool, context: { charge } });
  const placeOf = async (fn: () => unknown): Promise<unknown> => {
    const [row] = (await profile(fn, charged)).byTask;
    expect(row?.name).toBe('body of parallelFor');
    return row?.module?.split('/').at(-1)?.split('?')[0];
  };
  const here = await placeOf(() => Promise.all([call(), call()]));
  if (isNode) expect(here).toMatch(/^profiling\.test\.ts(\.js)?$/); // compiled, in the runtimes' own runs
  const several = await placeOf(() => Promise.all([call(), other()]));
  if (isNode) expect(several).toBeUndefined();
  else expect([undefined, here]).toContain(several); // JavaScriptCore has no frames of functions whose last act is a call
});

test('wrong arguments are refused', async () => {
  const refused = async (fn: unknown, options?: unknown): Promise<unknown> =>
    profile(fn as () => void, options as never).catch((error: unknown) => `${error}`);
  expect(await refused(1)).toBe(
    'TypeError: furcate: profile(fn, options) takes a function, and calls it; it was given 1.',
  );
  expect(await refused(() => 1, { cost: 'bytes' })).toMatch(/^TypeError: furcate: .*cost must be 'time' or 'charged'/);
  expect(await refused(() => 1, { runs: 0 })).toMatch(/^RangeError: furcate: .*runs must be an integer from 1 up/);
  expect(await refused(() => profile(() => 1))).toMatch(/^Error: furcate: profile\(\) while another profile\(\) runs/);
  expect(() => charge(-1)).toThrow(RangeError);
  expect(() => charge('1' as never)).toThrow(TypeError);
});
