/** A queue of vertices whose neighbours have not been looked at. */
import { type Search, UNREACHED } from './config.js';

export function sequential({ starts, targets, root, distances, levels: [queue] }: Search): void {
  let tail = 0;
  queue[tail++] = root;
  distances[root] = 0;
  for (let head = 0; head < tail; head++) {
    const v = queue[head];
    for (let edge = starts[v]; edge < starts[v + 1]; edge++) {
      const w = targets[edge];
      if (distances[w] !== UNREACHED) continue;
      distances[w] = distances[v] + 1;
      queue[tail++] = w;
    }
  }
}
