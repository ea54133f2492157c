/** What traces have of pipelines, limits and task graphs. */
import { type Forkable, ForkJoinPool } from 'furcate';
import { limit, pipeline, taskGraph } from 'furcate/flows';
import { trace } from 'furcate/insight';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { type FileEvent, type Timeline, timelineOf } from '../helpers/timeline.js';

const { echo } = await fixture<{ echo: Forkable<[value: number], number> }>('holding.mjs');
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
