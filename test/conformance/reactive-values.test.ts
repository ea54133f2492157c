/** Proxies of plain data, as the stores of Vue and MobX hand them out, cross as what they show, in cold and warm functions alike; others are refused. */
import { ForkJoinPool, NotShareableError, parallelMap } from 'furcate';
import { pipeline } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());
const { echo } = await fixture<{ echo: Scenario }>('holding.mjs');

const proxies = new WeakMap<object, object>();

/** A proxy that gives proxies, the same one each time, and what it stands for under the name that Vue has for that. */
function reactive<T extends object>(target: T): T {
  const known = proxies.get(target);
  if (known !== undefined) return known as T;
  const proxy = new Proxy(target, {
    get(object, key, receiver) {
      if (key === '__v_raw') return target;
      const value: unknown = Reflect.get(object, key, receiver);
      return typeof value === 'object' && value !== null ? reactive(value) : value;
    },
  });
  proxies.set(target, proxy).set(proxy, proxy);
  return proxy;
}

interface Row {
  readonly id: number;
  readonly tags: readonly string[];
  self?: Row;
}

const rows = (n: number): Row[] => Array.from({ length: n }, (_, id) => ({ id, tags: ['a', `b${id}`] }));

describe('a reactive value', () => {
  test('crosses in every call of a function, the first as the tenth', async () => {
    const values = reactive(rows(40));
    for (let call = 0; call < 10; call++) {
      const given = call % 2 === 0 ? values : [...values];
      expect(await parallelMap(given, (row) => row.tags[1], { pool })).toEqual(rows(40).map(({ tags }) => tags[1]));
    }
    const busy = (row: Row): number => {
      let sum = 0;
      for (let i = 0; i < 300_000; i++) sum += i % 2;
      return row.id + sum * 0;
    };
    expect(await parallelMap(values, busy, { pool })).toEqual(rows(40).map(({ id }) => id));
  });

  test('crosses inside of plain data, as an argument, in a context and through a pipeline', async () => {
    const row = reactive({ id: 1, tags: ['x'] } as Row);
    row.self = row;
    expect(await parallelMap([{ row }], ({ row: own }) => own.self?.self?.tags[0], { pool })).toEqual(['x']);
    expect(await pool.invoke(echo, { row: reactive({ tags: ['y'] }) })).toEqual({ row: { tags: ['y'] } });
    const context = reactive({ by: { k: 3 } });
    expect(await parallelMap([1, 2], (x, _, { by }) => x * by.k, { pool, context })).toEqual([3, 6]);
    const made = pipeline(reactive(rows(3)), { pool }).map((item) => item.tags.length);
    expect(await made.toArray()).toEqual([2, 2, 2]);
  });

  test('crosses as the Map, the Set or the date that it stands for', async () => {
    const values = [reactive({ map: new Map([['k', { n: 1 }]]), set: new Set([2]), date: new Date(5) })];
    for (let call = 0; call < 6; call++) {
      const seen = await parallelMap(values, ({ map, set, date }) => [map.get('k')?.n, set.has(2), date.getTime()], {
        pool,
      });
      expect(seen).toEqual([[1, true, 5]]);
    }
  });
});

test('a proxy that does not tell what it stands for is refused in every call, and named', async () => {
  for (const hidden of [new Map([[1, 2]]), new Set([1]), new Date(1), /x/]) {
    const value = { deep: [new Proxy(hidden, {})] };
    for (let call = 0; call < 6; call++) {
      const error = await errorOf(parallelMap([value], (x) => x.deep.length, { pool }));
      expect(error).toBeInstanceOf(NotShareableError);
      expect((error as Error).message).toMatch(
        /value 0 \(at \.deep\[0\]\) is a proxy of what is no plain data\. Pass a copy/,
      );
    }
  }
});

test('an error with a method toJSON still has it, whether its class is registered or not', async () => {
  const error = await errorOf(
    parallelMap(
      [1],
      () => {
        class RequestError extends Error {
          readonly request: { response?: object } = {};
          toJSON(): object {
            return { message: this.message, code: 'E_REQUEST' };
          }
        }
        const thrown = new RequestError('no answer');
        thrown.request.response = thrown.request; // JSON cannot hold it
        throw thrown;
      },
      { pool },
    ),
  );
  expect(JSON.parse(JSON.stringify(error))).toEqual({ message: 'no answer', code: 'E_REQUEST' });
  expect(Object.keys(error as object)).toEqual(['request']);
});
