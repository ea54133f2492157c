/**
 * How long something may take before it counts as hanging, in milliseconds. They say nothing of how fast a machine is: what
 * runs in a second on an idle one may take half a minute beside other work, and must pass there too.
 */

import { variable } from './environment.js';

/** One test, or one hook. */
export const TEST_HANG_MS = 120_000;

/**
 * One step of a test, which then says what hangs: a child process, a promise, a call that blocks. Where a bug is planted that lets a step hang,
 * FURCATE_HANG_MS says less.
 */
export const STEP_HANG_MS = Number(variable('FURCATE_HANG_MS') ?? 60_000);

/** A test that takes seconds to minutes even on an idle machine: an exploration, a build, a page, a round of stress. */
export const LONG_TEST_HANG_MS = 600_000;
