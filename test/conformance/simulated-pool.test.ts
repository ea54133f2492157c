/** Pools whose schedule a seed decides: what they find, and that a seed finds it again. */
import fc from 'fast-check';
import {
  type ForkJoinTask,
  parallelFor,
  parallelMap,
  parallelReduce,
  parallelSort,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { taskGraph } from 'furcate/flows';
import { profile, SimulatedPool } from 'furcate/insight';
import { expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

type Name =
  | 'countAll'
  | 'entersAll'
  | 'forksUnshareable'
  | 'leansOnOrder'
  | 'leansOnSharing'
  | 'manyScratches'
  | 'noteOrder'
  | 'numberOf'
  | 'someFail'
  | 'spins';
const tasks = await fixture<Record<Name, Scenario> & { Sum: new (lo: number, hi: number) => ForkJoinTask<number> }>(
  'simulated.mjs',
);

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

const thrownBy = (act: () => unknown): string => {
  try {
    return `no error but ${String(act())}`;
  } catch (error) {
    return String(error);
  }
};

/** The results of a task with each seed. */
const withSeeds = (name: Name, ...args: (() => unknown)[]): unknown[] =>
  SEEDS.map((seed) => new SimulatedPool({ seed }).invokeSync(tasks[name], ...args.map((make) => make())));

/** The order in which tasks begin. */
function orderWith(seed: number, parallelism?: number): string {
  const order = sharedArray(Int32Array, 42);
  const pool = new SimulatedPool({ seed, parallelism });
  expect(pool.invokeSync(tasks.noteOrder, order, 0, 3)).toBe(40);
  expect([order[0], new Set(order.subarray(1, 41)).size]).toEqual([40, 40]); // each has run once
  if (parallelism === 1) expect(pool.steals).toBe(0);
  return order.join();
}

test('the same seed gives the same schedule, and other seeds give others', () => {
  const orders = SEEDS.map((seed) => orderWith(seed));
  expect(SEEDS.map((seed) => orderWith(seed))).toEqual(orders);
  expect(new Set(orders).size).toBeGreaterThan(30);
  expect(new Set(SEEDS.map((seed) => orderWith(seed, 1))).size).toBe(1);
});

test('a pool tells a seed of its own, with which another one repeats its schedule', () => {
  const { seed, parallelism } = new SimulatedPool();
  expect(parallelism).toBe(4);
  expect(orderWith(seed)).toBe(orderWith(seed));
});

test('tasks give what they give one after the other, and their fields come home', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.nat(60), fc.constantFrom(0, 0.5, 0.95), async (seed, n, stealing) => {
      const pool = new SimulatedPool({ seed, stealing, parallelism: 6 });
      expect(await pool.invoke(new tasks.Sum(0, n))).toBe((n * (n - 1)) / 2 + 0);
      await pool.close();
    }),
    { numRuns: 40 },
  );
});

test('some seeds show a count that tasks tear apart, and none does where it is atomic', () => {
  const cells = (): Int32Array => sharedArray(Int32Array, 2);
  const torn = withSeeds('countAll', cells, () => false);
  expect(Math.min(...(torn as number[]))).toBeLessThan(6);
  expect(new Set(withSeeds('countAll', cells, () => true))).toEqual(new Set([6]));
  expect(new SequentialExecutor().invokeSync(tasks.countAll, cells(), false)).toBe(6); // which is why a test needs seeds
});

test('some seeds show a task that leans on sharing, or on the order of tasks', () => {
  expect(new Set(withSeeds('leansOnSharing')).size).toBeGreaterThan(1);
  expect(new Set(withSeeds('leansOnOrder', () => sharedArray(Int32Array, 2)))).toEqual(new Set([0, 1]));
});

