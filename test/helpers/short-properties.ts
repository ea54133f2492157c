/**
 * For the fast part of the tests: each property has a part of its runs. One that counts what it came across names a time limit
 * of its own, `TEST_HANG_MS`, and has all of them.
 *
 * A time limit for each property would depend on how busy the machine is, and fast-check takes a property whose first run was
 * cut off for a failure.
 */
import type fastCheck from 'fast-check';
import { vi } from 'vitest';
import { TEST_HANG_MS } from './limits.js';

const PART = 0.1;
const USUAL_RUNS = 100;

type Parameters = { numRuns?: number; interruptAfterTimeLimit?: number };

vi.mock('fast-check', async (original) => {
  const fc = ((await original()) as { default: typeof fastCheck }).default;
  const assert = (property: never, parameters: Parameters = {}) => {
    const { numRuns = USUAL_RUNS, interruptAfterTimeLimit } = parameters;
    const runs = interruptAfterTimeLimit === TEST_HANG_MS ? numRuns : Math.ceil(numRuns * PART);
    return fc.assert(property, { ...parameters, numRuns: runs } as never);
  };
  return { ...fc, assert, default: { ...fc, assert } };
});
