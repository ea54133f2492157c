import { test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { runPipelines } from './pipelines/play.js';

test(
  'random pipelines, several at once, give what plain loops give, whatever their workers and readers do',
  () => runPipelines({ seed: seedOfRun('pipelines'), numRuns: 10 }),
  LONG_TEST_HANG_MS,
);