test('a stolen task that cannot be copied fails at its own join; one that throws does, too', () => {
  const messages = SEEDS.map((seed) => thrownBy(() => new SimulatedPool({ seed }).invokeSync(tasks.forksUnshareable)));
  expect(messages.filter((text) => text.includes('argument 1 of takesAnything')).length).toBeGreaterThan(0);
  for (const result of withSeeds('someFail')) expect(result).toEqual([0, 1, 'RangeError: at 2', 3]);
});

test('each simulated thread has values of its own, and nobody enters an isolated section', () => {
  for (const result of withSeeds('manyScratches')) expect(result).toEqual([3, 1, 4, 1, 5]);
  for (const result of withSeeds('entersAll')) expect(result).toEqual(Array(5).fill('number'));
});

test('algorithms give what they give in pools, in an order that the seed decides', async () => {
  const n = 200;
  const orderOf = async (seed: number): Promise<string> => {
    const [pool, order] = [new SimulatedPool({ seed }), sharedArray(Int32Array, n + 1)];
    const body = (i: number, { order }: { order: Int32Array }): void => {
      order[++(order as never as number[])[0]] = i;
    };
    await parallelFor(n, body as never, { pool, context: { order } } as never);
    expect([...order.subarray(1)].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    return order.join();
  };
  const seeds = SEEDS.slice(0, 6);
  const orders = await Promise.all(seeds.map(orderOf));
  expect(await Promise.all(seeds.map(orderOf))).toEqual(orders);
  expect(new Set(orders).size).toBe(seeds.length);
  const pool = new SimulatedPool({ seed: 3 });
  const xs = sharedArray(Float64Array, n).map((_, i) => (i * 37) % n);
  const shared = sharedArray(Float64Array, [...xs]);
  expect(await parallelReduce(shared, (a: number, b: number) => a + b, 0, { pool })).toBe((n * (n - 1)) / 2);
  await parallelSort(shared, (a: number, b: number) => a - b, { pool });
  expect([...shared]).toEqual([...xs].sort((a, b) => a - b));
  expect(await parallelMap([1, 2, 3], (x: number) => x * 2, { pool })).toEqual([2, 4, 6]);
  expect(pool.steals).toBeGreaterThan(0);
});

test('task graphs run, and aborts and time-outs end what runs', async () => {
  const graph = taskGraph((g) => {
    const a = g.task(tasks.numberOf as never, 3 as never);
    return g.task(tasks.numberOf as never, a as never);
  });
  for (const seed of SEEDS.slice(0, 5)) expect(await graph.with({ pool: new SimulatedPool({ seed }) }).run()).toBe(3);
  const pool = new SimulatedPool({ seed: 1 });
  expect(await errorOf(pool.invoke(task(tasks.spins) as never, { timeoutMs: 5 }))).toMatchObject({
    name: 'CancellationError',
  });
  expect(await pool.with({ priority: 'high' }).invoke(tasks.numberOf, 5)).toBe(5);
  expect(await pool.invokeAny([task(tasks.numberOf, 6) as never])).toBe(6);
  await pool.close();
  expect(await errorOf(pool.invoke(tasks.numberOf, 1))).toMatchObject({ name: 'RejectedExecutionError' });
});

test('wrong options are refused, and so is a profile of a simulated pool', async () => {
  const made = (options: unknown): string => thrownBy(() => new SimulatedPool(options as never));
  expect(made({ seed: 1.5 })).toMatch(/^RangeError: furcate: .*seed must be an integer/);
  expect(made({ parallelism: 65 })).toMatch(/^RangeError: furcate: .*parallelism must be an integer from 1 to 64/);
  expect(made({ stealing: 1 })).toMatch(/^RangeError: furcate: .*stealing must be from 0 to less than 1/);
  const pool = new SimulatedPool({ seed: 7, parallelism: 2 });
  expect(`${pool}`).toBe('SimulatedPool({ seed: 7, parallelism: 2 })');
  const refused = await errorOf(profile(() => pool.invoke(tasks.numberOf, 1)));
  expect(`${refused}`).toMatch(/^Error: furcate: a SimulatedPool cannot be observed by profile\(\) or trace\(\)\./);
});
