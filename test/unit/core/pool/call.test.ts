/** How a call gets to its pool: what it leaves when it does not. */
import { beforeEach, expect, test, vi } from 'vitest';
import { jobKind } from '../../../../src/core/call/job.js';
import { RejectedExecutionError } from '../../../../src/core/errors.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { runJob, runJobSync } from '../../../../src/core/pool/call.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import { forkable } from '../../../../src/core/task/function-task.js';

registerHost(detectNode);

vi.mock('../../../../src/core/pool/worker-group.js', () => ({
  WorkerGroup: class {
    constructor() {
      throw new Error('a worker group was made');
    }
  },
}));

const KIND = jobKind('nothing', () => undefined);
const root = forkable(import.meta.url, 'root', (_job: number, _lo: number, _hi: number) => 0);
const unencodable = { f: () => 1 };

beforeEach(() => {
  sharedArray(Int32Array, 1);
});

test('a call whose job cannot be made submits nothing', async () => {
  const submit = vi.fn();
  const pool = { submit, checkOpen() {} } as unknown as ForkJoinPool;
  await expect(runJob({ pool }, 1, KIND, unencodable, root, 0, 1)).rejects.toThrow(/cloned/);
  expect(submit).not.toHaveBeenCalled();
  await runJob({ pool }, 1, KIND, {}, root, 0, 1);
  expect(submit).toHaveBeenCalledOnce();
});

test('a call to a closed pool makes nothing', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  await pool.close();
  const before = heapStats();
  await expect(runJob({ pool }, 1, KIND, unencodable, root, 0, 1)).rejects.toThrow(RejectedExecutionError);
  expect(() => runJobSync({ pool }, 1, KIND, unencodable, root, 0, 1)).toThrow(RejectedExecutionError);
  expect(heapStats()).toEqual(before);
});
