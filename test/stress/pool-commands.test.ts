/** Random sequences of what a program may do with a pool, against a plain model of it: see pool-commands/. */
import { describe, test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { playSequences } from './pool-commands/play.js';

const seed = seedOfRun('pool commands');

describe.each([1, 2, 3])('a pool of %i', (parallelism) => {
  test(
    'does what its model does, whatever is done with it in whatever order, and leaves nothing behind',
    () => playSequences({ parallelism, seed, numRuns: 10 }),
    LONG_TEST_HANG_MS,
  );
});
