// Branch and bound: a travelling salesman and a knapsack, each as a plain program and as tasks that share the best value. Both search in the same
// order with the same bound. Tasks fork the first choices only, and search the rest as the plain program does.
import { fork, forkable, join } from 'furcate';

const url = import.meta.url;

/** Tours that begin with fewer places are tasks. */
const FORKED_PLACES = 3;
/** Choices are tasks while more items than these are left, and the bound leaves both open. */
const PLAIN_ITEMS = 34;
/** A plain part looks at the best value every 64th node: a look costs a tenth of a node, and to be late by some nodes costs nothing. */
const LOOK_MASK = 63;

/** How many nodes this thread has visited in tasks. */
let visited = 0;
/** Where a plain part builds its solution: it joins nothing, so that no other task comes in between. */
const scratch = new Int32Array(128);

/** All tours, nearest places first. `rest` is the sum of the shortest ways out of the places that are left. */
export function plainTour({ distances, nearest, least }) {
  const n = least.length;
  const all = (1 << n) - 1;
  const path = new Int32Array(n);
  let best = Infinity;
  let solution = path;
  let nodes = 0;
  const visit = (here, visited, length, cost, rest) => {
    nodes++;
    if (visited === all) {
      if (cost + distances[here * n] < best) {
        best = cost + distances[here * n];
        solution = path.slice();
      }
      return;
    }
    for (let k = 0; k < n - 1; k++) {
      const next = nearest[here * n + k];
      if ((visited >> next) & 1) continue;
      const longer = cost + distances[here * n + next];
      if (longer + rest >= best) return; // and those that are farther are no better
      path[length] = next;
      visit(next, visited | (1 << next), length + 1, longer, rest - least[next]);
    }
  };
  visit(0, 1, 1, 0, sumFrom(least, 1));
  return { best, solution, nodes };
}

/** The plain program from the end of a path on. It looks at the best value of all threads every few nodes. */
function toursFrom(best, { distances, nearest, least }, start, cost, rest) {
  const n = least.length;
  const all = (1 << n) - 1;
  const path = scratch.subarray(0, n);
  path.set(start);
  let limit = best.value;
  let nodes = 0;
  const visit = (here, visited, length, cost, rest) => {
    if ((++nodes & LOOK_MASK) === 0) limit = best.value;
    if (visited === all) {
      if (cost + distances[here * n] < limit) {
        best.offer(cost + distances[here * n], path);
        limit = best.value;
      }
      return;
    }
    for (let k = 0; k < n - 1; k++) {
      const next = nearest[here * n + k];
      if ((visited >> next) & 1) continue;
      const longer = cost + distances[here * n + next];
      if (longer + rest >= limit) return;
      path[length] = next;
      visit(next, visited | (1 << next), length + 1, longer, rest - least[next]);
    }
  };
  let places = 0;
  for (const place of start) places |= 1 << place;
  visit(start[start.length - 1], places, start.length, cost, rest);
  visited += nodes;
}

/** All tours that begin with `path`. */
export const tour = forkable(url, 'tour', (best, map, path, cost, rest) => {
  if (cost + rest >= best.value) return;
  if (path.length >= FORKED_PLACES) {
    toursFrom(best, map, path, cost, rest);
    return;
  }
  visited++;
  const { distances, nearest, least } = map;
  const n = least.length;
  const here = path[path.length - 1];
  const forks = [];
  for (let k = n - 2; k >= 0; k--) {
    const next = nearest[here * n + k]; // the nearest last: a thread runs its newest fork first
    if (path.includes(next)) continue;
    const longer = cost + distances[here * n + next];
    if (longer + rest < best.value) forks.push(fork(tour, best, map, [...path, next], longer, rest - least[next]));
  }
  while (forks.length > 0) join(forks.pop());
});

function sumFrom(numbers, first) {
  let sum = 0;
  for (let k = first; k < numbers.length; k++) sum += numbers[k];
  return sum;
}

/** What items from `k` on can add at most, where a part of one may be taken; the items come by their value for the weight. */
function bound({ weights, values }, k, room, value) {
  const n = weights.length;
  for (; k < n; k++) {
    if (weights[k] > room) return Math.floor(value + (values[k] * room) / weights[k]);
    room -= weights[k];
    value += values[k];
  }
  return value;
}

/** Takes what fits, in order: the solution to begin with. */
export function greedy({ weights, values, room }) {
  const taken = new Int32Array(weights.length);
  let best = 0;
  for (let k = 0; k < weights.length; k++)
    if (weights[k] <= room) {
      taken[k] = 1;
      room -= weights[k];
      best += values[k];
    }
  return { best, taken };
}

/** Takes each item, or leaves it. */
export function plainPack(items) {
  const { weights, values } = items;
  const n = weights.length;
  let { best, taken: solution } = greedy(items);
  const taken = new Int32Array(n);
  let nodes = 0;
  const visit = (k, room, value) => {
    nodes++;
    if (k === n) {
      if (value > best) {
        best = value;
        solution = taken.slice();
      }
      return;
    }
    if (bound(items, k, room, value) <= best) return;
    if (weights[k] <= room) {
      taken[k] = 1;
      visit(k + 1, room - weights[k], value + values[k]);
      taken[k] = 0;
    }
    visit(k + 1, room, value);
  };
  visit(0, items.room, 0);
  return { best, solution, nodes };
}

/** The plain program from some item on. It looks at the best value of all threads every few nodes. */
function packFrom(best, items, start, room, value) {
  const { weights, values } = items;
  const n = weights.length;
  const taken = scratch.subarray(0, n);
  taken.set(start);
  let limit = best.value;
  let nodes = 0;
  const visit = (k, room, value) => {
    if ((++nodes & LOOK_MASK) === 0) limit = best.value;
    if (k === n) {
      if (value > limit) {
        best.offer(value, taken);
        limit = best.value;
      }
      return;
    }
    if (bound(items, k, room, value) <= limit) return;
    if (weights[k] <= room) {
      taken[k] = 1;
      visit(k + 1, room - weights[k], value + values[k]);
      taken[k] = 0;
    }
    visit(k + 1, room, value);
  };
  visit(start.length, room, value);
  visited += nodes;
}

/** All that can be packed beside `taken`, which decides the first items. */
export const pack = forkable(url, 'pack', (best, items, taken, room, value) => {
  const { weights, values } = items;
  const k = taken.length;
  if (weights.length - k <= PLAIN_ITEMS) {
    packFrom(best, items, taken, room, value);
    return;
  }
  if (bound(items, k, room, value) <= best.value) return;
  visited++;
  const without = [best, items, [...taken, 0], room, value];
  if (weights[k] > room) {
    pack(...without);
    return;
  }
  const withIt = [best, items, [...taken, 1], room - weights[k], value + values[k]];
  if (bound(items, k + 1, room, value) <= best.value) {
    pack(...withIt);
    return;
  }
  const later = fork(pack, ...without); // a thread runs its newest fork first, so this one last
  pack(...withIt);
  join(later);
});

export const tourTask = forkable(url, 'tourTask', (best, map) => tour(best, map, [0], 0, sumFrom(map.least, 1)));
export const packTask = forkable(url, 'packTask', (best, items) => {
  const { best: value, taken } = greedy(items);
  best.offer(value, taken);
  pack(best, items, [], items.room, 0);
});

/** How many nodes this thread has visited in tasks since it was last asked. */
export const takeVisited = forkable(url, 'takeVisited', () => {
  const count = visited;
  visited = 0;
  return count;
});

/** The plain program on a worker, to see what the machine gives. */
export const tourAlone = forkable(url, 'tourAlone', (map) => plainTour(map).best);
