/**
 * Runs in whose middle the shared heap gets full: the results so far are right, the run ends or fails with an error that says so, and afterwards
 * everything works.
 */
import { type AsyncForkable, ForkJoinPool, free, parallelForEach, parallelMap, sharedArray } from 'furcate';
import { type Pipeline, pipeline } from 'furcate/flows';
import { afterAll, expect, test } from 'vitest';
import { W_LIMIT, W_RESERVED } from '../../src/core/memory/heap-layout.js';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';

const { countsUp } = await fixture<{ countsUp: AsyncForkable<[x: number], AsyncIterable<number>> }>('pipelines.mjs');
const heap = heapCounters(sharedArray);
const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.terminate());

/** Takes all room of the shared heap, which cannot grow meanwhile; returns what gives it back. */
function fill(): () => void {
  const words = new Int32Array(sharedArray(Int32Array, 1).buffer);
  const most = words[W_LIMIT] as number;
  words[W_LIMIT] = words[W_RESERVED] as number;
  const taken: Uint8Array[] = [];
  for (let bytes = 2 ** 20; bytes >= 1; ) {
    try {
      taken.push(sharedArray(Uint8Array, bytes));
    } catch {
      bytes >>= 1;
    }
  }
  return () => {
    words[W_LIMIT] = most;
    for (const array of taken) free(array);
  };
}

/** Has the text of each item in it, so that its results take room. */
const STAGES: Readonly<Record<string, (made: Pipeline<number>) => Pipeline<unknown>>> = {
  map: (made) => made.map((x) => `${x}`.padStart(500)),
  'map with an index': (made) => made.map((x, i) => `${x}, ${i}`.padStart(500), { index: true }),
  'map of promises': (made) => made.map(async (x) => `${x}`.padStart(500)),
  filter: (made) => made.map((x) => `${x}`.padStart(500)).filter((text) => !text.endsWith('7')),
  batch: (made) =>
    made
      .map((x) => `${x}`.padStart(500))
      .batch(3)
      .map((texts) => texts.join()),
  window: (made) => made.window(3).map((some) => `${some}`.padStart(500)),
  flatMap: (made) =>
    made.flatMap(function* (x) {
      for (let k = 0; k < 60; k++) yield `${x}, ${k}`.padStart(500);
    }),
  'flatMap with a scope': (made) => made.flatMap(countsUp),
  scan: (made) => made.scan((text, x) => `${text.slice(0, 500)}${x}`, ''),
  expand: (made) =>
    made.expand(
      (x, feed) => {
        if (x < 1_000) feed.add(x + 10_000);
        return `${x}`.padStart(500);
      },
      { concurrency: 1 },
    ),
};

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const isFull = { name: 'RangeError', message: expect.stringMatching(/^furcate: .*the shared heap/) };

/** Fills the heap in the middle of a run. */
async function runFull(made: () => Pipeline<unknown>): Promise<void> {
  const expected = await made().toArray();
  const before = heap.byteBlocks();
  const seen: unknown[] = [];
  let giveBack = (): void => {};
  let failure: unknown;
  try {
    for await (const item of made()) {
      seen.push(item);
      if (seen.length === 20) giveBack = fill();
    }
  } catch (error) {
    failure = error;
  } finally {
    giveBack();
  }
  expect(seen).toEqual(expected.slice(0, seen.length));
  if (failure === undefined) expect(seen.length).toBe(expected.length);
  else expect(failure).toMatchObject(isFull);
  expect(await made().toArray()).toEqual(expected);
  expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
}

test.each(Object.entries(STAGES))('%s', async (name, add) => {
  const isMany = name.startsWith('flatMap');
  const made = (): Pipeline<unknown> => add(pipeline(upTo(isMany ? 50 : 400), { pool }));
  // The answer of a generator's part that has no room is one among others.
  for (let round = 0; round < (isMany ? 5 : 1); round++) await runFull(made);
});

test('ends a generator whose first part has no room, of which the run knows nothing', async () => {
  const counts = sharedArray(Int32Array, 2);
  const made = (): Pipeline<string> =>
    pipeline(upTo(50), { pool }).flatMap(
      function* (x, { counts }) {
        Atomics.add(counts, 0, 1);
        try {
          for (let k = 0; k < 200; k++) yield `${x}, ${k}`.padStart(500);
        } finally {
          Atomics.add(counts, 1, 1);
        }
      },
      { context: { counts } },
    );
  for (let round = 0; round < 5; round++) await runFull(made);
  while (counts[0] !== counts[1]) await turn();
});

test('calls with plain values', async () => {
  function* values(): Generator<number> {
    for (let x = 0; x < 2_000; x++) {
      if (x === 100) giveBack = fill();
      yield x;
    }
  }
  let giveBack = (): void => {};
  const text = (x: number): string => `${x}`.padStart(500);
  const expected = upTo(2_000).map(text);
  const before = heap.byteBlocks();
  for (const call of [parallelMap, parallelForEach]) {
    const gave = await (call as typeof parallelMap)(values(), text, { pool }).then(
      (all) => all ?? expected,
      (error: unknown) => error,
    );
    giveBack();
    if (gave instanceof Error) expect(gave).toMatchObject(isFull);
    else expect(gave).toEqual(expected);
    expect(await parallelMap(upTo(2_000), text, { pool })).toEqual(expected);
  }
  expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
});
