import { describe, test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { type Furcate, TINY_SCENARIOS } from './scenarios.js';
import { ensureTinyBuild } from './tiny-build.js';

const furcate = (await import(await ensureTinyBuild())) as Furcate;
const seed = seedOfRun('stress with few records');

/** Generous: a machine that is busy takes its time, and a hang takes for ever. */

describe('under stress, with six records and rings of eight entries', () => {
  test.each(TINY_SCENARIOS)('$name', ({ run }) => run(furcate, seed, 1), LONG_TEST_HANG_MS);
});
