import { test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { callWithPlainValues } from './plain-values.js';

test(
  'a call settles whatever sources, functions and options do, and leaves nothing in flight',
  () => callWithPlainValues({ seed: seedOfRun('plain values'), numRuns: 400, shrinks: false }),
  LONG_TEST_HANG_MS,
);
