/** What traces have of pipelines, limits and task graphs. */
import { type Forkable, ForkJoinPool, SequentialExecutor } from 'furcate';
import { type Limit, limit, pipeline, taskGraph } from 'furcate/flows';
import { trace } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { type FileEvent, type Timeline, timelineOf } from '../helpers/timeline.js';

const { echo } = await fixture<{ echo: Forkable<[value: number], number> }>('holding.mjs');
const { later } = await fixture<Record<string, Scenario>>('asynchronous.mjs');
const pool = new ForkJoinPool({ parallelism: 2, name: 'traced' });
afterAll(() => pool.close());

async function traced(fn: () => Promise<unknown>): Promise<Timeline> {
  const timeline = timelineOf(JSON.stringify(await trace(fn)));
  expect([timeline.problems, timeline.dropped]).toEqual([[], 0]);
  return timeline;
}

const waits = ({ events }: Timeline): FileEvent[] => events.filter(({ ph, cat }) => ph === 'b' && cat === 'waited');

test('the stages of a pipeline with their queues, and how long items wait for them', async () => {
  const double = (x: number): number => 2 * x;
  const even = async (x: number): Promise<boolean> => x % 4 === 0;
  const timeline = await traced(() =>
    pipeline(
      Array.from({ length: 40 }, (_, k) => k),
      { pool, inFlight: 8 },
    )
      .map(double, { name: 'double' })
      .flatMap((x: number) => [x, x + 1])
      .filter(even)
      .toArray(),
  );
  const names = new Set(waits(timeline).map(({ name }) => name));
  // The first two run as one.
  for (const stage of ['map(), stage 1', 'filter(), stage 3'])
    expect([...names].filter((name) => name.startsWith(`waiting for ${stage}`))).toHaveLength(1);
  const items = waits(timeline).filter(({ name }) => name.includes('stage 1'));
  expect(items.reduce((sum, { args }) => sum + Number(args?.['items']), 0)).toBe(40);
  const counts = timeline.events.filter(({ ph }) => ph === 'C').map(({ name }) => name);
  expect(counts).toContainEqual(expect.stringMatching(/^items that wait: map\(\), stage 1/));
  expect(counts).toContainEqual(expect.stringMatching(/^tasks in flight: filter\(\), stage 3/));
  expect(counts).toContain('items in flight: pipeline');
});

test('how long invocations wait for a limit, by its name', async () => {
  const one = limit(1, { name: 'database' });
  const timeline = await traced(() => Promise.all([1, 2, 3].map((k) => pool.with({ limit: one }).invoke(echo, k))));
  expect(waits(timeline).map(({ name }) => name)).toEqual(['waiting for database', 'waiting for database']);
});

test('the nodes of a graph, and which of them makes another one ready', async () => {
  const graph = taskGraph(
    (g) => g.with({ name: 'total' }).task((a: number, b: number): number => a + b, g.task(echo, 1), g.task(echo, 2)),
    { name: 'orders' },
  );
  const timeline = await traced(() => graph.with({ pool }).run());
  const nodes = timeline.slices('node');
  expect(nodes.map(({ name }) => name).sort()).toEqual(['echo', 'echo', 'total']);
  for (const { args } of nodes) expect(args?.['module']).toBe('orders');
  const keyOf = (event: FileEvent | undefined): unknown => event?.args?.['node'];
  const ready = timeline.events.filter(({ ph, name }) => ph === 'i' && name === 'ready');
  expect(ready.map(keyOf)).toEqual([keyOf(nodes.find(({ name }) => name === 'total'))]);
  expect(nodes.filter(({ name }) => name === 'echo').map(keyOf)).toContain(ready[0]?.args?.['after']);
});

/** Waits three times. */
const waits3 = async (value: number): Promise<number> => {
  for (let k = 0; k < 3; k++) await new Promise((resolve) => setTimeout(resolve, 2));
  return value;
};

/** For each asynchronous task of a name: how many parts are on its thread, from its begin to its end, one after the other. */
function partsOf({ events, slices }: Timeline, cat: string, name: string): number[] {
  const bars = events.filter((event) => event.cat === 'coroutine' && event.name === name);
  return bars
    .filter(({ ph }) => ph === 'b')
    .map(({ id, tid, ts }) => {
      const end = bars.find((bar) => bar.ph === 'e' && bar.id === id)?.ts ?? 0;
      const number = Number(id) % 2 ** 32;
      const parts = [...slices(cat), ...slices('continued')]
        .filter((part) => part.name === name && part.tid === tid && ts <= part.ts && part.ts + part.dur <= end)
        .filter(({ args }) => (args?.['coroutine'] ?? number) === number)
        .sort((a, b) => a.ts - b.ts);
      for (const [k, part] of parts.slice(1).entries())
        expect(part.ts).toBeGreaterThanOrEqual((parts[k] as FileEvent).ts + (parts[k] as FileEvent).dur);
      return parts.length;
    });
}

