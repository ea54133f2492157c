/** Jobs as a thread knows them: for as long as they go on, and no longer. */
import { expect, test, vi } from 'vitest';
import { closeJob, forgetEndedJobs, jobKind, jobState, startJob } from '../../../../src/core/job/job.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { arenaOfThread } from '../../../../src/core/worker/worker-slot.js';

registerHost(detectNode);

const open = vi.fn((spec: { name: string }) => ({ of: spec.name }));
const KIND = jobKind('test', open);

test('a thread that is idle for a moment keeps what it has opened of jobs that go on, and drops those that have ended', () => {
  const arena = arenaOfThread();
  const [first, second] = ['first', 'second'].map((name) => startJob(KIND, { name }, 4, arena)) as [number, number];
  const states = [first, second].map((job) => jobState(job));
  for (let k = 0; k < 10; k++) {
    forgetEndedJobs();
    expect([first, second].map((job) => jobState(job))).toEqual(states);
  }
  expect(open).toHaveBeenCalledTimes(2);
  closeJob(first, arena);
  forgetEndedJobs();
  expect(() => jobState(first)).toThrow(/furcate: job .* has ended/);
  expect(jobState(second)).toBe(states[1]);
  closeJob(second, arena);
});
