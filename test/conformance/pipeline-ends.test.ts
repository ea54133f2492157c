/** Pipelines: how they end, feeds, and what is refused. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { type AsyncForkable, SequentialExecutor, sharedArray } from 'furcate';
import { type Feed, type Pipeline, type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { warmPools } from '../helpers/pools.js';

interface Fixture {
  readonly reportsAndAddsLate: AsyncForkable<[x: number, feed: Feed<number>], string>;
}

const { reportsAndAddsLate } = await fixture<Fixture>('pipelines.mjs');

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const pools = warmPools(2);
const here = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
  pools.use((pool) => call({ ...given, pool }));

describe('ends', () => {
  test('a source is closed when its own code ends the run', async () => {
    const controller = new AbortController();
    let isClosed = false;
    function* source(): Generator<number> {
      try {
        yield 1;
        controller.abort();
        yield 2;
      } finally {
        isClosed = true;
      }
    }
    const made = here((all) => pipeline(source(), all).toArray(), { signal: controller.signal });
    expect(await errorOf(made)).toMatchObject({ name: 'AbortError' });
    expect(isClosed).toBe(true);
  });

  test('streams that give nothing are closed when the run ends', async () => {
    const node = new Readable({ read() {} });
    node.on('error', () => {});
    let isCancelled = false;
    const web = new ReadableStream<number>({
      cancel() {
        isCancelled = true;
      },
    });
    for (const source of [node, web]) {
      const made = here((all) => pipeline<number>(source as ReadableStream<number>, all).toArray(), { timeoutMs: 20 });
      expect(await errorOf(made)).toMatchObject({ reason: 'timeout' });
    }
    expect([node.destroyed, isCancelled, web.locked]).toEqual([true, true, false]);
  });

  test('results are given in the order in which they were asked for', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 40 }),
      async (ahead, n) =>
        here(async (all) => {
          const items = pipeline(upTo(n), all)
            .map((x) => x)
            [Symbol.asyncIterator]();
          const seen: number[] = [];
          const read = async (): Promise<void> => {
            const asked = Array.from({ length: ahead }, () => items.next());
            const results = await Promise.all(asked);
            for (const { done, value } of results) if (done !== true) seen.push(value);
            if (results.every(({ done }) => done !== true)) await read();
          };
          await read();
          expect(seen).toEqual(upTo(n));
        }),
    );
    await fc.assert(property, { numRuns: 30 });
  });

  test.each(['of the source', 'that a visit has added'])(
    'uniqueBy may end the run: the item %s is not visited',
    async (which) => {
      const controller = new AbortController();
      const visits = sharedArray(Int32Array, 3);
      const last = which === 'of the source' ? 1 : 2;
      const made = here(
        (all) =>
          pipeline([1], all)
            .expand(
              (x, feed, { visits }) => {
                visits[x] = 1;
                if (x === 1) feed.add(2);
              },
              {
                context: { visits },
                uniqueBy: (x) => {
                  if (x === last) controller.abort();
                  return x;
                },
              },
            )
            .toArray(),
        { signal: controller.signal },
      );
      expect(await errorOf(made)).toMatchObject({ name: 'AbortError' });
      expect(visits[last]).toBe(0);
    },
  );

  test('a signal ends the run, and a time-out does, also while the source gives nothing', async () => {
    const silent = (): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    });
    const controller = new AbortController();
    const aborted = here(
      (all) =>
        pipeline(silent(), all)
          .map((x) => x)
          .toArray(),
      { signal: controller.signal },
    );
    controller.abort(new Error('enough'));
    expect(await errorOf(aborted)).toMatchObject({ name: 'AbortError' });
    const late = here(
      (all) =>
        pipeline(silent(), all)
          .map((x) => x)
          .toArray(),
      { timeoutMs: 1 },
    );
    expect(await errorOf(late)).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
  });

  test('what was not taken before the run was aborted is not delivered', async () => {
    const controller = new AbortController();
    await here(
      async (all) => {
        const items = pipeline(upTo(10), all)
          .map((x) => x)
          [Symbol.asyncIterator]();
        expect(await items.next()).toEqual({ done: false, value: 0 });
        controller.abort();
        expect(await errorOf(items.next())).toMatchObject({ name: 'AbortError' });
        expect(await items.next()).toEqual({ done: true, value: undefined });
      },
      { signal: controller.signal },
    );
  });

  test('nor is it when all items were there already', async () => {
    const controller = new AbortController();
    await here(
      async (all) => {
        let isRead = false;
        function* source(): Generator<number> {
          yield* upTo(3);
          isRead = true;
        }
        const items = pipeline(source(), all)
          .map((x) => x)
          [Symbol.asyncIterator]();
        expect(await items.next()).toEqual({ done: false, value: 0 });
        await pools.use((pool) => pool.awaitQuiescence(100)); // while items wait, the pool is not quiet
        expect(isRead).toBe(true);
        controller.abort();
        expect(await errorOf(items.next())).toMatchObject({ name: 'AbortError' });
      },
      { signal: controller.signal },
    );
  });

  test.each([true, false])('what a generator has made before it fails is delivered; ordered: %s', async (ordered) => {
    const seen: number[] = [];
    const failing = here(
      async (all) => {
        const made = pipeline([1], all).flatMap(function* (x) {
          yield x;
          yield x + 1;
          throw new RangeError('no more');
        });
        for await (const x of made.map((y) => y)) seen.push(x);
      },
      { ordered },
    );
    expect(await errorOf(failing)).toMatchObject({ name: 'RangeError', message: 'no more' });
    expect(ordered ? seen : seen.sort((a, b) => a - b)).toEqual([1, 2]);
  });

  test('a batch leaves when it has waited long enough', async () => {
    let goOn = (): void => {};
    async function* source(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield 3;
    }
    const batches: number[][] = [];
    await here(async (all) => {
      for await (const batch of pipeline(source(), all).batch(10, { maxWaitMs: 1 })) {
        batches.push(batch);
        goOn();
      }
    });
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('a result that cannot be cloned fails the run after all items before it, also of the same task', async () => {
    const kinds: Readonly<Record<string, (made: Pipeline<number>) => Pipeline<unknown>>> = {
      map: (made) => made.map((x): unknown => (x === 1500 ? () => {} : x)),
      scan: (made) => made.scan((_: unknown, x): unknown => (x === 1500 ? () => {} : x), 0),
      flatMap: (made) =>
        made
          .filter((x) => x === 0)
          .flatMap(function* () {
            for (let i = 0; i < 1600; i++) yield i === 1500 ? () => {} : i;
          }),
    };
    for (const add of Object.values(kinds)) {
      const seen: unknown[] = [];
      const made = here(async (all) => {
        for await (const x of add(pipeline(upTo(2000), all))) seen.push(x);
      });
      expect(await errorOf(made)).toMatchObject({ name: 'NotShareableError' });
      expect(seen).toEqual(upTo(1500));
    }
  });

  test('a value that cannot be cloned fails the run, after the items before it', async () => {
    const seen: unknown[] = [];
    const bad = here(async (all) => {
      for await (const x of pipeline<unknown>([1, 2, () => {}, 4], all).map((x) => x)) seen.push(x);
    });
    expect(String(await errorOf(bad))).toMatch(/NotShareableError.*an item for fn of map\(\), stage 1 of the pipeline/);
    expect(seen).toEqual([1, 2]);
  });
});

describe('feeds', () => {
  test('what was added before an item that cannot be cloned is visited', async () => {
    const seen = await here((all) =>
      pipeline(upTo(200), all)
        .expand((x: unknown, feed) => {
          if (x !== 199) return x;
          feed.add(1000);
          try {
            feed.add((() => {}) as never);
          } catch {
            return 'caught';
          }
          return x;
        })
        .toArray(),
    );
    expect(seen).toContain('caught');
    expect(seen).toContain(1000);
  });

  test('an item that is changed after it was added is visited as it was', async () => {
    const seen = await here((all) =>
      pipeline<number | { n: number }>(upTo(100), all)
        .expand((x, feed) => {
          if (typeof x === 'object') return x.n;
          const item = { n: x };
          feed.add(item);
          item.n = -1;
          return x;
        })
        .toArray(),
    );
    expect([...seen].sort((a, b) => a - b)).toEqual(upTo(200).map((i) => i >> 1));
  });

  test('what a synchronous visit adds is visited by another worker while it computes', async () => {
    const visits = sharedArray(Int32Array, 1);
    const made = here((all) =>
      pipeline([1], all)
        .expand(
          (x, feed, { visits }) => {
            if (x === 1) {
              feed.add(2);
              while (Atomics.load(visits, 0) === 0) Atomics.wait(visits, 0, 0);
            } else {
              Atomics.store(visits, 0, 1);
              Atomics.notify(visits, 0);
            }
            return x;
          },
          { context: { visits } },
        )
        .toArray(),
    );
    expect(await made).toEqual([1, 2]);
  });

  test('short visits keep what they add until they end, and that is in order', async () => {
    const made = here((all) =>
      pipeline([1], all)
        .expand(
          (x, feed) => {
            for (const child of [2 * x, 2 * x + 1]) if (child < 500) feed.add(child);
            return x;
          },
          { concurrency: 1 },
        )
        .toArray(),
    );
    expect(await made).toEqual(upTo(500).slice(1));
  });

  test('what a visit reports by itself is no item, and a feed takes nothing once its visit has ended', async () => {
    const made = pipeline([1], { pool: new SequentialExecutor() }).expand(reportsAndAddsLate);
    expect(await made.toArray()).toEqual([
      '',
      expect.stringMatching(/feed\.add\(\) after the visit has ended; of fn of/),
    ]);
  });

  test('an item that cannot be cloned fails the visit that adds it, and names the stage', async () => {
    const made = here((all) =>
      pipeline<unknown>([1], all)
        .expand((_, feed) => feed.add(() => {}))
        .toArray(),
    );
    expect(String(await errorOf(made))).toMatch(/NotShareableError.*fn of expand\(\), stage 1 of the pipeline/);
  });
});

describe('arguments', () => {
  const made = pipeline([1]);
  test.each<[string, () => unknown, RegExp]>([
    ['a number for a source', () => pipeline(3 as never), /pipeline\(source\) takes an iterable.*3/],
    ['an unknown option', () => pipeline([], { inflight: 3 } as never), /no option 'inflight'.*inFlight/],
    ['no places', () => pipeline([], { inFlight: 0 }), /inFlight must be an integer from 1 up; it was 0/],
    ['a wrong pool', () => pipeline([], { pool: {} as never }), /options.pool must be/],
    ['no function', () => made.map(3 as never), /map\(\), stage 1 of the pipeline: fn must be a function/],
    ['concurrency 0', () => made.map((x) => x, { concurrency: 0 }), /stage 1 .*options.concurrency.* 0/],
    ['a wrong limit', () => made.map((x) => x, { limit: 3 as never }), /stage 1 of the pipeline: options.limit/],
    ['a bound function', () => made.map(Math.abs), /fn of map\(\), stage 1 of the pipeline cannot travel/],
    ['a batch of 0', () => made.batch(0), /batch\(\), stage 1 of the pipeline: size must be/],
    ['a negative wait', () => made.batch(2, { maxWaitMs: -1 }), /maxWaitMs must be 0/],
    [
      'batches that need more places than there are',
      () =>
        pipeline([1], { inFlight: 11 })
          .batch(4)
          .map((x) => x)
          .batch(3),
      /batch\(\), stage 3 of the pipeline.*up to 12 places.*inFlight = 11/,
    ],
    [
      'a batch before an expand, whose visits hold all its places',
      () =>
        pipeline([1], { inFlight: 11 })
          .batch(4)
          .expand((x) => x)
          .batch(3),
      /batch\(\), stage 3 of the pipeline.*up to 12 places.*inFlight = 11/,
    ],
    [
      'a source whose iterator is none',
      () => pipeline({ [Symbol.iterator]: 1 } as never),
      /pipeline\(source\) takes an iterable/,
    ],
    ['a generator for a map', () => made.map(function* () {} as never), /generator/],
  ])('%s is refused', (_, call, message) => {
    expect(call).toThrow(message);
  });

  test('a source that gives no iterator is refused when it is read', async () => {
    for (const given of [undefined, {}, { next: 1 }]) {
      const source = { [Symbol.asyncIterator]: () => given } as never;
      expect(String(await errorOf(pipeline(source).toArray()))).toMatch(
        /furcate: the source of a pipeline must give an iterator/,
      );
    }
    const either = { [Symbol.asyncIterator]: undefined, [Symbol.iterator]: () => [1, 2].values() };
    expect(await pipeline(either as Iterable<number>).toArray()).toEqual([1, 2]);
  });

  test('reduce of a pipeline without an order needs commutative: true', async () => {
    const bad = pipeline([1], { ordered: false }).reduce((a, b) => a + b, 0);
    expect(String(await errorOf(bad))).toMatch(/TypeError.*commutative: true/);
  });
});
