// What holds in every test runner, whichever realm its test files run in and whatever it makes of their code.
import { deserialize, serialize } from 'node:v8';
import type * as library from 'furcate';
import type { expect as vitestExpect } from 'vitest';
import type { define } from './define.js';

/** `any`: results are compared, and nothing else. */
type Loose = ReturnType<typeof JSON.parse>;

type Counts = Record<string, number>;

/** What a runner has. */
interface Runner {
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: typeof vitestExpect;
  /** Its fake timers, if it has any. */
  readonly timers?: { useFakeTimers(): unknown; advanceTimersByTime(ms: number): unknown; useRealTimers(): unknown };
}

export const cases = (
  furcate: typeof library,
  tasks: ReturnType<typeof define>,
  { test, expect, timers }: Runner,
): void => {
  const { ForkJoinPool, sharedArray } = furcate;
  const pool = () => ForkJoinPool.commonPool();
  const rejection = (promise: PromiseLike<unknown>): PromiseLike<Loose> =>
    promise.then(
      () => Promise.reject(new Error('it was fulfilled')),
      (error: unknown) => error,
    );

  /** One value of each kind that the language has, made in this realm. */
  const values = () => {
    const shared = { in: [1, 'two', null, undefined, -0, 3n, true] };
    const cyclic: Record<string, unknown> = { name: 'cyclic', shared };
    cyclic.self = cyclic;
    return {
      object: { a: 1, deep: { b: [2, { c: 3 }] } },
      array: ['a', ['b', []], {}],
      numbers: [1, 2, 3],
      map: new Map<unknown, unknown>([
        ['key', { of: new Set([1]) }],
        [{}, new Map()],
      ]),
      set: new Set<unknown>([1, 'two', { three: 3 }]),
      date: new Date(86_400_000),
      regExp: /a+b/giu,
      boxed: Object('text'),
      marked: { 'furcate:mark': 'error', value: {}, fields: {} },
      shared: [shared, shared],
      cyclic,
    };
  };
  const own: Readonly<Record<string, new (...args: never[]) => unknown>> = {
    date: Date,
    regExp: RegExp,
    map: Map,
    set: Set,
    array: Array,
    numbers: Array,
    object: Object,
    boxed: String,
  };

  test('every kind of value comes back as one of this realm', async () => {
    const result = await pool().invoke(tasks.echo, values());
    expect(result).toStrictEqual(values());
    for (const [name, Class] of Object.entries(own)) expect(result[name]).toBeInstanceOf(Class);
    expect(result.shared[0]).toBe(result.shared[1]);
    expect(result.cyclic.self).toBe(result.cyclic);
    for (const [name, value] of Object.entries(values())) {
      const alone = await pool().invoke(tasks.echo, value);
      expect(alone).toStrictEqual(value);
      if (own[name] !== undefined) expect(alone).toBeInstanceOf(own[name]);
    }
  });

  test('values of another realm may be arguments, and their results are of this realm', async () => {
    const { boxed, ...others } = values();
    for (const value of [structuredClone(others), deserialize(serialize(others))]) {
      expect(await pool().invoke(tasks.echo, value)).toStrictEqual(others);
      expect(await furcate.parallelMap([value], (one) => [one.numbers.length], { pool: pool() })).toEqual([[3]]);
      expect(await pool().invoke(tasks.isHere, value.map, 'Map')).toBe(true);
    }
  });

  test('copies of typed arrays and buffers are of this realm', async () => {
    const { doubles, buffer, view } = await pool().invoke(tasks.bytes);
    expect(doubles).toStrictEqual(new Float64Array([1, 2]));
    expect(doubles).toBeInstanceOf(Float64Array);
    expect(buffer).toBeInstanceOf(ArrayBuffer);
    expect(Array.from(new Uint8Array(buffer))).toEqual([1, 2, 3]);
    expect(view).toBeInstanceOf(DataView);
    expect(view.getUint8(1)).toBe(5);
  });

  test('a shared array is of the constructor that it was made with, there and back', async () => {
    for (const Type of [Float64Array, Uint8Array, BigInt64Array]) {
      const xs = sharedArray(Type as typeof Float64Array, 4);
      expect(xs).toBeInstanceOf(Type);
      expect(furcate.isShared(xs)).toBe(true);
      const back = await pool().invoke(tasks.echo, { xs });
      expect(back.xs).toBeInstanceOf(Type);
      expect(back.xs.byteOffset).toBe(xs.byteOffset);
      furcate.free(xs);
    }
  });

  test('an error has its class and stack, and what it holds', async () => {
    const classes = {
      Error,
      TypeError,
      RangeError,
      SyntaxError,
      AggregateError,
      DOMException,
      ParseError: tasks.ParseError,
    };
    for (const [name, Class] of Object.entries(classes)) {
      const error = await rejection(pool().invoke(tasks.fails, name as 'Error'));
      expect(error).toBeInstanceOf(Class);
      if (Class.prototype instanceof Error) expect(error).toBeInstanceOf(Error); // no DOMException in Jest
      if (Class !== DOMException || new DOMException().stack !== undefined) expect(error.stack).toMatch(/define\.ts/); // Bun gives no DOMException a stack
      expect(error.name).toBe({ ParseError: 'SyntaxError', DOMException: 'NotFoundError' }[name] ?? name);
    }
    const several = await rejection(pool().invoke(tasks.fails, 'AggregateError'));
    expect(several.errors).toStrictEqual([new TypeError('one'), { two: [2] }]);
    const error = await rejection(pool().invoke(tasks.fails, 'ParseError'));
    expect(error).toMatchObject({ message: 'unexpected }', line: 12, tags: ['a', new Map([[1, new Date(0)]])] });
    expect(error.tags).toBeInstanceOf(Array);
    expect(error.cause).toBeInstanceOf(URIError);
    expect(error.cause.cause[0]).toBeInstanceOf(tasks.Vec);
    expect(await rejection(pool().invoke(tasks.throwsObject))).toStrictEqual({ code: [5] });
    await expect(pool().invoke(tasks.fails, 'RangeError')).rejects.toThrow(RangeError);
    await expect(pool().invoke(tasks.fails, 'RangeError')).rejects.toThrow('a range');
  });

  test("an algorithm rejects with its function's error", async () => {
    const fails = (x: unknown): never => {
      throw new RangeError(`no ${x}`);
    };
    const xs = sharedArray(Float64Array, 100_000);
    for (const of of [xs, ['a', 'b']]) {
      const error = await rejection(furcate.parallelMap(of as string[], fails, { pool: pool() }));
      expect(error).toBeInstanceOf(RangeError);
    }
    expect(() => furcate.parallelMapSync(xs, fails)).toThrow(RangeError);
  });

  test('registered instances keep their class', async () => {
    const vec = new tasks.Vec(3, 4);
    for (const value of [vec, { deep: [vec] }, new Map([[1, vec]])]) {
      expect(await pool().invoke(tasks.forksEcho, value)).toStrictEqual(value);
    }
    const result = await furcate.parallelMap([vec], (one) => ({ one, length: one.length }), { pool: pool() });
    expect(result).toStrictEqual([{ one: vec, length: 5 }]);
    class Unknown {}
    const error = await rejection(pool().invoke(tasks.echo, new Unknown()));
    expect(error).toBeInstanceOf(furcate.NotShareableError);
  });

  test('classes of tasks fork and join', async () => {
    const xs = sharedArray(Float64Array, [1, 2, 3, 4, 5, 6, 7]);
    expect(await pool().invoke(new tasks.Sum(xs, 0, 7))).toBe(28);
    expect(pool().invokeSync(new tasks.Sum(xs, 0, 7))).toBe(28);
  });

  test('functions of a test run in workers, whatever the runner has made of them', async () => {
    const steps = (x: number, limit = 1000): number => {
      const next = (n: number): number => (n % 2 === 0 ? n / 2 : 3 * n + 1);
      let count = 0;
      for (let n = x + 1; n > 1 && count < limit; n = next(n)) count++;
      return count;
    };
    const xs = sharedArray(Float64Array, 20_000);
    const options = { pool: pool(), threshold: 1_000 };
    await furcate.parallelFor(xs.length, (i, { xs }) => xs.fill(i, i, i + 1), { ...options, context: { xs } });
    const counts = await furcate.parallelMap(xs, (x, _i, { steps }) => steps(x), { ...options, context: { steps } });
    expect(Array.from(counts.subarray(0, 5))).toEqual([0, 1, 7, 2, 5]);
    const larger = (a: number, b: number): number => {
      if (a > b) return a;
      return b;
    };
    expect(await furcate.parallelReduce(counts, larger, 0, options)).toBe(Math.max(...counts));
    expect(await furcate.parallelFilter(xs, (x) => x > 9 || x < 1, options)).toHaveLength(19_991);
    const sorted = await furcate.parallelSort(counts, (a, b) => (a === b ? 0 : b - a), options);
    expect(sorted[0]).toBe(furcate.parallelReduceSync(counts, 'max'));
    expect(await furcate.parallelMap([1, 2], async (n) => `${n}?`, { pool: pool() })).toEqual(['1?', '2?']);
    class Scale {
      times(x: number): number {
        return x * 2;
      }
    }
    expect(await furcate.parallelMap(Float64Array.of(1, 2), new Scale().times)).toStrictEqual(Float64Array.of(2, 4));
  });

  test('a function that uses an import or a variable of its module is refused, and told what to do', async () => {
    const bytes = Number('3'); // no constant: Bun writes the values of those into functions
    for (const fn of [(x: number) => x + serialize(x).length, (x: number) => x + bytes]) {
      for (const xs of [Float64Array.of(1, 2), sharedArray(Float64Array, 100_000)]) {
        const error = await rejection(furcate.parallelMap(xs, fn, { pool: pool() }));
        expect(error.message).toMatch(/^furcate: /);
        expect(error.message).toMatch(/serialize|import|node_v8|bytes/);
        expect(error.message).toMatch(/context/);
        expect(error.message).toMatch(/forkable/);
        expect(() => furcate.parallelMapSync(xs, fn)).toThrow(error.message);
      }
    }
  });

  test('reports and progress arrive as values of this realm', async () => {
    const all = Object.values(values());
    const seen: Loose[] = [];
    const { task } = furcate;
    expect(await pool().invoke(task(tasks.reports, all), { onReport: (value) => seen.push(value) })).toBe(all.length);
    expect(seen).toStrictEqual(all);
    for (const [k, value] of all.entries()) expect(seen[k].constructor).toBe(value.constructor);
  });

  test('asynchronous tasks take and give values of this realm', async () => {
    const all = Object.values(values());
    const result = await pool().invoke(tasks.asynchronous, all);
    expect(result).toStrictEqual(all);
  });

  test('a context is what it was here', async () => {
    const context = { weights: [1, 2], names: new Map([[1, 'one']]), vec: new tasks.Vec(3, 4), double: tasks.double };
    const fn = (x: number, _i: number, { weights, names, vec, double }: typeof context) => [
      x + weights[0] + double(1),
      names.get(1),
      vec.length,
      Array.isArray(weights),
      names instanceof Map,
    ];
    const result = await furcate.parallelMap([1, 2], fn, { pool: pool(), context });
    expect(result).toStrictEqual([
      [4, 'one', 5, true, true],
      [5, 'one', 5, true, true],
    ]);
    const sum = await furcate.parallelMap(sharedArray(Float64Array, 50_000), (_x, i, { weights }) => i * weights[1], {
      pool: pool(),
      context: { weights: structuredClone([1, 2]) },
    });
    expect(sum).toBeInstanceOf(Float64Array);
    expect(sum[49_999]).toBe(99_998);
  });

  test('algorithms over arrays, shared and not, of this realm and of another', async () => {
    const n = 200_000;
    const random = (): Float64Array => Float64Array.from({ length: n }, (_, i) => (i * 7919) % n);
    const other = structuredClone(random());
    for (const xs of [random(), sharedArray(Float64Array, random()), other]) {
      expect(await furcate.parallelReduce(xs, 'sum', { pool: pool() })).toBe((n * (n - 1)) / 2);
      const even = await furcate.parallelFilter(xs, (x) => x % 2 === 0, { pool: pool() });
      expect(even).toBeInstanceOf(Float64Array);
      expect(even.length).toBe(n / 2);
      const sorted = await furcate.parallelSort(xs, { pool: pool() });
      expect(sorted[n - 1]).toBe(n - 1);
    }
    const collected = await furcate.parallelReduce(Float64Array.of(1, 2), (all, x) => all.concat(x), []);
    expect(collected).toStrictEqual([1, 2]);
    expect(await furcate.parallelReduce(new Float64Array(0), (all, x) => all.concat(x), [])).toBeInstanceOf(Array);
    const items = [{ k: 2 }, { k: 1 }];
    expect(await furcate.parallelSortBy(items, (item) => item.k)).toStrictEqual([{ k: 1 }, { k: 2 }]);
  });

  test('iterables and plain values', async () => {
    async function* later() {
      yield { a: 1 };
      yield { a: 2 };
    }
    const fn = async ({ a }: { a: number }) => ({ b: a });
    const expected = [{ b: 1 }, { b: 2 }];
    const given = [{ a: 1 }, { a: 2 }];
    for (const source of [given, new Set(given), given.values(), later(), structuredClone(new Set(given))]) {
      const result = await furcate.parallelMap(source, fn, { pool: pool() });
      expect(result).toStrictEqual(expected);
      expect(result).toBeInstanceOf(Array);
    }
    const map = ({ a }: { a: number }): Counts => ({ [a]: 1 });
    const add = (left: Counts, right: Counts): Counts => {
      const both = { ...left };
      for (const key in right) both[key] = (both[key] ?? 0) + right[key];
      return both;
    };
    const many = Array.from({ length: 1000 }, (_, i) => ({ a: i % 2 }));
    const counted = await furcate.parallelReduce(many, add, {}, { map, pool: pool() });
    expect(counted).toStrictEqual({ 0: 500, 1: 500 });
  });

  test('an abort and a time limit reject with the errors of the library', async () => {
    const { task } = furcate;
    const controller = new AbortController();
    const call = pool().invoke(task(tasks.sleeps), { signal: controller.signal });
    controller.abort(new TypeError('enough'));
    const aborted = await rejection(call);
    expect(aborted).toBeInstanceOf(furcate.CancellationError);
    expect(aborted.cause).toBeInstanceOf(TypeError);
    const late = await rejection(pool().invoke(task(tasks.sleeps), { timeoutMs: 1 }));
    expect(late).toBeInstanceOf(furcate.CancellationError);
  });

  if (timers === undefined) return;
  test('fake timers do not stop the pool; time limits follow them', async () => {
    const { task } = furcate;
    timers.useFakeTimers();
    try {
      expect(await pool().invoke(tasks.echo, { a: 1 })).toStrictEqual({ a: 1 });
      expect(await furcate.parallelMap([{ a: 1 }], async ({ a }) => a, { pool: pool() })).toStrictEqual([1]);
      expect(await pool().invoke(tasks.asynchronous, [1])).toStrictEqual([1]);
      const late = rejection(pool().invoke(task(tasks.sleeps), { timeoutMs: 60_000 }));
      timers.advanceTimersByTime(60_000);
      expect(await late).toBeInstanceOf(furcate.CancellationError);
      const fresh = new ForkJoinPool({ parallelism: 1, preload: ['furcate/tsx'] });
      expect(await fresh.invoke(tasks.double, 2)).toBe(4);
      await fresh.close();
    } finally {
      timers.useRealTimers();
    }
  });
};
