import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { Source } from '../../../src/flow/source.js';

registerHost(detectNode);

const nothing = (): void => {};

/** The source of a call with plain values. */
const sourceOf = (values: object, unit: number, onArrival: () => void): Source =>
  new Source(values, { called: 'the values', unit, onArrival, isSnapshot: true, readsAhead: true });

/** The values of everything that `source` gives, in runs of up to `count`. */
function taken(source: Source, count: number): (readonly unknown[])[] {
  const runs: (readonly unknown[])[] = [];
  for (let run = source.take(count); run !== undefined; run = source.take(count)) runs.push(run.values);
  return runs;
}

test('an iterable is read when values are taken, and no further', () => {
  let read = 0;
  function* values(): Generator<number> {
    while (read < 5) yield read++;
  }
  const source = sourceOf(values(), 1, nothing);
  expect(read).toBe(0);
  expect(source.take(2)).toEqual({ first: 0, values: [0, 1] });
  expect(read).toBe(2);
  expect(source.take(2)).toEqual({ first: 2, values: [2, 3] });
  expect([source.isOver, source.nextIndex, source.total]).toEqual([false, 4, Number.POSITIVE_INFINITY]);
  expect(source.take(2)).toEqual({ first: 4, values: [4] });
  expect([source.isOver, source.take(2)]).toEqual([true, undefined]);
});

test('holes of an array are undefined, and its length at the call counts', () => {
  const array = [1, 2, 3];
  delete array[1];
  const source = sourceOf(array, 1, nothing);
  array.push(4);
  expect(source.total).toBe(3);
  const [values] = taken(source, 9);
  expect(values).toEqual([1, undefined, 3]);
  expect(Object.keys(values as unknown[])).toHaveLength(3);
  expect([sourceOf(new Set([1, 2]), 1, nothing).total, sourceOf(new Map([[1, 2]]), 1, nothing).total]).toEqual([2, 1]);
});

test('what is given back is taken first, in the order of its indices', () => {
  const source = sourceOf([0, 1, 2, 3, 4, 5, 6], 1, nothing);
  const first = source.take(3) as { first: number; values: unknown[] };
  const second = source.take(3) as { first: number; values: unknown[] };
  source.giveBack(second, 1);
  source.giveBack(first, 2);
  expect([source.nextIndex, source.isOver]).toEqual([2, false]);
  expect([source.take(9), source.take(1), source.take(9), source.take(9)]).toEqual([
    { first: 2, values: [2] },
    { first: 4, values: [4] },
    { first: 5, values: [5] },
    { first: 6, values: [6] },
  ]);
  expect(source.isOver).toBe(true);
});

test('an error of the iterable comes after the values before it, once', () => {
  function* values(): Generator<number> {
    yield 1;
    throw new Error('broken');
  }
  const source = sourceOf(values(), 1, nothing);
  expect(source.take(5)).toEqual({ first: 0, values: [1] });
  expect(source.isOver).toBe(false);
  expect(() => source.take(5)).toThrow('broken');
  expect(source.isOver).toBe(true);
});

