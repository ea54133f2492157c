// Two tasks that count at the same time, each in an element of its own, as far apart as the caller says.
import { checkpoint, fork, forkable, join } from 'furcate';

/** Waits for the other one, so that both count at the same time, and counts in the way of its name. */
const counting = (name, count) =>
  forkable(import.meta.url, name, (counters, meeting, at, times) => {
    Atomics.add(meeting, 0, 1);
    while (Atomics.load(meeting, 0) < 2) checkpoint(); // offers the other one to the other thread
    const startMs = performance.now();
    count(counters, at, times);
    return performance.now() - startMs;
  });

const both = (name, count) =>
  forkable(import.meta.url, name, (counters, meeting, distance, times) => {
    meeting[0] = 0;
    const other = fork(count, counters, meeting, distance, times);
    const own = count(counters, meeting, 0, times);
    return Math.max(own, join(other));
  });

const atomic = counting('atomic', (counters, at, times) => {
  for (let k = 0; k < times; k++) Atomics.add(counters, at, 1);
});
const plain = counting('plain', (counters, at, times) => {
  for (let k = 0; k < times; k++) counters[at]++;
});
const local = counting('local', (counters, at, times) => {
  let count = 0;
  for (let k = 0; k < times; k++) count++;
  counters[at] += count;
});

/** Each gives the time of the longer one (milliseconds). */
export const countAtomically = both('countAtomically', atomic);
export const countPlainly = both('countPlainly', plain);
export const countLocally = both('countLocally', local);
