/** Opens lanes that run trees, and makes candidates of them; runs on the main thread. */
import type { Candidate } from '../harness/compare.js';
import { Lane } from '../harness/lane.js';
import type { TaskLane } from './task-lane.js';

const MODULE = new URL('./task-lane.ts', import.meta.url);

/** Opens a lane. */
export function taskLane(via: TaskLane['via'], parallelism = 1, manyClasses = false): Lane {
  const name = `${via} P=${parallelism}${manyClasses ? ', many classes' : ''}`;
  return new Lane(name, MODULE, { via, parallelism, manyClasses } satisfies TaskLane);
}

/** A candidate that does a piece of work in a lane. */
export const inLane = (name: string, lane: Lane, work: string, n: number, expected: number): Candidate => ({
  name,
  expected,
  run: () => lane.run(work, n),
});

/** A candidate that does a piece of work in several lanes at once. Its time is that of the slowest lane. */
export const inLanesAtOnce = (
  name: string,
  lanes: readonly Lane[],
  work: string,
  n: number,
  expected: number,
): Candidate => ({
  name,
  expected,
  async run() {
    const samples = await Promise.all(lanes.map((lane) => lane.run(work, n)));
    const wrong = samples.find(({ answer }) => answer !== expected);
    return { ms: Math.max(...samples.map(({ ms }) => ms)), answer: wrong === undefined ? expected : wrong.answer };
  },
});
