import * as furcate from 'furcate';
import { describe, test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { SCENARIOS } from './scenarios.js';

const seed = seedOfRun('stress');

/** Generous: a machine that is busy takes its time, and a hang takes for ever. */

describe('under stress', () => {
  test.each(SCENARIOS)('$name', ({ run }) => run(furcate, seed, 1), LONG_TEST_HANG_MS);
});
