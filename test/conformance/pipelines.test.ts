/** Pipelines in every executor: what they give, whatever runs them. */
import fc from 'fast-check';
import { type AsyncForkable, type Forkable, sharedArray } from 'furcate';
import { type Feed, limit, type Pipeline, type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { EXECUTORS } from '../helpers/pipeline-executors.js';

interface Fixture {
  readonly leaves: Forkable<[depth: number], number>;
  readonly scopedLeaves: AsyncForkable<[depth: number], number>;
  readonly visit: AsyncForkable<[node: number, feed: Feed<number>, context: { size: number }], number>;
  readonly waitsForAdded: AsyncForkable<
    [item: { node: number }, feed: Feed<{ node: number }>, context: { visits: Int32Array }],
    number
  >;
  readonly addsForEver: AsyncForkable<[node: number, feed: Feed<number>], never>;
  readonly nested: AsyncForkable<[n: number], number>;
  readonly nestedVisits: AsyncForkable<[size: number], number[]>;
}

const { leaves, scopedLeaves, visit, waitsForAdded, addsForEver, nested, nestedVisits } =
  await fixture<Fixture>('pipelines.mjs');

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** One stage of a random pipeline, and what it does to a list. */
interface Link {
  add(made: Pipeline<number>): Pipeline<number>;
  of(xs: readonly number[]): number[];
}

const LINKS: readonly Link[] = [
  { add: (made) => made.map((x) => x * 2), of: (xs) => xs.map((x) => x * 2) },
  {
    add: (made) => made.map(async (x, { a }) => x + a, { context: { a: 3 }, concurrency: 3 }),
    of: (xs) => xs.map((x) => x + 3),
  },
  { add: (made) => made.filter((x) => x % 3 !== 0), of: (xs) => xs.filter((x) => x % 3 !== 0) },
  {
    add: (made) =>
      made.flatMap(function* (x) {
        for (let i = 0; i < x % 4; i++) yield x + i;
      }),
    of: (xs) => xs.flatMap((x) => upTo(x % 4).map((i) => x + i)),
  },
  {
    add: (made) =>
      made.flatMap(async function* (x) {
        yield x;
        await null;
        yield -x;
      }),
    of: (xs) => xs.flatMap((x) => [x, -x]),
  },
  { add: (made) => made.map((x) => Math.abs(x) % 5).map(leaves), of: (xs) => xs.map((x) => 2 ** (Math.abs(x) % 5)) },
  {
    add: (made) => made.map((x) => Math.abs(x) % 4).map(scopedLeaves, { concurrency: 2 }),
    of: (xs) => xs.map((x) => 2 ** (Math.abs(x) % 4)),
  },
  {
    add: (made) => made.scan((sum, x) => sum + x, 0),
    of: (xs) => xs.map((_, i) => xs.slice(0, i + 1).reduce((a, b) => a + b, 0)),
  },
  {
    add: (made) => made.batch(3).map((batch) => batch.reduce((a, b) => a + b, 0)),
    of: (xs) => upTo(Math.ceil(xs.length / 3)).map((k) => xs.slice(3 * k, 3 * k + 3).reduce((a, b) => a + b, 0)),
  },
];

const chain = fc.array(fc.integer({ min: 0, max: LINKS.length - 1 }), { maxLength: 4 });
const options = fc.record({ inFlight: fc.constantFrom(81, 100), ordered: fc.boolean() });

describe.each(EXECUTORS)('%s', (_, use, isCold) => {
  const run = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
    use((pool) => call({ ...given, pool }));

  test('gives what a sequential program gives', async () => {
    const property = fc.asyncProperty(fc.nat(40), chain, options, async (n, links, given) => {
      const depends = links.some((k) => k >= LINKS.length - 2); // on the order
      const ordered = given.ordered || depends;
      const found = await run(
        (all) => links.reduce((made, k) => (LINKS[k] as Link).add(made), pipeline(upTo(n), all)).toArray(),
        { ...given, ordered },
      );
      const expected = links.reduce<number[]>((xs, k) => (LINKS[k] as Link).of(xs), upTo(n));
      // -0 comes before 0: a comparison of numbers leaves them as they are
      const arranged = (xs: number[]): number[] => (ordered ? xs : [...Float64Array.from(xs).sort()]);
      expect(arranged(found)).toEqual(arranged(expected));
    });
    await fc.assert(property, { numRuns: isCold ? 4 : 25 });
  });

  test.each([true, false])('reduces, visits, and calls for each item; ordered: %s', async (ordered) => {
    const sum = await run((all) => pipeline(upTo(100), all).reduce((a, x) => a + x, 0, { commutative: true }), {
      ordered,
    });
    expect(sum).toBe(4950);
    const seen = sharedArray(Int32Array, 50);
    const mark = (i: number, context: { seen: Int32Array }): void => {
      context.seen[i] = i + 1;
    };
    await run((all) => pipeline(upTo(50), all).forEach(mark, { context: { seen } }), { ordered });
    expect([...seen]).toEqual(upTo(50).map((i) => i + 1));
    const nodes = await run(
      (all) =>
        pipeline([1], all)
          .expand(visit, { context: { size: 60 } })
          .toArray(),
      { ordered },
    );
    expect(nodes.sort((a, b) => a - b)).toEqual(upTo(60).map((i) => i + 1));
  });

  test('visits each key once, and rejects when too many items wait', async () => {
    const crawl = (maxPending: number) =>
      run((all) =>
        pipeline([0], all)
          .expand(
            (x, feed) => {
              for (let i = 0; i < 30; i++) feed.add((x * 7 + i) % 100);
              return x;
            },
            { uniqueBy: (x) => x, maxPending },
          )
          .toArray(),
      );
    expect((await crawl(1000)).sort((a, b) => a - b)).toEqual(upTo(100));
    expect(await errorOf(crawl(5))).toMatchObject({ name: 'RejectedExecutionError', message: /maxPending = 5/ });
  });

  test.each([true, false])(
    'visits what a visit adds while that visit goes on, and delivers it after that; ordered: %s',
    async (ordered) => {
      const visits = sharedArray(Int32Array, 1);
      const nodes = await run(
        (all) =>
          pipeline([{ node: 1 }], all)
            .expand(waitsForAdded, { context: { visits } })
            .toArray(),
        { ordered },
      );
      if (ordered) expect(nodes).toEqual([1, 2, 3, 4]);
      else expect(nodes.sort()).toEqual([1, 2, 3, 4]);
    },
  );

  test('rejects while a visit goes on that adds too many items, and cancels the visit', async () => {
    const error = await errorOf(
      run((all) => pipeline([0], all).expand(addsForEver, { maxPending: 50, concurrency: 1 }).toArray()),
    );
    expect(error).toMatchObject({ name: 'RejectedExecutionError', message: /maxPending = 50/ });
  });

  test('delivers nothing that a failing visit has added', async () => {
    const seen: number[] = [];
    const failing = run(async (all) => {
      const made = pipeline([1, 2], all).expand((x, feed) => {
        feed.add(10 * x);
        if (x === 2) throw new RangeError('a bad visit');
        return x;
      });
      for await (const x of made) seen.push(x);
    });
    expect(await errorOf(failing)).toMatchObject({ name: 'RangeError', message: 'a bad visit' });
    expect(seen).toEqual([1]);
  });

  test('delivers what comes before the lowest failure, which names its stage', async () => {
    const seen: number[] = [];
    const failing = async (all: PipelineOptions): Promise<void> => {
      const made = pipeline(upTo(100), all).map((x) => {
        if (x === 20 || x === 30) throw new RangeError(`no ${x}`);
        return x;
      });
      for await (const x of made) seen.push(x);
    };
    const error = await errorOf(run(failing));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: 'no 20', stage: 'map(), stage 1 of the pipeline' });
    expect(seen).toEqual(upTo(20));
    const captured = 3;
    const lost = run((all) =>
      pipeline([1], all)
        .map((x) => x)
        .map((x) => x + captured, { name: 'adding' })
        .toArray(),
    );
    expect(String(await errorOf(lost))).toMatch(/fn of map\(\), stage 2 of the pipeline \('adding'\).*captured/);
  });

  test.each<[string, (made: Pipeline<number>) => Pipeline<unknown>, string]>([
    [
      'a filter',
      (made) => made.map((x) => x).filter((x) => (x as never as () => boolean)()),
      'filter(), stage 2 of the pipeline',
    ],
    [
      'a generator',
      (made) =>
        made.flatMap(
          function* (x) {
            yield x;
            throw new RangeError('bad');
          },
          { name: 'splitting' },
        ),
      "flatMap(), stage 1 of the pipeline ('splitting')",
    ],
    [
      'a promise',
      (made) =>
        made
          .batch(2)
          .map(async () => {
            await null;
            throw new RangeError('bad');
          })
          .map((x) => x),
      'map(), stage 2 of the pipeline',
    ],
    [
      'a visit',
      (made) =>
        made.expand((_, feed) => {
          feed.add(1);
          throw new RangeError('bad');
        }),
      'expand(), stage 1 of the pipeline',
    ],
    [
      'a key',
      (made) =>
        made
          .map((x) => x)
          .expand((x) => x, {
            uniqueBy: () => {
              throw new RangeError('bad');
            },
          }),
      'expand(), stage 2 of the pipeline',
    ],
  ])('the error of %s has its stage', async (_, add, stage) => {
    const error = await errorOf(run((all) => add(pipeline([1, 2, 3], all)).toArray()));
    expect(error).toBeInstanceOf(Error);
    expect((error as { stage?: string }).stage).toBe(stage);
  });

  test('an error with a stage of its own keeps that, and what is no error stays as it is', async () => {
    const thrown = (what: 'own' | 'text') =>
      errorOf(
        run((all) =>
          pipeline([what], all)
            .map((x) => {
              throw x === 'own' ? Object.assign(new RangeError('bad'), { stage: 3 }) : x;
            })
            .toArray(),
        ),
      );
    expect(await thrown('own')).toMatchObject({ name: 'RangeError', stage: 3 });
    expect(await thrown('text')).toBe('text');
  });

  test('leaves early: closes the source and generators on workers, and nothing runs any more', async () => {
    const closed: string[] = [];
    const state = sharedArray(Int32Array, 2);
    function* source(): Generator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed.push('source');
      }
    }
    await run(async (all) => {
      const made = pipeline(source(), all).flatMap(
        function* (x, { state }) {
          Atomics.add(state, 0, 1);
          try {
            for (;;) yield x;
          } finally {
            Atomics.add(state, 1, 1);
          }
        },
        { context: { state } },
      );
      let taken = 0;
      for await (const x of made) {
        expect(x).toBe(0);
        if (++taken === 500) break;
      }
    });
    expect(closed).toEqual(['source']);
    // What tests before have left in a warm pool may keep a worker busy: then nobody waits for its generators for long.
    if (!isCold) while (Atomics.load(state, 1) < Atomics.load(state, 0)) await turn();
    expect(state[0]).toBeGreaterThan(0);
    expect(state[1]).toBe(state[0]);
  });

  test('visits begin in the order of the source', async () => {
    const slowFirst = async (x: number): Promise<number> => {
      if (x === 0) for (let k = 0; k < 200; k++) await null;
      return x;
    };
    const seen = await run((all) =>
      pipeline(upTo(8), all)
        .map(slowFirst)
        .expand((x) => x, { concurrency: 1 })
        .toArray(),
    );
    expect(seen).toEqual(upTo(8));
  });

  test('batches of which visits hold all places come to an end', async () => {
    const sizes = await run((all) =>
      pipeline(upTo(200), { ...all, inFlight: 40 })
        .batch(20)
        .expand((xs) => xs)
        .batch(2)
        .map((both) => both.flat().length)
        .toArray(),
    );
    expect(sizes).toEqual([40, 40, 40, 40, 40]);
  });

  test('a limit holds for the calls of all stages that name it', async () => {
    const two = limit(2);
    const most = sharedArray(Int32Array, 2);
    const busy = async (x: number, { most }: { most: Int32Array }): Promise<number> => {
      const now = Atomics.add(most, 0, 1) + 1;
      for (let seen = Atomics.load(most, 1); seen < now; seen = Atomics.load(most, 1))
        Atomics.compareExchange(most, 1, seen, now);
      await null;
      Atomics.sub(most, 0, 1);
      return x;
    };
    const given = { context: { most }, limit: two };
    expect(await run((all) => pipeline(upTo(40), all).map(busy, given).map(busy, given).toArray())).toEqual(upTo(40));
    expect(most[1]).toBeLessThanOrEqual(2);
    expect(two.inUse).toBe(0);
  });

  test('runs again, and at the same time as another run', async () => {
    await run(async (all) => {
      const squares = pipeline([1, 2, 3], all).map((x) => x * x);
      expect(await Promise.all([squares.toArray(), squares.toArray()])).toEqual([
        [1, 4, 9],
        [1, 4, 9],
      ]);
      expect(await squares.filter((x) => x > 1).toArray()).toEqual([4, 9]);
    });
  });

  test('runs inside an asynchronous task, as a part of it', async () => {
    expect(await use((pool) => pool.invoke(nested, 10))).toBe(110);
    const nodes = await use((pool) => pool.invoke(nestedVisits, 7));
    expect(nodes.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
