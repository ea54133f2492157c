import * as furcate from 'furcate';
import { describe, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { SCENARIOS } from './scenarios.js';

const seed = seedOfRun('stress');

/** Generous: a machine that is busy takes its time, and a hang takes for ever. */
const TIMEOUT_MS = 120_000;

describe('under stress', () => {
  test.each(SCENARIOS)('$name', ({ run }) => run(furcate, seed, 1), TIMEOUT_MS);
});