const addAfter = async (a: number, b: number): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return a + b;
};
const add = (a: number, b: number): number => a + b;

describe('tasks of the library are called after what the program wrote:', () => {
  const CALLS = ['invocation', 'root', 'stolen', 'apart', 'task', 'continued', 'coroutine'];
  /** The names of what was called, and of the tasks that ran for it. */
  const namesIn = ({ events }: Timeline): string[] => [
    ...new Set(events.filter(({ cat = '' }) => CALLS.includes(cat)).map(({ name }) => name)),
  ];
  const graphOf = (fn: (a: number, b: number) => number | Promise<number>, options: { readonly limit?: Limit } = {}) =>
    taskGraph(
      (g) => {
        const leaves = [1, 2, 3, 4].map((k) => g.task(echo, k));
        const sums = [0, 2].map((k) => g.with({ name: 'sum', ...options }).task(fn, leaves[k], leaves[k + 1]));
        return g.with({ name: 'total' }).task(fn, sums[0], sums[1]);
      },
      { name: 'orders' },
    );

  test.each([
    ['of a graph', graphOf(add), pool],
    ['of a graph that waits', graphOf(addAfter), pool],
    ['of a graph with a limit', graphOf(addAfter, { limit: limit(1) }), pool],
    ['of a graph without workers', graphOf(addAfter), new SequentialExecutor()],
  ])('those %s', async (_, graph, executor) => {
    const names = namesIn(await traced(() => graph.with({ pool: executor }).run()));
    const isAlone = executor !== pool;
    if (!isAlone || graph.isAsync) expect(names).toContain('taskGraph orders');
    expect(names.filter((name) => !['taskGraph orders', 'sum', 'total'].includes(name))).toEqual([]);
  });

  const twice = function* (x: number): Generator<number> {
    yield x;
    yield x;
  };
  test.each([
    ['that computes', pipeline([1, 2, 3], { pool }).map((x: number) => x + 1), 'map(), stage 1 of the pipeline'],
    ['that forks', pipeline([1, 2, 3], { pool }).map(echo), 'map(), stage 1 of the pipeline'],
    ['that pauses', pipeline([1, 2, 3], { pool, inFlight: 1 }).flatMap(twice), 'flatMap(), stage 1 of the pipeline'],
  ])('those of a stage %s', async (_, stages, name) => {
    expect(namesIn(await traced(() => stages.toArray()))).toEqual([name]);
  });
});

const onePermit = limit(1);
const twoNodes = (options: { readonly limit?: Limit }) =>
  taskGraph((g) =>
    g.with({ name: 'last', ...options }).task(waits3, g.with({ name: 'first', ...options }).task(waits3, 1)),
  );

describe('each part that an asynchronous task runs after an await, by its name and number:', () => {
  test.each([
    ['that of a node', twoNodes({})],
    ['that of a node with a limit', twoNodes({ limit: onePermit })],
  ])('%s', async (_, graph) => {
    const timeline = await traced(() => graph.with({ pool }).run());
    for (const name of ['first', 'last']) {
      const [parts, ...others] = partsOf(timeline, 'node', name);
      expect(others).toEqual([]);
      expect(parts).toBeGreaterThanOrEqual(4);
    }
  });

  test('that of a stage', async () => {
    const timeline = await traced(() => pipeline([1], { pool }).map(waits3).toArray());
    expect(Math.max(...partsOf(timeline, 'root', 'map(), stage 1 of the pipeline'))).toBeGreaterThanOrEqual(4);
  });

  test('that of a task of the program, on the calling thread, too', async () => {
    const alone = await traced(() => new SequentialExecutor().invoke(later as Scenario, 2, 1));
    expect(Math.min(...partsOf(alone, 'apart', 'later'))).toBeGreaterThanOrEqual(2);
    const many = await traced(() => Promise.all([1, 2, 3].map((k) => pool.invoke(later as Scenario, k, k))));
    const parts = partsOf(many, 'root', 'later');
    expect(parts).toHaveLength(3);
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(2);
  });

  test('and one part for all that it runs without a wait', async () => {
    const spins = async (): Promise<void> => {
      for (let k = 0; k < 1000; k++) await k;
    };
    const timeline = await traced(() =>
      taskGraph((g) => g.task(spins))
        .with({ pool })
        .run(),
    );
    expect(timeline.slices('continued').length).toBeLessThan(500);
  });
});
