import { test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { runGraphs } from './task-graphs.js';

test(
  'a random graph gives what plain calls of its functions give, whichever fail, wait or are not chosen',
  () => runGraphs({ seed: seedOfRun('task graphs'), numRuns: 40 }),
  LONG_TEST_HANG_MS,
);
