import { ForkJoinPool, parallelMap, parallelSort, sharedArray } from 'furcate';
import { trace } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { type Timeline, timelineOf } from '../helpers/timeline.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

const { chain, exchange, skewed } = (await fixture('profiled.mjs')) as Record<
  'chain' | 'exchange' | 'skewed',
  Scenario
>;
const { holds, echo } = (await fixture('holding.mjs')) as Record<'holds' | 'echo', Scenario>;

const { process } = globalThis as unknown as { readonly process: NodeJS.Process };

/** Made by the first test that writes: a host may have no files, or no permission to write any. */
let folder = '';

function fileOf(name: string): string {
  const { join } = process.getBuiltinModule('node:path');
  folder ||= process
    .getBuiltinModule('node:fs')
    .mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'furcate-trace-'));
  return join(folder, name);
}

afterAll(() => {
  if (folder !== '') process.getBuiltinModule('node:fs').rmSync(folder, { recursive: true });
});

function read(path: string): Timeline {
  const bytes = process.getBuiltinModule('node:fs').readFileSync(path);
  const text = path.endsWith('.gz') ? process.getBuiltinModule('node:zlib').gunzipSync(bytes) : bytes;
  return timelineOf(new TextDecoder().decode(text));
}

const namesOf = ({ slices }: Timeline): string[] =>
  slices('root')
    .map(({ name }) => name)
    .sort();

describe('the file of a pool', () => {
  test.each(['out.json', 'out.json.gz'])('%s has what its threads did, once it is closed', async (name) => {
    const path = fileOf(name);
    const pool = new ForkJoinPool({ parallelism: 2, name: 'recorded', trace: path });
    const other = new ForkJoinPool({ parallelism: 1 });
    await Promise.all([pool.invoke(skewed, 10), other.invoke(chain, 5), pool.invoke(chain, 20)]);
    while (pool.stats().sleeps === 0) await new Promise((resolve) => setTimeout(resolve));
    await Promise.all([pool.close(), other.close()]);
    const timeline = read(path);
    expect([timeline.problems, timeline.dropped]).toEqual([[], 0]);
    expect(namesOf(timeline)).toEqual(['chain', 'skewed']);
    for (const thread of timeline.threads.values()) expect(thread).toMatch(/^(caller|recorded, worker [12])$/);
    expect(timeline.slices('sleep').length).toBeGreaterThan(0);
    expect(timeline.slices('turn').length).toBeGreaterThan(0);
  });

  test('has what the caller does itself before any worker has done anything, and calls tasks of algorithms after these', async () => {
    const path = fileOf('first.json');
    const pool = new ForkJoinPool({ parallelism: 2, trace: path });
    await parallelMap(sharedArray(Float64Array, 8), (x) => x + 1, { pool });
    const xs = sharedArray(Float64Array, 200_000);
    for (let k = 0; k < xs.length; k++) xs[k] = (k * 7919) % 100_003;
    await parallelSort(xs, { pool });
    await pool.close();
    const timeline = read(path);
    const units = timeline.slices('units');
    expect(units.map(({ name }) => name)).toContain('fn of parallelMap');
    const names = new Set(timeline.events.filter(({ ph }) => ph === 'X').map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(['sort']));
    for (const name of ['stages', 'lane', 'tile', 'dealt']) expect([...names]).not.toContain(name);
  });

  test('has arrows to the caller, where it computes and steals from its workers', async () => {
    const path = fileOf('caller.json');
    const pool = new ForkJoinPool({ parallelism: 2, trace: path });
    const cells = new Int32Array(new SharedArrayBuffer(8));
    pool.invokeSync(exchange, cells);
    await pool.close();
    const { problems, slices, threads } = read(path);
    expect(problems).toEqual([]);
    const [stolen] = slices('stolen').filter(({ name }) => name === 'openSecond');
    expect(threads.get(stolen?.tid as number)).toBe('caller');
    expect(String(stolen?.args?.['from'])).toMatch(/worker [12]$/);
  });

  test("has the tasks that run in the place of their join, too, with tasks: 'all'", async () => {
    const path = fileOf('all.json');
    const pool = new ForkJoinPool({ parallelism: 1, trace: { file: path, tasks: 'all' } });
    await pool.invoke(chain, 20);
    await pool.close();
    const { problems, slices } = read(path);
    expect(problems).toEqual([]);
    expect(slices('task').filter(({ name }) => name === 'chain' || name === 'leaf').length).toBeGreaterThanOrEqual(40);
    for (const wrong of ['', {}, { file: '' }, { file: path, tasks: 'some' }])
      expect(() => new ForkJoinPool({ trace: wrong as never })).toThrow(/^furcate: trace.* must be /);
  });

  test('goes on with a second pool of the same path, and a trace meanwhile has its own part', async () => {
    const path = fileOf('both.json');
    const first = new ForkJoinPool({ parallelism: 1, trace: path });
    await first.invoke(skewed, 3);
    const kept = await trace(() => first.invoke(chain, 3));
    await first.close();
    expect(namesOf(timelineOf(JSON.stringify(kept)))).toEqual(['chain']);
    expect(namesOf(read(path))).toEqual(['chain', 'skewed']);
    const second = new ForkJoinPool({ parallelism: 1, trace: path });
    await second.invoke(skewed, 4);
    await second.close();
    const all = read(path);
    expect(all.problems).toEqual([]);
    expect(namesOf(all)).toEqual(['chain', 'skewed', 'skewed']);
  });

  test('counts what waits, who sleeps and how much of the heap is in use, and has the sizes of arguments', async () => {
    const path = fileOf('counts.json');
    const pool = new ForkJoinPool({ parallelism: 1, name: 'counted', trace: path });
    const words = sharedWords();
    const calls = [pool.invoke(holds, words, 1), pool.invoke(echo, 'x'.repeat(1000))];
    await whenSet(words);
    const counted = ({ events }: Timeline): string[] =>
      events.filter(({ ph }) => ph === 'C').map(({ name, args }) => `${name}: ${JSON.stringify(args)}`);
    // The rings are read now and then.
    while (!counted(read(path)).includes('waiting invocations: counted: {"invocations":1}'))
      await new Promise((resolve) => setTimeout(resolve));
    tell(words, 1);
    expect(await Promise.all(calls)).toEqual([1, 'x'.repeat(1000)]);
    while (!counted(read(path)).includes('sleepers: counted: {"threads":1}'))
      await new Promise((resolve) => setTimeout(resolve));
    await pool.close();
    const timeline = read(path);
    expect(timeline.problems).toEqual([]);
    expect(counted(timeline)).toContain('public tasks: counted: {"tasks":0}');
    expect(counted(timeline)).toContainEqual(expect.stringMatching(/^heap in use: counted, worker 1: .*"MB":[\d.]+/));
    const sizes = timeline.events
      .filter(({ ph, cat }) => ph === 'b' && cat === 'invocation')
      .map(({ name, args }) => [name, Number(args?.['bytes']) >= 1000]);
    expect(sizes.sort()).toEqual([
      ['echo', true],
      ['holds', false],
    ]);
  });
});
