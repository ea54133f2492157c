/** Runs of graphs that end otherwise than by a result leave nothing on the shared heap; and results that died with their workers are not read. */
import fc from 'fast-check';
import { type AsyncForkable, type Forkable, sharedArray, WorkerCrashError } from 'furcate';
import { type GraphNode, limit, type TaskGraph, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { seedOfRun } from '../helpers/seed.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

type Any = Forkable<unknown[], unknown>;
type Node = GraphNode<unknown>;
const graphs = await fixture<Record<string, Any>>('graphs.mjs');
const limited = await fixture<Record<string, Any>>('limited.mjs');
const of = (name: string): Any => (graphs[name] ?? limited[name]) as Any;
const heap = heapCounters(sharedArray as never);
const poolOf = poolMaker('terminate');
const seed = seedOfRun('graphs whose runs end in any way');
const MAX_PASSES = 8;

const KINDS = ['synchronous', 'asynchronous', 'limited'] as const;
const ENDINGS = ['a result', 'a failure', 'an abort', 'an abort in the middle'] as const;

/** Results are objects, each with several takers; the last node never ends, unless all that it takes has failed. */
function graphOf(kind: (typeof KINDS)[number], ending: (typeof ENDINGS)[number], size: number, words: Int32Array) {
  return taskGraph(
    (g) => {
      const made: Node[] = [g.task(of('object'))];
      for (let k = 1; k < size; k++) {
        const before = [made[(k * 7) % made.length], made[made.length - 1]] as Node[];
        if (kind === 'asynchronous' && k % 3 === 0) made.push(g.task(of('later'), 2, ...before));
        else if (kind === 'limited' && k % 3 === 0)
          made.push(g.with({ limit: limit(1) }).task(of('mix'), 2, ...before) as Node);
        else made.push(g.task(of('mix'), 2, ...before));
      }
      if (ending === 'a failure') made.push(g.task(of('mixOrFail'), 1, 2, made[size >> 1] as Node));
      if (ending === 'an abort in the middle') made.push(g.task(of('endless'), words, made[size >> 1] as Node));
      return g.all(made);
    },
    { name: `${kind}, ${ending}` },
  );
}

async function run(graph: TaskGraph<[], unknown>, pool: ReturnType<typeof poolOf>, words: Int32Array): Promise<void> {
  const aborter = new AbortController();
  const ending = graph.name.split(', ')[1] as (typeof ENDINGS)[number];
  const outcome = errorOf(graph.with({ pool, signal: aborter.signal }).run());
  if (ending === 'an abort in the middle') await whenSet(words);
  if (ending.startsWith('an abort')) aborter.abort();
  const error = await outcome;
  if (ending === 'a failure') expect(error).toMatchObject({ message: 'node 1' });
  if (ending === 'an abort in the middle') expect(error).toMatchObject({ name: 'AbortError' });
}

describe.each([1, 2, 4])('with %i workers,', (parallelism) => {
  test.each(KINDS)('%s graphs leave nothing, however their runs end', async (kind) => {
    const pool = poolOf(parallelism);
    const play = async (ending: (typeof ENDINGS)[number], size: number): Promise<void> => {
      const words = sharedWords();
      await run(graphOf(kind, ending, size, words), pool, words);
    };
    const cases = fc.sample(fc.tuple(fc.constantFrom(...ENDINGS), fc.integer({ min: 1, max: 60 })), {
      seed,
      numRuns: 40,
    });
    const growth: number[] = [];
    // Permanent blocks appear in the first pass, or later if the schedule combines codes in a new way.
    while (growth.at(-1) !== 0 && growth.length < MAX_PASSES) {
      const before = heap.byteBlocks();
      for (const [ending, size] of cases) await play(ending, size);
      growth.push(heap.byteBlocks() - before);
    }
    expect(growth.at(-1), `blocks left by each pass: ${growth.join(', ')}`).toBe(0);
  });
});

test('an asynchronous node that ends with its cancelled run writes nothing to the next one', async () => {
  const pool = poolOf(2);
  for (let k = 0; k < 5; k++) {
    const words = sharedWords();
    const aborter = new AbortController();
    const cancelled = errorOf(
      taskGraph((g) => g.all([g.task(of('lags'), words), g.task(of('endless'), words)]))
        .with({ pool, signal: aborter.signal, graceMs: 60_000 })
        .run(),
    );
    await Promise.all([whenSet(words), whenSet(words, 3)]); // one that has not begun never does
    aborter.abort();
    tell(words, 1);
    expect(await cancelled).toMatchObject({ name: 'AbortError' });
    // It gets the memory of the cancelled one, and waits until all that follows from that has happened.
    const others = sharedWords();
    const next = taskGraph((g) => g.all([g.task(of('lags'), others), g.task(of('lags'), others)]))
      .with({ pool })
      .run();
    await whenSet(words, 2);
    tell(others, 1);
    expect(await next).toEqual([{ list: ['x'] }, { list: ['x'] }]);
  }
});

test('inside of an asynchronous task that is cancelled, a run leaves nothing', async () => {
  const pool = poolOf(2);
  const play = async (): Promise<void> => {
    const words = sharedWords();
    const aborter = new AbortController();
    const run = errorOf(pool.invoke(of('endlessRun') as unknown as AsyncForkable<[Int32Array], void>, words).then());
    const cancelled = errorOf(
      pool
        .with({ signal: aborter.signal })
        .invoke(of('endlessRun') as unknown as AsyncForkable<[Int32Array], void>, words),
    );
    await whenSet(words);
    aborter.abort();
    expect(await cancelled).toMatchObject({ name: 'AbortError' });
    tell(words, 1);
    await run;
  };
  await play();
  const before = heap.byteBlocks();
  for (let k = 0; k < 10; k++) await play();
  expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
});

test('a worker that dies while a run waits for permits ends the run, as its results died with it', async () => {
  const pool = poolOf(2);
  const one = limit(1);
  const words = sharedWords();
  const holder = poolOf(1)
    .with({ limit: one })
    .invoke(of('opens') as unknown as AsyncForkable<[Int32Array], void>, words);
  await whenSet(words);
  const reached = sharedWords();
  const graph = taskGraph((g) => {
    const made = g.task(of('object'));
    const after = g.task(of('sets'), reached, 0, made); // another taker, so that the object stays
    return g.with({ limit: one }).task(of('mix'), 2, made, after) as Node;
  });
  const run = graph.with({ pool }).run();
  const outcome = errorOf(run);
  await whenSet(reached);
  while (one.waiting === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  expect(await errorOf(pool.invoke(of('dies'), sharedWords()))).toBeInstanceOf(WorkerCrashError);
  tell(words, 1);
  await holder;
  const error = await outcome;
  expect(error).toBeInstanceOf(WorkerCrashError);
  expect((error as Error).message).toMatch(/taskGraph .* results with it\. Run the graph again/);
  expect(await graph.with({ pool }).run()).toMatchObject({ list: [expect.any(Number), 'x'] });
});
