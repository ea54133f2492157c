import { describe, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { type Furcate, TINY_SCENARIOS } from './scenarios.js';
import { ensureTinyBuild } from './tiny-build.js';

const furcate = (await import(await ensureTinyBuild())) as Furcate;
const seed = seedOfRun('stress with few records');

/** Generous: a machine that is busy takes its time, and a hang takes for ever. */
const TIMEOUT_MS = 120_000;

describe('under stress, with six records and rings of two entries', () => {
  test.each(TINY_SCENARIOS)('$name', ({ run }) => run(furcate, seed, 1), TIMEOUT_MS);
});