test('an asynchronous iterable is read in advance by one chunk, and gives whole units until it ends', async () => {
  let read = 0;
  async function* values(): AsyncGenerator<number> {
    while (read < 7) yield read++;
  }
  let wake = nothing;
  const source = sourceOf(values(), 2, () => wake());
  const runs: (readonly unknown[])[] = [];
  while (!source.isOver) {
    const run = source.take(4);
    if (run !== undefined) runs.push(run.values);
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  expect(runs.flat()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(runs.slice(0, -1).every((run) => run.length % 2 === 0 && run.length <= 4)).toBe(true);
});

test('closing tells the iterable, once, whatever it makes of it', () => {
  let closed = 0;
  const iterator = {
    [Symbol.iterator]: () => iterator,
    next: () => ({ done: false, value: 1 }),
    return() {
      closed++;
      throw new Error('not now');
    },
  };
  const source = sourceOf(iterator, 1, nothing);
  source.take(1);
  for (let k = 0; k < 2; k++) void source.close(0, Number.POSITIVE_INFINITY).catch(() => {});
  expect([closed, source.isOver]).toEqual([1, true]);
});

/** An asynchronous generator that gives one value, and then what `next` resolves to; counts how often its end has begun, and has ended. */
function gated(next: Promise<number>, end: Promise<void>): { values: AsyncGenerator<number>; ends: [number, number] } {
  const ends: [number, number] = [0, 0];
  async function* values(): AsyncGenerator<number> {
    try {
      yield 1;
      yield await next;
    } finally {
      ends[0]++;
      await end;
      ends[1]++;
    }
  }
  return { values: values(), ends };
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** A source that was asked for a second value. */
async function asked(values: object): Promise<Source> {
  let arrived = nothing;
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const source = new Source(values, { called: 'it', onArrival: () => arrived() });
  source.take(1);
  await first;
  source.take(1);
  source.take(1);
  return source;
}

describe('closing a source that is being read', () => {
  test('waits for its end, and rejects with what that throws', async () => {
    let give = (_: number): void => {};
    const next = new Promise<number>((resolve) => {
      give = resolve;
    });
    const { values, ends } = gated(next, Promise.reject(new Error('commit failed')));
    const source = await asked(values);
    const closed = source.close(FOR_EVER, FOR_EVER);
    give(2);
    await expect(closed).rejects.toThrow('commit failed');
    expect(ends).toEqual([1, 0]);
  });

  test('does not wait longer than its patience for what was asked for', async () => {
    const { values, ends } = gated(never(), Promise.resolve());
    await (await asked(values)).close(1, FOR_EVER);
    expect(ends).toEqual([0, 0]);
  });

  test('does not wait longer than the grace for its end', async () => {
    const { values, ends } = gated(Promise.resolve(2), never());
    await (await asked(values)).close(FOR_EVER, 1);
    expect(ends).toEqual([1, 0]);
  });
});

test.each<[string, UnderlyingDefaultSource<number>]>([
  ['has failed', { pull: (controller) => controller.error(new Error('gone')) }],
  ['has ended', { pull: (controller) => controller.close() }],
  ['cannot be cancelled', { cancel: () => Promise.reject(new Error('gone')) }],
])('a stream of the Web that %s is not locked any more', async (_, underlying) => {
  const stream = new ReadableStream<number>(underlying, { highWaterMark: 0 });
  let arrived = nothing;
  const source = new Source(stream, { called: 'it', onArrival: () => arrived() });
  source.take(1);
  expect(stream.locked).toBe(true);
  if (underlying.pull !== undefined)
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
  await source.close(FOR_EVER, FOR_EVER).catch(() => {});
  expect(stream.locked).toBe(false);
});

test('an array gives what is before the element that cannot be read, then the error', () => {
  const array = Object.defineProperty([1, 2, 3], 1, {
    get() {
      throw new Error('no');
    },
  });
  const source = sourceOf(array, 1, nothing);
  expect(source.take(5)).toEqual({ first: 0, values: [1] });
  expect(() => source.take(5)).toThrow('no');
  expect(source.isOver).toBe(true);
});

describe.each([false, true])('as in loops over it, an iterable (asynchronous: %s)', (isAsync) => {
  /** What a source gives of an iterator with these results, one value after the other, and the text of its error. */
  async function read(results: readonly unknown[]): Promise<unknown[]> {
    const left = [...results];
    const iterator = { next: () => left.shift() };
    let wake = nothing;
    const values = { [isAsync ? Symbol.asyncIterator : Symbol.iterator]: () => iterator };
    const source = sourceOf(values, 1, () => wake());
    const got: unknown[] = [];
    try {
      while (!source.isOver) {
        const run = source.take(3);
        if (run !== undefined) got.push(...run.values);
        else if (!source.isOver)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } catch (error) {
      got.push(String(error));
    }
    return got;
  }
  const VALUES = [{ value: 1 }, { value: 2, done: false }, { value: undefined, done: 0 }, {}];
  const GIVEN = [1, 2, undefined, undefined];

  test.each([true, 1, 'yes', {}])('ends where done is %j', async (done) => {
    expect(await read([...VALUES, { value: 5, done }])).toEqual(GIVEN);
  });

  test.each([5, null, undefined, 'text'])('fails where a result is %j', async (result) => {
    const problem = /^TypeError: furcate: the iterator of the values gave .* for a result\.$/;
    expect(await read([...VALUES, result])).toEqual([...GIVEN, expect.stringMatching(problem)]);
  });
});

test.each<[string, () => object]>([
  ['a stream of the Web', () => new Blob(['x']).stream()],
  ['a stream of Node', () => Readable.from([1])],
])('%s that has ended is refused when it is read again', async (_, make) => {
  const stream = make();
  const readAll = async (): Promise<unknown[]> => {
    let wake = (): void => {};
    const source = sourceOf(stream, 1, () => wake());
    const all: unknown[] = [];
    for (;;) {
      const span = source.take(1);
      if (span !== undefined) all.push(...span.values);
      else if (source.isOver) return all;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  expect(await readAll()).toHaveLength(1);
  await expect(readAll()).rejects.toThrow(/nothing is left of the values: the stream was read/);
});

test('a generator that has ended, or was closed, is refused when it is read again; an empty one is not', async () => {
  function* values(): Generator<number> {
    yield 1;
  }
  const read = values();
  expect(taken(sourceOf(read, 1, nothing), 9)).toEqual([[1]]);
  expect(() => sourceOf(read, 1, nothing).take(1)).toThrow(/nothing is left of the values/);
  const closed = values();
  await sourceOf(closed, 1, nothing).close(0, 0);
  expect(() => sourceOf(closed, 1, nothing).take(1)).toThrow(/nothing is left of the values/);
  const empty = [].values();
  expect(sourceOf(empty, 1, nothing).take(1)).toBeUndefined();
  const again = new Set([1]);
  expect([sourceOf(again, 1, nothing), sourceOf(again, 1, nothing)].map((source) => taken(source, 9))).toEqual([
    [[1]],
    [[1]],
  ]);
});

test('a typed array whose buffer was transferred is refused by name', () => {
  const xs = new Uint8Array(4);
  structuredClone(xs.buffer, { transfer: [xs.buffer] });
  expect(() => sourceOf(xs, 1, nothing)).toThrow(/^furcate: the values is a typed array .*transferred/);
});
