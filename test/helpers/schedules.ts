/** Schedules of the simulated core, for properties: who steals what, and how fine the tasks are. */
import fc from 'fast-check';
import { reset } from './simulated-core.js';

/** The threshold also sends small arrays to the pool. */
export const schedule = fc.record({
  seed: fc.integer(),
  parallelism: fc.constantFrom(1, 2, 3, 5, 16),
  stealing: fc.constantFrom(0, 0.5, 1),
  requests: fc.constantFrom(0, 0.5, 1),
  threshold: fc.constantFrom(1, 7, 64, 1000),
});

/** The same, and adaptive thresholds, with which small arrays may stay on the caller. */
export const anySchedule = schedule.chain(({ threshold, ...changes }) =>
  fc.record({ threshold: fc.constantFrom(undefined, threshold) }).map((given) => ({ ...changes, ...given })),
);

export type Schedule = typeof schedule extends fc.Arbitrary<infer S> ? S : never;

/** Sets the simulation to a schedule; returns the options that belong to it. */
export function follow({ threshold, ...changes }: Schedule): { threshold: number } {
  reset(changes);
  return { threshold };
}
