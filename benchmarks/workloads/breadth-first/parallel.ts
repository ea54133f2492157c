/** Goes through the vertices of a level on all threads. The thread that reaches a vertex first puts it into the next level. */
import { parallelRounds, sharedArray } from 'furcate';
import type { Ways } from '../workload.js';
import { type Search, UNREACHED } from './config.js';

interface Levels extends Search {
  readonly unreached: number;
  /** The vertices of even levels, and those of odd ones. */
  readonly even: Uint32Array;
  readonly odd: Uint32Array;
  /** How many vertices the last even level has, and the last odd one. */
  readonly counts: Uint32Array;
}

const nextLevel = (level: number, { counts }: Levels): number | undefined => {
  counts[(level + 1) % 2] = 0;
  return counts[level % 2] === 0 ? undefined : counts[level % 2];
};

const visit = (lo: number, hi: number, level: number, context: Levels): void => {
  const { starts, targets, distances, unreached, even, odd, counts } = context;
  const [now, next] = level % 2 === 0 ? [even, odd] : [odd, even];
  const found: number[] = [];
  for (let i = lo; i < hi; i++) {
    for (let edge = starts[now[i]]; edge < starts[now[i] + 1]; edge++) {
      const w = targets[edge];
      // A plain look first, because most vertices have been reached.
      if (distances[w] !== unreached) continue;
      if (Atomics.compareExchange(distances, w, unreached, level + 1) === unreached) found.push(w);
    }
  }
  next.set(found, Atomics.add(counts, (level + 1) % 2, found.length)); // once for each part, not for each vertex
};

export const ways: Ways<Search, void> = {
  async ''(search, pool) {
    const [even, odd] = [sharedArray(Uint32Array, search.vertices), sharedArray(Uint32Array, search.vertices)];
    const counts = sharedArray(Uint32Array, [1, 0]);
    even[0] = search.root;
    search.distances[search.root] = 0;
    await parallelRounds(nextLevel, visit, { pool, context: { ...search, unreached: UNREACHED, even, odd, counts } });
  },
};
