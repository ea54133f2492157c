/** Pipelines whose workers end in the middle, whose heap is full, and whose sources and signals misbehave: they say so, and leave nothing behind. */
import { type AsyncForkable, ForkJoinPool, SequentialExecutor, sharedArray, WorkerCrashError } from 'furcate';
import { limit, merge, type Pipeline, pipeline, zip } from 'furcate/flows';
import { expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { collectSomeTimes } from '../helpers/garbage.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { errorOf } from '../helpers/outcomes.js';

const { diesLater } = await fixture<{ diesLater: AsyncForkable<[x: number], AsyncIterable<number>> }>('pipelines.mjs');

const heap = heapCounters(sharedArray);

interface Row {
  readonly id: number;
  readonly text: string;
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const STAGES: Readonly<Record<string, (made: Pipeline<number>) => Pipeline<number>>> = {
  map: (made) => made.map((x) => (x === 300 ? process.exit(3) : x)),
  'map of promises': (made) =>
    made.map(async (x) => {
      await null;
      return x === 300 ? process.exit(3) : x;
    }),
  flatMap: (made) =>
    made.flatMap(function* (x) {
      for (let k = 0; k < 20; k++) yield x === 300 && k === 10 ? process.exit(3) : x;
    }),
  'flatMap with a scope': (made) => made.map((x) => x).flatMap(diesLater),
  scan: (made) => made.scan((sum, x) => (x === 300 ? process.exit(3) : sum + x), 0),
  expand: (made) =>
    made.expand((x, feed) => {
      if (x < 100) feed.add(x + 200);
      return x === 300 ? process.exit(3) : x;
    }),
};

test.each(Object.entries(STAGES))(
  '%s on a worker that dies: a WorkerCrashError, and the source is closed',
  async (_, add) => {
    const pool = new ForkJoinPool({ parallelism: 2 });
    await pipeline([1], { pool })
      .map((x) => x)
      .toArray();
    const before = heap.byteBlocks();
    let isClosed = false;
    function* source(): Generator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        isClosed = true;
      }
    }
    const error = await errorOf(add(pipeline(source(), { pool })).toArray());
    expect(error).toBeInstanceOf(WorkerCrashError);
    expect(error).toMatchObject({ exitCode: 3, running: expect.stringContaining('stage 1 of the pipeline') });
    expect(isClosed).toBe(true);
    expect(await add(pipeline([1, 2], { pool })).toArray()).toBeTruthy();
    await pool.close();
    expect(heap.byteBlocks()).toBeLessThanOrEqual(before);
  },
);

test('a run that ends early leaves no memory on the shared heap, and the pool can be closed', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const runs: (() => Promise<unknown>)[] = [
    () =>
      pipeline(upTo(500), { pool })
        .map((x) => (x > 200 ? (undefined as never as number[])[0] : x))
        .toArray(),
    () =>
      pipeline<unknown>([...upTo(100), () => {}], { pool })
        .map((x) => x)
        .toArray(),
    () =>
      pipeline(upTo(500), { pool, timeoutMs: 1 })
        .map((x) => x)
        .map(async (x) => x, { concurrency: 1 })
        .toArray(),
    async () => {
      for await (const x of pipeline(upTo(500), { pool })
        .flatMap((x) => upTo(x))
        .map((x) => x))
        if (x === 30) break;
    },
  ];
  for (const run of runs) await errorOf(run()); // code stays
  const before = heap.byteBlocks();
  for (const run of runs) await errorOf(run());
  expect(heap.byteBlocks()).toBe(before);
  await pool.close();
});

const ENDLESS_ENDS: Readonly<Record<string, (made: Pipeline<number>) => Pipeline<number>>> = {
  'never awaits the end': (made) =>
    made.flatMap(async function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        await new Promise(() => {});
      }
    }),
  computes: (made) =>
    made.flatMap(function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        for (;;);
      }
    }),
};

test.each(Object.entries(ENDLESS_ENDS))('a generator whose `finally` %s holds a run for its grace', async (_, add) => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    let seen = 0;
    for await (const _ of add(pipeline([1], { pool, signal: controller.signal, graceMs: 50 })))
      if (++seen === 100) controller.abort();
  };
  expect(await errorOf(read())).toMatchObject({ name: 'AbortError' });
  await pool.terminate();
});

test('a generator that is gone, because another call has ended its worker: an error that says so', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  let seen = 0;
  const read = async (): Promise<void> => {
    for await (const _ of pipeline([1], { pool }).flatMap(function* () {
      for (let i = 0; ; i++) yield i;
    })) {
      if (++seen === 5)
        await errorOf(
          pipeline([300], { pool })
            .map((x) => (x === 300 ? process.exit(3) : x))
            .toArray(),
        );
    }
  };
  const error = await errorOf(read());
  expect(error).toBeInstanceOf(WorkerCrashError);
  expect(String(error)).toMatch(/fn of flatMap\(\), stage 1 of the pipeline: its generator was paused on a worker/);
  await pool.close();
});

