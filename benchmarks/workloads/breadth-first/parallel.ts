/** Goes through the vertices of a level on all threads. The thread that reaches a vertex first puts it into the next level. */
import { parallelForRange, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import { type Search, UNREACHED } from './config.js';

interface Level extends Search {
  readonly unreached: number;
  readonly level: number;
  readonly now: Uint32Array;
  readonly next: Uint32Array;
  /** How many vertices the next level has. */
  readonly count: Uint32Array;
}

const visit = (lo: number, hi: number, context: Level): void => {
  const { starts, targets, distances, unreached, level, now, next, count } = context;
  const found: number[] = [];
  for (let i = lo; i < hi; i++) {
    for (let edge = starts[now[i]]; edge < starts[now[i] + 1]; edge++) {
      const w = targets[edge];
      // A plain look first, because most vertices have been reached.
      if (distances[w] !== unreached) continue;
      if (Atomics.compareExchange(distances, w, unreached, level) === unreached) found.push(w);
    }
  }
  next.set(found, Atomics.add(count, 0, found.length)); // once for each part, not for each vertex
};

export const ways: Ways<Search, void> = {
  async ''(search, pool) {
    let now = sharedArray(Uint32Array, search.vertices);
    let next = sharedArray(Uint32Array, search.vertices);
    const count = sharedArray(Uint32Array, 1);
    now[0] = search.root;
    search.distances[search.root] = 0;
    for (let level = 1, length = 1; length > 0; level++) {
      count[0] = 0;
      await parallelForRange(length, visit, {
        pool,
        context: { ...search, unreached: UNREACHED, level, now, next, count },
      });
      [now, next] = [next, now];
      length = count[0];
    }
  },
};
