/** fast-check with fewer runs, for a quick look at every property. */
import type fastCheck from 'fast-check';
import { TEST_HANG_MS } from './limits.js';

const USUAL_RUNS = 100;

type Parameters = { numRuns?: number; interruptAfterTimeLimit?: number };

/**
 * A module like `fc` whose properties have a part of their runs. One that counts what it came across names a time limit of its own,
 * `TEST_HANG_MS`, and has all of them.
 *
 * A time limit for each property would depend on how busy the machine is, and fast-check takes a property whose first run was cut off for a failure.
 */
export function withPartOfRuns(fc: typeof fastCheck, part: number): Record<string, unknown> {
  const assert = (property: never, parameters: Parameters = {}) => {
    const { numRuns = USUAL_RUNS, interruptAfterTimeLimit } = parameters;
    const runs = interruptAfterTimeLimit === TEST_HANG_MS ? numRuns : Math.ceil(numRuns * part);
    return fc.assert(property, { ...parameters, numRuns: runs } as never);
  };
  return { ...fc, assert, default: { ...fc, assert } };
}
