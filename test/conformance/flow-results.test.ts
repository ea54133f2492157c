/** Results of flows are as they were when their function returned, though its thread keeps the object and writes to it again. */
import type { ForkJoinPool } from 'furcate';
import { limit, pipeline, taskGraph } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { poolMaker } from '../helpers/pools.js';

const poolOf = poolMaker('terminate');
const POOLS: readonly (() => ForkJoinPool)[] = ofEachKind([1, 2], (threads) => threads === 2).flatMap((threads) =>
  [false, true].map((checked) => () => poolOf(threads, { checked })),
);

interface Scratch {
  view?: Float64Array;
  list?: Float64Array[];
}

/** Writes `x` to a buffer that the thread keeps, and returns it: alone, and in what holds it at some depth. */
const WAYS = [
  (x: number): unknown => {
    const realm = globalThis as Scratch;
    realm.view ??= new Float64Array(1);
    realm.view[0] = x;
    return realm.view;
  },
  (x: number): unknown => {
    const realm = globalThis as Scratch;
    realm.view ??= new Float64Array(1);
    realm.view[0] = x;
    return new Map([['k', [{ part: realm.view.subarray(0, 1) }]]]);
  },
  (x: number): unknown => {
    const realm = globalThis as Scratch;
    realm.list ??= [new Float64Array(1)];
    (realm.list[0] as Float64Array)[0] = x;
    return realm.list;
  },
];
/** The number in what one of `WAYS` returns, at whatever depth. */
const numberIn = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const inner = value instanceof Map ? value.values() : Object.values(value);
  return numberIn([...inner][0]);
};
const XS = Array.from({ length: 40 }, (_, k) => k);

test('a node of a graph takes what another one returned, though that has written to the object since: in every pool', async () => {
  for (const make of POOLS) {
    const pool = make();
    for (const fill of WAYS) {
      const graph = taskGraph((g) => {
        const kept = XS.map((x) => g.task(fill, x));
        return g.all([...kept, ...kept.map((node) => g.task((value: unknown) => value, node))]);
      });
      expect((await graph.with({ pool }).run()).map(numberIn)).toEqual([...XS, ...XS]);
    }
  }
});

test('so does a node that takes the result of an asynchronous one', async () => {
  const fill = async (x: number): Promise<Float64Array> => {
    const realm = globalThis as Scratch;
    realm.view ??= new Float64Array(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    realm.view[0] = x;
    return realm.view;
  };
  for (const make of POOLS) {
    const pool = make();
    const graph = taskGraph((g) => g.all(XS.map((x) => g.task(fill, x))));
    expect((await graph.with({ pool }).run()).map(numberIn)).toEqual(XS);
  }
});

test('a result that cannot be cloned is a failure of its node on one thread, too', async () => {
  const graph = taskGraph((g) => {
    const made = g.with({ name: 'made' }).task(() => ({ symbol: Symbol('s') }) as unknown);
    return g.task((value: unknown) => typeof value, made);
  });
  await expect(graph.with({ pool: poolOf(1) }).run()).rejects.toThrow(/the result of node 'made'.*symbol/);
});

test('the same in pipelines: for functions that wait, one after the other in a task, and for generators that are paused', async () => {
  const wait = async (value: unknown): Promise<unknown> => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return value;
  };
  const late = async (x: number): Promise<unknown> => {
    const realm = globalThis as Scratch;
    await new Promise((resolve) => setTimeout(resolve, 1));
    realm.view ??= new Float64Array(1);
    realm.view[0] = x;
    return realm.view;
  };
  const lazily = function* (value: Float64Array): Generator<number> {
    for (let k = 0; k < 200; k++) yield value[0] as number;
  };
  const lists = (x: number): Float64Array => {
    const realm = globalThis as { long?: Float64Array };
    realm.long ??= new Float64Array(200);
    return realm.long.fill(x);
  };
  for (const make of POOLS) {
    const pool = make();
    for (const fill of [...WAYS, late]) {
      const after = (items: readonly unknown[]): unknown[] => items.map(numberIn);
      expect(after(await pipeline(XS, { pool }).map(fill).toArray())).toEqual(XS);
      expect(after(await pipeline(XS, { pool }).map(fill).map(wait).toArray())).toEqual(XS);
      expect(after(await pipeline(XS, { pool }).map(fill).filter(wait).toArray())).toEqual(XS);
      expect(
        after(
          await pipeline(XS, { pool })
            .map(wait)
            .map(fill as never)
            .toArray(),
        ),
      ).toEqual(XS);
    }
    const all = XS.flatMap((x) => new Array<number>(200).fill(x));
    expect(
      await pipeline(XS, { pool })
        .map(WAYS[0] as never)
        .flatMap(lazily as never)
        .toArray(),
    ).toEqual(all);
    expect(await pipeline(XS, { pool }).flatMap(lists).toArray()).toEqual(all);
  }
});

