import { variable } from './environment.js';

/** The seed of a run: printed, so that a failure can be repeated with FURCATE_SEED=n. */
export function seedOfRun(what: string): number {
  const given = variable('FURCATE_SEED');
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  console.log(`${what}: FURCATE_SEED=${seed}`);
  return seed;
}
