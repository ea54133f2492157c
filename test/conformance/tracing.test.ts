import { ForkJoinPool, parallelFor, SequentialExecutor } from 'furcate';
import { charge, trace } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const { skewed, chain } = (await fixture('profiled.mjs')) as Record<string, Scenario>;
const pool = new ForkJoinPool({ parallelism: 2, name: 'traced' });
afterAll(() => pool.close());

interface Event {
  readonly ph: string;
  readonly name: string;
  readonly cat: string;
  readonly ts: number;
  readonly dur: number;
  readonly tid: number;
  readonly args?: { readonly name: string };
}

/** The text of a file, read back. */
const eventsOf = (traced: object): Event[] =>
  (JSON.parse(JSON.stringify(traced)) as { traceEvents: Event[] }).traceEvents;

/** Slices that overlap one before without being in it. */
function crossing(slices: readonly Event[]): Event[] {
  const open: Event[] = [];
  return [...slices]
    .sort((a, b) => a.tid - b.tid || a.ts - b.ts || b.dur - a.dur)
    .filter((slice) => {
      for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
        if (last.tid === slice.tid && last.ts + last.dur > slice.ts) break;
        open.pop();
      }
      const outer = open.at(-1);
      open.push(slice);
      return outer !== undefined && slice.ts + slice.dur > outer.ts + outer.dur + 1; // clocks count in fractions of a microsecond
    });
}

describe('a trace', () => {
  test.each(['apart', 'all'] as const)('has slices of named threads that nest, with tasks: %s', async (tasks) => {
    const startMs = performance.now();
    const traced = await trace(
      () => Promise.all([pool.invoke(skewed as Scenario, 12), pool.invoke(chain as Scenario, 50)]),
      {
        tasks,
      },
    );
    const tookUs = (performance.now() - startMs) * 1000;
    const events = eventsOf(traced);
    const slices = events.filter(({ ph }) => ph === 'X');
    expect(events.filter(({ ph }) => ph !== 'M')).toHaveLength(traced.events);
    expect(events.filter(({ ph }) => ph === 'i').every(({ cat }) => cat === 'event')).toBe(true);
    expect(traced.dropped).toBe(0);
    expect(crossing(slices)).toEqual([]);
    for (const { ts, dur } of slices) expect(ts >= 0 && dur >= 0 && ts + dur <= tookUs + 50_000).toBe(true);
    const threads = events.filter(({ ph }) => ph === 'M').map(({ args }) => args?.name);
    for (const name of threads) expect(name).toMatch(/^traced, worker [12]$/);
    expect(slices.map(({ name }) => name)).toEqual(expect.arrayContaining(['skewed', 'chain']));
    if (tasks === 'all') expect(slices.length).toBeGreaterThan(300);
  });

  test('has chunks of algorithms, and what runs without workers', async () => {
    const body = (i: number, { charge }: { charge: (units: number) => void }): void => charge(i);
    const algorithm = await trace(() => parallelFor(10_000, body, { pool, context: { charge }, threshold: 100 }));
    expect(eventsOf(algorithm).map(({ cat }) => cat)).toContain('units');
    const alone = await trace(() => new SequentialExecutor().invoke(chain as Scenario, 3), { tasks: 'all' });
    expect(eventsOf(alone).filter(({ name }) => name === 'leaf' || name === 'chain')).toHaveLength(7);
    expect(alone.result).toBeUndefined();
  });

  test('slices that cross are told from slices that nest', () => {
    const slice = (ts: number, dur: number, tid = 0): Event => ({ ph: 'X', name: '', cat: '', ts, dur, tid });
    expect(crossing([slice(0, 10), slice(2, 5), slice(10, 5), slice(3, 20, 1)])).toEqual([]);
    expect(crossing([slice(0, 10), slice(5, 10)])).toHaveLength(1);
  });

  test('refuses wrong arguments, and another trace meanwhile', async () => {
    const refused = async (fn: unknown, options?: unknown): Promise<string> =>
      trace(fn as () => unknown, options as never).then(String, (error: unknown) => `${error}`);
    expect(await refused('x')).toBe(
      "TypeError: furcate: trace(fn, options) takes a function, and calls it; it was given 'x'.",
    );
    expect(await refused(() => 1, { tasks: 'some' })).toMatch(/^TypeError: furcate: .*tasks must be 'apart' or 'all'/);
    expect(await refused(() => trace(() => 1))).toMatch(/^Error: furcate: trace\(\) while another/);
  });
});
