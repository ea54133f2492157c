/** Generators of `flatMap`, in every executor: they are paused while their items have not left, whatever form they have. */
import { type AsyncForkable, type Forkable, sharedArray } from 'furcate';
import { limit, type Pipeline, type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { EXECUTORS } from '../helpers/pipeline-executors.js';

/** What endless generators count: the items that they have made, those that have begun, and those that have ended; last whether they fail then. */
interface Counting {
  readonly counts: Int32Array;
}

interface Fixture {
  readonly countsNow: Forkable<[x: number, context: Counting], Iterable<number>>;
  readonly countsLater: AsyncForkable<[x: number, context: Counting], AsyncIterable<number>>;
  readonly failsLater: AsyncForkable<[x: number], AsyncIterable<number>>;
  readonly leavesInScope: AsyncForkable<[counts: Int32Array], number>;
}

const { countsNow, countsLater, failsLater, leavesInScope } = await fixture<Fixture>('pipelines.mjs');

/** Endless generators, in every form. */
const ENDLESS: Readonly<Record<string, (made: Pipeline<number>, context: Counting) => Pipeline<number>>> = {
  'an inline generator': (made, context) =>
    made.flatMap(
      function* (x, { counts }) {
        Atomics.add(counts, 1, 1);
        try {
          for (;;) {
            Atomics.add(counts, 0, 1);
            yield x;
          }
        } finally {
          Atomics.add(counts, 2, 1);
          // biome-ignore lint/correctness/noUnsafeFinally: this is what is tested
          if (counts[3] === 1) throw new RangeError('at its end');
        }
      },
      { context },
    ),
  'an inline asynchronous generator': (made, context) =>
    made.flatMap(
      async function* (x, { counts }) {
        Atomics.add(counts, 1, 1);
        try {
          for (;;) {
            Atomics.add(counts, 0, 1);
            await null;
            yield x;
          }
        } finally {
          Atomics.add(counts, 2, 1);
          // biome-ignore lint/correctness/noUnsafeFinally: this is what is tested
          if (counts[3] === 1) throw new RangeError('at its end');
        }
      },
      { context },
    ),
  'a generator that forks': (made, context) => made.flatMap(countsNow, { context }),
  'a generator with a scope': (made, context) => made.flatMap(countsLater, { context }),
};

describe.each(EXECUTORS)('%s', (_, use) => {
  const run = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
    use((pool) => call({ ...given, pool }));

  test.each(Object.keys(ENDLESS).flatMap((form) => [true, false].map((ordered) => ({ form, ordered }))))(
    'pauses $form while its items have not left, and ends it; ordered: $ordered',
    async ({ form, ordered }) => {
      const counts = sharedArray(Int32Array, 3);
      const ends = limit(2);
      await run(
        async (all) => {
          const add = ENDLESS[form] as (typeof ENDLESS)[string];
          let taken = 0;
          for await (const x of add(pipeline([7, 7], all), { counts }).map((x) => x, { limit: ends })) {
            expect(x).toBe(7);
            taken++;
            expect(Atomics.load(counts, 0) - taken).toBeLessThanOrEqual(2 * 33);
            if (taken === 300) break;
          }
        },
        { ordered, inFlight: 2 },
      );
      expect(counts[1]).toBeGreaterThan(0);
      while (counts[2] !== counts[1]) await turn(); // the run does not wait for a worker that is busy otherwise
    },
  );

  test.each(Object.entries(ENDLESS))('tells what %s throws when it is ended, as a loop does', async (_, add) => {
    const counts = sharedArray(Int32Array, [0, 0, 0, 1]);
    const failure = { name: 'RangeError', message: 'at its end', stage: 'flatMap(), stage 1 of the pipeline' };
    await run(async (all) => {
      const made = add(pipeline([7, 8], all), { counts });
      let taken = 0;
      const left = async (): Promise<void> => {
        for await (const x of made) if (++taken === 3 && x === 7) break;
      };
      expect(await errorOf(left())).toMatchObject(failure);
      expect(await errorOf(made.take(3).toArray())).toMatchObject(failure);
      expect(await errorOf(made.find((x) => x === 7))).toMatchObject(failure);
      const fails = made.map((x) => {
        if (x === 7) throw new TypeError('before');
        return x;
      });
      expect(await errorOf(fails.toArray())).toMatchObject({ message: 'before' });
    });
  });

  test('inside an asynchronous task tells what a generator throws when it is ended', async () => {
    const counts = sharedArray(Int32Array, 4);
    expect(await use((pool) => pool.invoke(leavesInScope, counts))).toBe(7);
    expect(counts[2]).toBe(1);
    counts.set([0, 0, 0, 1]);
    const failure = { name: 'RangeError', message: 'at its end', stage: 'flatMap(), stage 1 of the pipeline' };
    expect(await errorOf(use((pool) => pool.invoke(leavesInScope, counts)))).toMatchObject(failure);
  });

  test('ends a generator that yields what cannot be cloned', async () => {
    const ended = sharedArray(Int32Array, 1);
    const made = run((all) =>
      pipeline([1], all)
        .flatMap(
          function* (x, { ended }): Generator<unknown> {
            try {
              yield x;
              yield () => {};
            } finally {
              Atomics.add(ended, 0, 1);
            }
          },
          { context: { ended } },
        )
        .toArray(),
    );
    expect(await errorOf(made)).toMatchObject({ name: 'NotShareableError' });
    expect(ended[0]).toBe(1);
  });

  test('takes what an iterator gives as a loop does, and closes none that has failed', async () => {
    const closed = sharedArray(Int32Array, 1);
    await run(async (all) => {
      const given = (isLater: boolean, last: string): Promise<unknown[]> =>
        pipeline([1], all)
          .flatMap(
            (x, { closed, isLater, last }) => {
              let count = 0;
              const now = (): unknown => {
                if (count++ < 2) return { value: x, done: 0 };
                if (last === 'fails') throw new RangeError('no more');
                return last === 'is over' ? { value: 5, done: 1 } : undefined;
              };
              const end = (): object => {
                Atomics.add(closed, 0, 1);
                return {};
              };
              const iterator = { next: isLater ? async () => now() : now, return: isLater ? async () => end() : end };
              const made = last === 'is none' ? 7 : iterator;
              return (isLater ? { [Symbol.asyncIterator]: () => made } : { [Symbol.iterator]: () => made }) as never;
            },
            { context: { closed, isLater, last } },
          )
          .toArray();
      for (const isLater of [false, true]) {
        expect(await given(isLater, 'is over')).toEqual([1, 1]);
        expect(await errorOf(given(isLater, 'fails'))).toMatchObject({ message: 'no more' });
        expect(String(await errorOf(given(isLater, 'gives nothing')))).toMatch(
          /furcate: the iterator of fn of flatMap\(\), stage 1 of the pipeline gave undefined for a result/,
        );
        expect(String(await errorOf(given(isLater, 'is none')))).toMatch(/with a method next\(\); it gave 7/);
      }
    });
    expect(closed[0]).toBe(0);
  });

  test('delivers what a generator with a scope has made before it fails, in its order', async () => {
    const seen: number[] = [];
    const failing = run(async (all) => {
      for await (const x of pipeline([1, 2], all).flatMap(failsLater, { limit: limit(1) })) seen.push(x);
    });
    expect(await errorOf(failing)).toMatchObject({ name: 'RangeError', message: 'no more' });
    expect(seen).toEqual(Array.from({ length: 100 }, () => 1));
  });
});
