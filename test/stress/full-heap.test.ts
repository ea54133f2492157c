import { test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { seedOfRun } from '../helpers/seed.js';
import { fillHeaps } from './full-heap.js';

test(
  'whatever a process calls first while the heap is full, everything works once there is room',
  () => fillHeaps({ seed: seedOfRun('full heap'), numRuns: 15 }),
  LONG_TEST_HANG_MS,
);
