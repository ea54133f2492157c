/** The levels by hand: parts of a level by a counter, and a barrier behind it. */
import type { Bare } from '../team.js';
import { type Search, UNREACHED } from './config.js';

const PART = 512;

/** @param input with room for two levels, and for their lengths, which all workers share */
export const bare: Bare<Search> = ({ starts, targets, root, distances, levels, lengths }, team) => {
  team.barrier(() => {
    distances[root] = 0;
    levels[0][0] = root;
    lengths.set([1, 0]);
  });
  for (let level = 0; lengths[level % 2] > 0; level++) {
    const [now, next] = [levels[level % 2], levels[(level + 1) % 2]];
    for (const [lo, hi] of team.parts(lengths[level % 2], PART)) {
      const found: number[] = [];
      for (let i = lo; i < hi; i++) {
        for (let edge = starts[now[i]]; edge < starts[now[i] + 1]; edge++) {
          const w = targets[edge];
          if (distances[w] !== UNREACHED) continue;
          if (Atomics.compareExchange(distances, w, UNREACHED, level + 1) === UNREACHED) found.push(w);
        }
      }
      next.set(found, Atomics.add(lengths, (level + 1) % 2, found.length));
    }
    team.barrier(() => {
      lengths[level % 2] = 0;
    });
  }
};
