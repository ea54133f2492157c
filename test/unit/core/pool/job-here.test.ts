/** Jobs that run on the calling thread: what they report, and what they leave. */
import { expect, test, vi } from 'vitest';
import { addProgress, jobKind } from '../../../../src/core/job/job.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Call } from '../../../../src/core/pool/call.js';
import type { CallJob, JobPlan } from '../../../../src/core/pool/call-job.js';
import type { CallOptions } from '../../../../src/core/pool/call-options.js';
import { coreOf } from '../../../../src/core/pool/executor.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import type { CallTask } from '../../../../src/core/task/call-task.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { PROGRESS_MS } from '../../../../src/core/tuning.js';

registerHost(detectNode);

const KIND = jobKind('nothing', () => undefined);
function jobIn(
  pool: ForkJoinPool,
  root: JobPlan<number, object>['root'],
  options: CallOptions = {},
  total = 1,
): CallJob<number> {
  return new Call({ ...options, pool }).job({ total, kind: KIND, spec: {}, root, from: 0, sharedWords: 0 });
}
/** A pool whose workers are the calling thread. */
function poolThat(submit: (task: CallTask<number>) => Promise<unknown>): ForkJoinPool {
  const pool = new ForkJoinPool({ parallelism: 2 });
  vi.spyOn(coreOf(pool), 'submit').mockImplementation(submit as never);
  return pool;
}

const returns = forkable(import.meta.url, 'returns', (_job: number, _from: number) => 0);
const throws = forkable(import.meta.url, 'throws', (_job: number, _from: number): number => {
  throw new Error('as it should');
});

test.each([
  [
    'more than was counted',
    50,
    [
      [20, 50],
      [40, 50],
      [50, 50],
    ],
  ],
  [
    'what was counted',
    40,
    [
      [20, 40],
      [40, 40],
    ],
  ],
])('a Sync call of %s reports each interval once, and what is done at its end', (_, total, expected) => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const seen: number[][] = [];
  const steps = forkable(import.meta.url, 'steps', (job: number) => {
    for (let k = 1; k <= 4; k++) {
      now.mockReturnValue(1000 + (k * PROGRESS_MS) / 2);
      addProgress(job, 10);
    }
    return 0;
  });
  const onProgress = (...numbers: number[]): void => void seen.push(numbers);
  jobIn(new ForkJoinPool({ parallelism: 1 }), steps, { onProgress }, total).runSync();
  now.mockRestore();
  expect(seen).toEqual(expected);
});

test('a call on workers reports progress by a timer, and what is done at its end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const seen: number[][] = [];
    const submit = async (task: CallTask<number>): Promise<number> => {
      addProgress(task.args[0] as number, 7);
      vi.advanceTimersByTime(2 * PROGRESS_MS);
      return 0;
    };
    const onProgress = (...numbers: number[]): void => void seen.push(numbers);
    await jobIn(poolThat(submit), returns, { onProgress }, 10).run();
    vi.advanceTimersByTime(2 * PROGRESS_MS);
    expect(seen).toEqual([
      [7, 10],
      [10, 10],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['returns', returns],
  ['throws', throws],
])('a call that %s leaves nothing on the heap', async (_, work) => {
  const asynchronous = jobIn(
    poolThat(async (task) => task.compute()),
    work,
  );
  const synchronous = jobIn(new ForkJoinPool({ parallelism: 1 }), work);
  const outcomes = async (): Promise<unknown[]> => [
    await asynchronous.run().catch((error: Error) => error.message),
    await Promise.resolve()
      .then(() => synchronous.runSync())
      .catch((error: Error) => error.message),
  ];
  const first = await outcomes(); // publishes code, which stays
  expect(first[0]).toEqual(first[1]);
  const before = heapStats();
  expect(await outcomes()).toEqual(first);
  expect(heapStats()).toEqual(before);
});
