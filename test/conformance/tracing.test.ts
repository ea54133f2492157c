import { ForkJoinPool, parallelFor, SequentialExecutor } from 'furcate';
import { charge, profile, trace } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { crossing, type FileEvent, timelineOf } from '../helpers/timeline.js';

const { asyncTree, skewed, chain, latch } = (await fixture('profiled.mjs')) as Record<string, Scenario>;
const pool = new ForkJoinPool({ parallelism: 2, name: 'traced' });
afterAll(() => pool.close());

const textOf = (traced: object): string => JSON.stringify(traced);

describe('a trace', () => {
  test.each(['apart', 'all'] as const)('has slices of named threads that nest, with tasks: %s', async (tasks) => {
    const startMs = performance.now();
    const traced = await trace(
      () => Promise.all([pool.invoke(skewed as Scenario, 12), pool.invoke(chain as Scenario, 50)]),
      { tasks },
    );
    const tookUs = (performance.now() - startMs) * 1000;
    const { events, slices, threads, problems, dropped } = timelineOf(textOf(traced));
    expect(problems).toEqual([]);
    expect(events.filter(({ ph }) => ph !== 'M')).toHaveLength(traced.events);
    expect([dropped, traced.dropped]).toEqual([0, 0]);
    for (const { ts, dur } of slices('root')) expect(ts + dur <= tookUs + 50_000).toBe(true);
    for (const name of threads.values()) expect(name).toMatch(/^(caller|traced, worker [12])$/);
    expect(
      slices('root')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['chain', 'skewed']);
    const calls = events.filter(({ ph, cat }) => ph === 'b' && cat === 'invocation');
    expect(calls.map(({ name, tid }) => [name, threads.get(tid)])).toEqual(
      expect.arrayContaining([
        ['chain', 'caller'],
        ['skewed', 'caller'],
      ]),
    );
    if (tasks === 'all') expect(slices('task').length).toBeGreaterThan(300);
    else expect(slices('task')).toEqual([]);
  });

  test('has an arrow from the victim to the thief for each stolen task, and the join that waits for it', async () => {
    const cells = new Int32Array(new SharedArrayBuffer(4));
    const { events, slices, threads, problems } = timelineOf(
      textOf(await trace(() => pool.invoke(latch as Scenario, cells))),
    );
    expect(problems).toEqual([]);
    const stolen = slices('stolen').filter(({ name }) => name === 'openLatch');
    expect(stolen).toHaveLength(1);
    const [thief] = stolen as [FileEvent];
    const [root] = slices('root') as [FileEvent];
    expect(thief.tid).not.toBe(root.tid);
    expect(thief.args).toMatchObject({ from: threads.get(root.tid) });
    const arrows = events.filter(({ cat, tid, ts }) => cat === 'steal' && tid === thief.tid && ts === thief.ts);
    expect(arrows.map(({ ph }) => ph)).toEqual(['f']);
    expect(events.filter(({ ph, id }) => ph === 's' && id === arrows[0]?.id).map(({ tid }) => tid)).toEqual([root.tid]);
    expect(events.some(({ ph, name, tid }) => ph === 'i' && name === 'published' && tid === root.tid)).toBe(true);
  });

  test('has asynchronous tasks from their begin to their end', async () => {
    const traced = await trace(() =>
      pool.invoke(asyncTree as Scenario, [1, { fork: [2], form: 'class' }, { join: 0 }]),
    );
    const { events, problems } = timelineOf(textOf(traced));
    expect(problems).toEqual([]);
    expect(events.filter(({ ph, cat }) => ph === 'b' && cat === 'coroutine').map(({ name }) => name)).toContain(
      'asyncTree',
    );
  });

  test('has the garbage that a thread collects, within what it ran', async () => {
    const litter = (): void => {
      // 80 MB; stored, so that no compiler leaves them out
      for (let k = 0; k < 50_000; k++) (globalThis as { litter?: unknown }).litter = new Array(200).fill(k);
    };
    await parallelFor(2, litter, { pool, threshold: 1 });
    const { slices, threads, problems } = timelineOf(
      textOf(await trace(() => parallelFor(4, litter, { pool, threshold: 1 }))),
    );
    expect(problems).toEqual([]);
    const garbage = slices('garbage');
    const units = slices('units');
    expect(units.length).toBeGreaterThan(0);
    for (const { tid, ts, dur } of units) {
      expect(threads.get(tid)).toMatch(/^traced, worker/);
      expect(garbage.filter((one) => one.tid === tid && ts <= one.ts && one.ts + one.dur <= ts + dur)).not.toEqual([]);
    }
    const here = timelineOf(textOf(await trace(litter)));
    expect(here.problems).toEqual([]);
    expect(here.slices('garbage').map(({ tid }) => here.threads.get(tid))).toContain('caller');
  });

  test('has chunks of algorithms, and what runs without workers', async () => {
    const body = (i: number, { charge }: { charge: (units: number) => void }): void => charge(i);
    const algorithm = await trace(() => parallelFor(10_000, body, { pool, context: { charge }, threshold: 100 }));
    const units = timelineOf(textOf(algorithm)).slices('units');
    expect(units.reduce((sum, { args }) => sum + Number(args?.['elements']), 0)).toBe(10_000);
    const alone = await trace(() => new SequentialExecutor().invoke(chain as Scenario, 3), { tasks: 'all' });
    const { events, problems } = timelineOf(textOf(alone));
    expect(problems).toEqual([]);
    expect(events.filter(({ ph, name }) => ph === 'X' && (name === 'leaf' || name === 'chain'))).toHaveLength(7);
    expect(alone.result).toBeUndefined();
  });

  test('may be within another one, or around a profile, and each has what is its own', async () => {
    let inner: object = {};
    const outer = await trace(async () => {
      await pool.invoke(chain as Scenario, 3);
      inner = await trace(() => pool.invoke(skewed as Scenario, 3));
      const { work } = await profile(() => pool.invoke(chain as Scenario, 3), { cost: 'charged' });
      expect(work).toBe(7);
      await pool.invoke(skewed as Scenario, 2);
    });
    const rootsOf = (traced: object): string[] =>
      timelineOf(textOf(traced))
        .slices('root')
        .map(({ name }) => name)
        .sort();
    expect(rootsOf(inner)).toEqual(['skewed']);
    expect(rootsOf(outer)).toEqual(['chain', 'skewed', 'skewed']);
    await pool.invoke(chain as Scenario, 3);
    expect(rootsOf(await trace(() => 1))).toEqual([]);
  });

  test('is in the performance panel of DevTools, if that is asked for: an entry for each slice, on the track of its thread', async () => {
    performance.clearMeasures();
    const startMs = performance.now();
    const traced = await trace(() => pool.invoke(skewed as Scenario, 8), { devtools: true });
    const endMs = performance.now();
    const entries = performance.getEntriesByType('measure') as PerformanceMeasure[];
    const shown = entries.map(({ name, detail }) => ({ name, ...(detail as { devtools: object }).devtools }));
    const { slices } = timelineOf(textOf(traced));
    expect(shown).toContainEqual({
      name: 'skewed',
      dataType: 'track-entry',
      track: expect.stringMatching(/^traced, worker [12]$/),
      trackGroup: 'Furcate',
      color: 'primary',
      properties: [['module', expect.stringMatching(/profiled/)]],
    });
    expect(shown).toContainEqual(expect.objectContaining({ name: 'skewed', track: 'caller: invocations' }));
    const roots = entries.filter(
      ({ name, detail }) =>
        name === 'skewed' && (detail as { devtools: { color: string } }).devtools.color === 'primary',
    );
    expect(roots).toHaveLength(slices('root').length);
    for (const { startTime, duration } of roots) {
      expect(startTime).toBeGreaterThan(startMs - 50);
      expect(startTime + duration).toBeLessThan(endMs + 50);
    }
    performance.clearMeasures();
    await trace(() => pool.invoke(skewed as Scenario, 8));
    expect(performance.getEntriesByType('measure')).toEqual([]);
  });

  test('slices that cross are told from slices that nest', () => {
    const slice = (ts: number, dur: number, tid = 0): FileEvent => ({ ph: 'X', name: 'a', ts, dur, tid, pid: 1 });
    expect([...crossing([slice(0, 10), slice(2, 5), slice(10, 5), slice(3, 20, 1)])]).toEqual([]);
    expect([...crossing([slice(0, 10), slice(5, 10)])]).toHaveLength(1);
  });

  test('refuses wrong arguments, and a profile meanwhile', async () => {
    const refused = async (fn: unknown, options?: unknown): Promise<string> =>
      trace(fn as () => unknown, options as never).then(String, (error: unknown) => `${error}`);
    expect(await refused('x')).toBe(
      "TypeError: furcate: trace(fn, options) takes a function, and calls it; it was given 'x'.",
    );
    expect(await refused(() => 1, { tasks: 'some' })).toMatch(/^TypeError: furcate: .*tasks must be 'apart' or 'all'/);
    const within = profile(() => trace(() => 1), { runs: 1 });
    await expect(within).rejects.toThrow(/^furcate: trace\(\) while a profile\(\) runs/);
  });
});
