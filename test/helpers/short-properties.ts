/** For the fast part of the tests: each property has a part of its runs. */
import type fastCheck from 'fast-check';
import { vi } from 'vitest';

const PART = 0.1;

vi.mock('fast-check', async (original) => {
  const fc = ((await original()) as { default: typeof fastCheck }).default;
  return (await import('./short-runs.js')).withPartOfRuns(fc, PART);
});
