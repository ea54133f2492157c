/** Jobs that go on after their calls were cancelled. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEAF, DeafJobs } from '../../../../src/cluster/host/deaf-jobs.js';

const THREADS = 2;
/** Longer than a job may go on, and longer than the pool may have nothing else (milliseconds). */
const LONG_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let ended: string[] = [];
beforeEach(() => {
  ended = [];
});
const newJobs = (): DeafJobs =>
  new DeafJobs(THREADS, { onLeft: () => {}, onTooMany: ({ message }) => void ended.push(message) });
/** A job that was cancelled and goes on. @returns ends it */
async function deafIn(jobs: DeafJobs, isInPool: boolean): Promise<() => void> {
  let end = (): void => {};
  const computing = new Promise<void>((resolve) => {
    end = resolve;
  });
  const left = jobs.orLeft(computing, { what: 'it', isInPool }, AbortSignal.abort());
  await vi.advanceTimersByTimeAsync(2000);
  expect(await left).toBe(DEAF);
  return end;
}

test('a host ends itself whose threads all run tasks that go on', async () => {
  const jobs = newJobs();
  for (let k = 0; k < THREADS; k++) await deafIn(jobs, true);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(ended).toEqual([expect.stringMatching(/furcate: all 2 threads of the pool run tasks that go on/)]);
});

test('a host goes on that has a thread left, or gets one back in time', async () => {
  const jobs = newJobs();
  const end = await deafIn(jobs, true);
  for (let k = 0; k < THREADS; k++) await deafIn(jobs, false);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await deafIn(jobs, true);
  end();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(ended).toEqual([]);
  expect(jobs.areInPool).toBe(true);
});

test('a host ends itself that has many functions which go on', async () => {
  const jobs = newJobs();
  for (let k = 0; k < 17; k++) await deafIn(jobs, false);
  expect(ended).toEqual([expect.stringMatching(/furcate: 17 jobs go on/)]);
});