describe('calls that one promise lets go on together give each its own result:', () => {
  interface Gate extends Scratch {
    gate?: Promise<unknown>;
  }
  // Each function writes to what its thread keeps after a promise that all calls of the thread await.
  const block = async (x: number): Promise<Float64Array> => {
    const realm = globalThis as Gate;
    realm.gate ??= new Promise((resolve) => setTimeout(resolve, 20));
    await realm.gate;
    realm.view ??= new Float64Array(1);
    realm.view[0] = x;
    for (const one of [0]) if (one === 0) return realm.view;
    return realm.view;
  };
  const { method } = {
    async method(x: number): Promise<Float64Array> {
      const realm = globalThis as Gate;
      realm.gate ??= new Promise((resolve) => setTimeout(resolve, 20));
      await realm.gate;
      realm.view ??= new Float64Array(1);
      realm.view[0] = x;
      try {
        return realm.view;
      } finally {
        realm.gate = undefined as never;
      }
    },
  };

  test.each(Object.entries({ block, method }))('%s', async (_, fill) => {
    for (const make of POOLS) {
      const pool = make();
      const made = await pipeline(XS, { pool }).map(fill).toArray();
      expect(made.map(numberIn)).toEqual(XS);
      const graph = taskGraph((g) => g.all(XS.map((x) => g.task(fill, x))));
      expect((await graph.with({ pool }).run()).map(numberIn)).toEqual(XS);
    }
  });

  test('lists of a flatMap, and items of an asynchronous generator', async () => {
    const list = async (x: number): Promise<Float64Array> => {
      const realm = globalThis as Gate;
      realm.gate ??= new Promise((resolve) => setTimeout(resolve, 20));
      await realm.gate;
      realm.view ??= new Float64Array(1);
      return realm.view.fill(x);
    };
    const items = async function* (x: number): AsyncGenerator<Float64Array> {
      const realm = globalThis as Gate;
      for (let k = 0; k < 40; k++) {
        realm.gate ??= new Promise((resolve) =>
          setTimeout(() => {
            realm.gate = undefined as never;
            resolve(0);
          }, 1),
        );
        await realm.gate;
        realm.view ??= new Float64Array(1);
        realm.view[0] = x + k;
        yield realm.view;
      }
    };
    for (const make of POOLS) {
      const pool = make();
      expect(await pipeline(XS, { pool }).flatMap(list).toArray()).toEqual(XS);
      const made = await pipeline([0, 100, 200], { pool }).flatMap(items).toArray();
      expect(made.map(numberIn)).toEqual([0, 100, 200].flatMap((x) => XS.map((k) => x + k)));
    }
  });
});

test('texts of any length and any characters pass between nodes with limits as they are', async () => {
  const texts = ['', 'a', '\ud83d', '\u0000é漢😀', ...[255, 256, 257, 5000].map((n) => 'é'.repeat(n))];
  const few = limit(2);
  for (const make of POOLS) {
    const graph = taskGraph((g) =>
      g.all(
        texts.map((text) =>
          g.with({ limit: few }).task(
            (x: string) => x,
            g.task((x: string) => `${x}`, text),
          ),
        ),
      ),
    );
    expect(await graph.with({ pool: make() }).run()).toEqual(texts);
  }
});
