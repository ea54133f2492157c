/** Goes through the vertices of a level on all threads. The thread that reaches a vertex first puts it into the next level. */
import { parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import { type Search, UNREACHED } from './config.js';

interface Levels extends Search {
  readonly unreached: number;
}

const nextLevel = (level: number, { lengths }: Levels): number | undefined => {
  lengths[(level + 1) % 2] = 0;
  return lengths[level % 2] === 0 ? undefined : lengths[level % 2];
};

const visit = (lo: number, hi: number, level: number, context: Levels): void => {
  const { starts, targets, distances, unreached, levels, lengths } = context;
  const [now, next] = [levels[level % 2], levels[(level + 1) % 2]];
  const found: number[] = [];
  for (let i = lo; i < hi; i++) {
    for (let edge = starts[now[i]]; edge < starts[now[i] + 1]; edge++) {
      const w = targets[edge];
      // A plain look first, because most vertices have been reached.
      if (distances[w] !== unreached) continue;
      if (Atomics.compareExchange(distances, w, unreached, level + 1) === unreached) found.push(w);
    }
  }
  next.set(found, Atomics.add(lengths, (level + 1) % 2, found.length)); // once for each part, not for each vertex
};

export const ways: Ways<Search, void> = {
  async ''(search, pool) {
    const { root, distances, levels, lengths } = search;
    distances[root] = 0;
    levels[0][0] = root;
    lengths.set([1, 0]);
    await parallelRounds(nextLevel, visit, { pool, context: { ...search, unreached: UNREACHED } });
  },
};
