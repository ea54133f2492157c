/** Sources made of others: `merge`, `concat`, `zip`. */
import { SequentialExecutor } from 'furcate';
import { concat, merge, pipeline, zip } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';

const pool = new SequentialExecutor();

/** What was read of a source, and whether it was closed. */
interface Watched {
  read: number;
  isClosed: boolean;
}

const watched = (): Watched => ({ read: 0, isClosed: false });

function* numbers(of: Watched, from = 0): Generator<number> {
  try {
    for (;;) yield from + of.read++;
  } finally {
    of.isClosed = true;
  }
}

async function* later<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value);
}

/** A source that never gives anything. */
const silent = (of: Watched): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => new Promise(() => {}),
    async return() {
      of.isClosed = true;
      return { done: true, value: undefined };
    },
  }),
});

async function read<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of source) all.push(value);
  return all;
}

test('concat reads one source after the other, of any kind, and again if they can be read again', async () => {
  const stream = (): ReadableStream<number> =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(5);
        controller.close();
      },
    });
  expect(await read(concat([1, 2], new Set([3]), later([4]), stream(), []))).toEqual([1, 2, 3, 4, 5]);
  const again = concat([1], [2]);
  expect([await read(again), await read(again), await read(concat())]).toEqual([[1, 2], [1, 2], []]);
  const many = Array.from({ length: 5_000 }, () => []);
  expect(await read(concat(...many, [1]))).toEqual([1]);
});

test('zip gives rows as long as all have an item, and closes the others', async () => {
  const endless = watched();
  const rows = await pipeline(zip(['a', 'b'], numbers(endless), later([true, false, true])), { pool })
    .map(([name, x, is]) => `${name}${x}${is}`)
    .toArray();
  expect(rows).toEqual(['a0true', 'b1false']);
  expect(endless.isClosed).toBe(true);
  expect(await read(zip())).toEqual([]);
  expect(await read(zip(new Set([undefined]), [null]))).toEqual([[undefined, null]]);
});

test('merge gives what is there: one that is silent holds back nobody, and endless ones go by turns', async () => {
  const [silence, one, other] = [watched(), watched(), watched()];
  const taken = await pipeline(merge(silent(silence), numbers(one), numbers(other, 1000)), { pool, inFlight: 2 })
    .take(6)
    .toArray();
  expect(taken).toEqual([0, 1000, 1, 1001, 2, 1002]);
  expect([silence.isClosed, one.isClosed, other.isClosed]).toEqual([true, true, true]);
  expect((await read(merge(later([1, 2]), [3], later([4])))).sort()).toEqual([1, 2, 3, 4]);
  expect(await read(merge())).toEqual([]);
});

test('merge lets what waits for the event loop answer beside sources that always answer, in a loop, too', async () => {
  async function* ticks(): AsyncGenerator<string> {
    await turn();
    yield 'tick';
  }
  async function* always(): AsyncGenerator<string> {
    for (;;) yield 'always';
  }
  for (const endless of [numbers(watched()), always()])
    for await (const item of merge<unknown[]>(endless, ticks())) if (item === 'tick') break;
});

describe.each([
  ['merge', merge],
  ['concat', concat],
  ['zip', zip],
] as const)('%s', (name, join) => {
  test('closes its sources when it is left, also while it waits', async () => {
    const [one, silence] = [watched(), watched()];
    const reading = join(numbers(one), numbers(one))[Symbol.asyncIterator]();
    await reading.next();
    await reading.return?.();
    expect([one.isClosed, await reading.next()]).toEqual([true, { done: true, value: undefined }]);
    const waiting = join(silent(silence))[Symbol.asyncIterator]();
    const next = waiting.next();
    await waiting.return?.();
    expect([silence.isClosed, await next]).toEqual([true, { done: true, value: undefined }]);
  });

  test('fails with what a source throws, and closes the others', async () => {
    const other = watched();
    async function* failing(): AsyncGenerator<never> {
      yield* [];
      throw new RangeError('no more');
    }
    const reading = read(join(failing(), numbers(other)));
    await expect(reading).rejects.toThrow('no more');
    expect(other.isClosed || other.read === 0).toBe(true);
  });

  test('waits until all its sources are closed, and fails with what one of them throws then', async () => {
    const other = watched();
    async function* slow(): AsyncGenerator<number> {
      try {
        for (;;) yield 1;
      } finally {
        for (let turns = 0; turns < 5; turns++) await turn();
        other.isClosed = true;
      }
    }
    const bad = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: async (): Promise<never> => {
          throw new RangeError('no end');
        },
      }),
    };
    const reading = join(bad, slow())[Symbol.asyncIterator]();
    for (let k = 0; k < 3; k++) await reading.next();
    const end = reading.return?.();
    await expect(end).rejects.toThrow('no end');
    expect(other.isClosed || name === 'concat').toBe(true); // which has not opened the second one
  });

  test('answers calls that do not wait for each other in their order', async () => {
    const reading = join(later([1, 2, 3]))[Symbol.asyncIterator]();
    const answers = await Promise.all([reading.next(), reading.next(), reading.next(), reading.next()]);
    expect(answers.map(({ value }) => value)).toEqual(
      name === 'zip' ? [[1], [2], [3], undefined] : [1, 2, 3, undefined],
    );
  });

  test('refuses what cannot be read, by its number', () => {
    expect(() => join([1], 5 as never)).toThrow(`furcate: ${name}(...sources) takes iterables`);
    expect(() => join([1], 5 as never)).toThrow(/source 2 was 5/);
  });
});
