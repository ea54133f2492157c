/** Calls with plain values: what they refuse, and how they say so. */
import {
  type Forkable,
  NotShareableError,
  parallelFilter,
  parallelForEach,
  parallelMap,
  parallelReduce,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { warmPools } from '../helpers/pools.js';

const { leaves } = await fixture<{ readonly leaves: Forkable<[depth: number], number> }>('values.mjs');

describe('bad arguments:', () => {
  const pools = warmPools(1);
  type Loose = (...args: unknown[]) => Promise<unknown>;
  const map = parallelMap as unknown as Loose;
  const filter = parallelFilter as unknown as Loose;
  const reduce = parallelReduce as unknown as Loose;
  const id = (x: unknown): unknown => x;
  const add = (a: number, b: number): number => a + b;
  const bytes = new Uint8Array(8);

  test.each<
    [
      what: string,
      call: (options: object) => Promise<unknown>,
      error: abstract new (...args: never) => Error,
      says: RegExp,
    ]
  >([
    [
      'a string',
      (o) => map('abc', id, o),
      TypeError,
      /xs must be a typed array, or an array or iterable of values, but it is "abc"/,
    ],
    ['no function', (o) => map([1], 'fn', o), TypeError, /fn must be a function, but it is "fn"/],
    ['a generator', (o) => map([1], function* () {}, o), TypeError, /generator function/],
    [
      'an unknown operation',
      (o) => reduce([1], 'mean', 0, o),
      TypeError,
      /op must be a function \(a, b\) or one of 'sum'/,
    ],
    [
      'a named operation of strings',
      (o) => reduce([1, 'a'], 'sum', o),
      TypeError,
      /op 'sum' takes numbers.*"a" was given for value 1/,
    ],
    ['a text for an identity', (o) => reduce([1], 'sum', '0', o), TypeError, /identity must be a number for 'sum'/],
    ['no identity', (o) => reduce([1], add, undefined, o), TypeError, /needs an identity/],
    ['an async op', (o) => reduce([1], async () => 1, 0, o), TypeError, /async function/],
    [
      'an op with promises',
      (o) => reduce([1], () => Promise.resolve(1), 0, o),
      TypeError,
      /op of parallelReduce returned a promise/,
    ],
    ['into', (o) => map([1], id, { ...o, into: [] }), TypeError, /options\.into is for typed arrays/],
    [
      'transfer in a filter',
      (o) => filter([1], id, { ...o, transfer: id }),
      TypeError,
      /options\.transfer is of no use to a filter/,
    ],
    [
      'a concurrency of 0',
      (o) => map([1], id, { ...o, concurrency: 0 }),
      RangeError,
      /options\.concurrency must be an integer from 1 up/,
    ],
    ['a concurrency of 1.5', (o) => map([1], id, { ...o, concurrency: 1.5 }), RangeError, /options\.concurrency/],
    [
      'a view to transfer',
      (o) => map([bytes], id, { ...o, transfer: (x: unknown) => [x] }),
      TypeError,
      /for value 0 it returned one with .*Name its buffer/,
    ],
    [
      'no list to transfer',
      (o) => map([bytes], id, { ...o, transfer: () => 1 }),
      TypeError,
      /must return an array of ArrayBuffers, ports, canvases or the like; for value 0 it returned 1/,
    ],
    [
      'a port',
      (o) => map([1, new MessageChannel().port1], id, o),
      NotShareableError,
      /value 1 is a MessagePort, which can only be transferred/,
    ],
    [
      'a hidden function',
      (o) => map([1, { a: [id] }], id, o),
      NotShareableError,
      /value 1 \(at \.a\[0\]\) is a function/,
    ],
    [
      'a proxy',
      (o) => map([{}, new Proxy(new Map(), {})], id, o),
      NotShareableError,
      /value 1 is a proxy of what is no plain data/,
    ],
    [
      'a result that cannot be cloned',
      (o) => map([1, 2], (x: number) => (x === 2 ? () => 1 : x), o),
      NotShareableError,
      /the result of value 1 is a function/,
    ],
    [
      'a promise of a function that may fork',
      (o) =>
        map([1], (_: unknown, __: unknown, { leaves: f }: { leaves: unknown }) => Promise.resolve(f), {
          ...o,
          context: { leaves },
        }),
      TypeError,
      /returned a promise, but it may fork/,
    ],
  ])('%s gets an error that says what to do', async (_what, call, Class, says) => {
    const error = await errorOf(pools.use((pool) => call({ pool, graceMs: 1_000_000 })));
    expect(error).toBeInstanceOf(Class);
    expect((error as Error).message).toMatch(says);
  });
});

const lone = warmPools(1);

test('errors of the functions name what did not travel, and have the stack of the call', async () => {
  const captured = [1]; // a runtime may put a number in the place of its name
  const error = await lone.use((pool) => errorOf(parallelMap([1], () => captured[0], { pool })));
  expect(String(error)).toMatch(/fn of parallelMap uses the captured variable `captured`/);
  expect((error as Error).stack).toContain('values-errors.test.ts');
});

test('writes to arrays of the context are reported', async () => {
  const write = (_: number, __: number, { list }: { list: number[] }): void => void list.push(1);
  const error = await lone.use((pool) => errorOf(parallelForEach([1, 2], write, { pool, context: { list: [] } })));
  expect(String(error)).toMatch(
    /fn of parallelForEach writes to an object that cannot be changed|wrote to context\.list/,
  );
});
