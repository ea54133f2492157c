/** Stages that collect items, leave some out, or visit others. */
import type { Pipeline } from 'furcate/flows';
import { each, first, groups, type Keeping, MOST, type Stage } from './stage.js';

export const ORDERING = {
  batch: {
    add: (made, { size }) => made.batch(size).flatMap((list) => [...list]),
    *plainly(items, { size }, fail) {
      for (const list of groups(items, size, size, true, fail)) yield* list;
    },
  },
  window: {
    add: (made, { size, concurrency = 1 }) =>
      made.window(size, { step: concurrency }).map((list) => list.reduce((sum, x) => (3 * sum + x) % 100_003, 0)),
    *plainly(items, { size, concurrency = 1 }, fail) {
      for (const list of groups(items, size, concurrency, false, fail))
        if (list.length > 0) yield list.reduce((sum, x) => (3 * sum + x) % MOST, 0);
    },
    isOrderly: true,
  },
  distinct: {
    add: (made) => made.distinct({ by: (x) => (typeof x === 'number' ? x >> 1 : x) }),
    *plainly(items) {
      const seen = new Set<unknown>();
      for (const x of items) {
        const key = typeof x === 'number' ? x >> 1 : x;
        if (!seen.has(key)) yield x;
        seen.add(key);
      }
    },
    isOrderly: true,
  },
  take: {
    add: (made, { size }) => made.take(5 * size),
    *plainly(items, { size }) {
      let left = 5 * size;
      for (const x of items) {
        yield x;
        if (--left === 0) return;
      }
    },
    isOrderly: true,
  },
  drop: {
    add: (made, { size }) => made.drop(size),
    *plainly(items, { size }) {
      let left = size;
      for (const x of items) if (left-- <= 0) yield x;
    },
    isOrderly: true,
  },
  /** In any order. */
  expand: {
    add: (made, spec) =>
      first(
        made.expand((x, feed) => {
          const realm = globalThis as Keeping;
          if (x > 0 && x % 5 === 0) feed.add(x / 5, x / 5 + 1);
          realm.kept ??= new Float64Array(1);
          realm.kept[0] = x;
          return realm.kept;
        }, spec.options) as unknown as Pipeline<Float64Array>,
        spec,
      ),
    plainly(items, _, fail) {
      const visited = (x: number): number[] => [
        x,
        ...(x > 0 && x % 5 === 0 ? [x / 5, x / 5 + 1].flatMap(visited) : []),
      ];
      return each(items, visited, fail);
    },
    isMixed: true,
  },
  /** Breadth first: the source is an array, all of which has a place. */
  visits: {
    add: (made) =>
      made.expand(
        (x, feed) => {
          for (const next of [x + 7, x + 11]) if (next < 100) feed.add(next);
          return x;
        },
        { concurrency: 1, uniqueBy: (x) => x },
      ),
    *plainly(items, _, fail) {
      const frontier = [...each(items, (x) => [x], fail)] as number[];
      const seen = new Set<number>();
      for (const x of frontier) {
        if (seen.has(x)) continue;
        seen.add(x);
        yield x;
        for (const next of [x + 7, x + 11]) if (next < 100) frontier.push(next);
      }
    },
    isFirst: true,
    isOrderly: true,
  },
} as const satisfies Record<string, Stage>;
