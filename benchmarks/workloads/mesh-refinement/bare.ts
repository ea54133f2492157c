/** The steps by hand: patches by a counter, and a barrier behind each step, where the last worker refines the mesh. */
import type { Bare } from '../team.js';
import type { Front } from './config.js';
import { prepare, stepPatches } from './sequential.js';

/** Patches that a worker takes at once. */
const PART = 8;

export const bare: Bare<Front> = (front, team) => {
  for (let step = 0; step < front.steps; step++) {
    team.barrier(() => prepare(step, front));
    for (const [lo, hi] of team.parts(front.count[0], PART)) stepPatches(lo, hi, step, front);
  }
  team.barrier();
};
