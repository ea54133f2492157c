/** Suspicions that follow from the numbers of a profile, in words; on the thread that called `profile`. */
import type { Inflated } from './inflation.js';
import { shortNumber, type TaskProfile } from './numbers.js';

/** A task that takes so many times as long with all threads is suspect. */
const INFLATED = 1.3;
/** So much of all work has to be lost by that (part). */
const MATTERS = 0.1;
/** Tasks that take less are too short for the clock, which adds to them (us). Units of algorithms are measured many at a time. */
const SHORTEST_US = 5;

/** Costs of the tasks of a row. */
export interface InflatedTask {
  readonly task: TaskProfile;
  readonly costs: Inflated;
  readonly isOfAlgorithm: boolean;
}

const placeOf = ({ name, module, line }: TaskProfile): string =>
  [name, module === undefined ? '' : ` in ${module.split(/[/\\]/).at(-1)}`, line === undefined ? '' : `:${line}`].join(
    '',
  );

/** Tasks that take longer with all threads than on one, the worst first. */
export function suspicionsOf(rows: readonly InflatedTask[], threads: number): string[] {
  const work = rows.reduce((sum, { task, costs }) => sum + task.tasks * costs.alone, 0);
  const lostBy = ({ task, costs }: InflatedTask): number => task.tasks * (costs.together - costs.alone);
  return rows
    .filter(
      ({ costs, isOfAlgorithm }) =>
        costs.together >= INFLATED * costs.alone && (isOfAlgorithm || costs.alone >= SHORTEST_US),
    )
    .filter((row) => lostBy(row) >= MATTERS * work)
    .sort((a, b) => lostBy(b) - lostBy(a))
    .map(({ task, costs: { together, alone } }) => {
      const [factor, ...us] = [together / alone, together, alone].map(shortNumber);
      return `${placeOf(task)} takes ${factor} times as long on ${threads} threads as on one (${us.join(' us instead of ')} us): threads write to the same cache lines (false sharing), or wait for memory.`;
    });
}