test('a worker in the place of one that has died gives nobody the generators of others', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const open = (name: string): AsyncIterator<string> =>
    pipeline([name], { pool })
      .flatMap(function* (of) {
        for (let i = 0; i < 100; i++) yield `${of}${i}`;
      })
      [Symbol.asyncIterator]();
  const rest = async (items: AsyncIterator<string>, seen: string[]): Promise<unknown> => {
    for (let next = await items.next(); next.done !== true; next = await items.next()) seen.push(next.value);
    return undefined;
  };
  const seen: Record<string, string[]> = { a: [], b: [] };
  const a = open('a');
  seen.a?.push((await a.next()).value as string);
  await errorOf(
    pipeline([1], { pool })
      .map(() => process.exit(3))
      .toArray(),
  );
  const b = open('b');
  seen.b?.push((await b.next()).value as string);
  expect(await errorOf(rest(a, seen.a as string[]))).toBeInstanceOf(WorkerCrashError);
  await rest(b, seen.b as string[]);
  expect(seen.a?.every((x) => x.startsWith('a'))).toBe(true);
  expect(seen.b).toEqual(upTo(100).map((i) => `b${i}`));
  await pool.close();
});

test('a pool that is terminated, or closed before, ends the run', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const items = pipeline(upTo(1e6), { pool })
    .map((x) => x)
    [Symbol.asyncIterator]();
  await items.next();
  const read = async (): Promise<void> => {
    for (;;) if ((await items.next()).done === true) return;
  };
  const rest = errorOf(read());
  await pool.terminate();
  expect(await rest).toMatchObject({ name: 'CancellationError' });
  expect(
    await errorOf(
      pipeline([1], { pool })
        .map((x) => x)
        .toArray(),
    ),
  ).toMatchObject({ name: 'RejectedExecutionError' });
});

test('maxQueue refuses a run when all workers are busy, and counts a run once', async () => {
  const pool = new ForkJoinPool({ parallelism: 1, maxQueue: 0 });
  expect(
    await pipeline(upTo(200), { pool })
      .map((x) => x)
      .toArray(),
  ).toEqual(upTo(200));
  await pool.close();
});

test('a source that fails, gives no object, or fails when it is closed', async () => {
  const pool = new SequentialExecutor();
  const of = (next: () => unknown, end?: () => unknown): Iterable<number> => ({
    [Symbol.iterator]: () => ({ next, ...(end && { return: end }) }) as never,
  });
  const fails = (): never => {
    throw new RangeError('bad source');
  };
  expect(await errorOf(pipeline(of(fails), { pool }).toArray())).toMatchObject({ message: 'bad source' });
  expect(
    String(
      await errorOf(
        pipeline(
          of(() => 3),
          { pool },
        ).toArray(),
      ),
    ),
  ).toMatch(/gave 3 for a result/);
  const last = {
    done: true,
    get value() {
      return fails();
    },
  };
  expect(
    await pipeline(
      of(() => last),
      { pool },
    ).toArray(),
  ).toEqual([]); // a loop does not look at it, either
  const leaving = async (): Promise<void> => {
    for await (const _ of pipeline(
      of(() => ({ done: false, value: 1 }), fails),
      { pool },
    ))
      break;
  };
  expect(await errorOf(leaving())).toMatchObject({ message: 'bad source' });
});

test('sources that are joined fail as one, though another never comes to its end', async () => {
  const pool = new SequentialExecutor();
  const never = new Promise<never>(() => {});
  const neverEnds = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1 }), return: () => never }) };
  function* fails(): Generator<number> {
    yield 1;
    throw new RangeError('one of them');
  }
  const joins = [merge, zip].map((join) => pipeline(join(neverEnds as never, fails()), { pool, graceMs: 0 }));
  for (const error of await Promise.all(joins.map((made) => errorOf(made.toArray()))))
    expect(error).toMatchObject({ message: 'one of them' });
});

const FLAT: readonly (readonly [string, count: number, (made: Pipeline<Row>) => Pipeline<Row>])[] = [
  ['filter', 30_000, (made) => made.map((x) => x).filter(({ id }) => id % 2 === 0)],
  ['scan', 30_000, (made) => made.scan((_, { id }) => ({ id: 2 * id, text: `state ${id}` }), { id: 0, text: '' })],
  ['map with a limit', 15_000, (made) => made.map(({ id, text }) => ({ id: 2 * id, text }), { limit: limit(4) })],
];

test.each(FLAT)('memory stays flat over many items of %s', async (_, total, add) => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  function* source(): Generator<Row> {
    for (let id = 0; ; id++) yield { id, text: `item ${id}` };
  }
  const blocks: number[] = [];
  const bytes: number[] = [];
  let count = 0;
  for await (const { id } of add(pipeline(source(), { pool }))) {
    expect(id).toBe(2 * count);
    if (++count % (total / 6) !== 0) continue;
    await collectSomeTimes();
    blocks.push(heap.byteBlocks());
    bytes.push(process.memoryUsage().heapUsed);
    if (count === total) break;
  }
  expect(Math.max(...blocks)).toBeLessThan(64);
  // What is kept grows with all items. A table of JavaScriptCore's grows once, by megabytes.
  const growth = bytes.slice(1).map((now, i) => now - (bytes[i] as number));
  expect(growth.sort((a, b) => a - b)[growth.length >> 1]).toBeLessThan(14 * total);
  await pool.close();
});
