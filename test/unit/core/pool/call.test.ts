/** How a call gets to its pool: what it leaves when it does not. */
import { beforeEach, expect, test, vi } from 'vitest';
import { CancellationError, RejectedExecutionError } from '../../../../src/core/errors.js';
import { jobKind } from '../../../../src/core/job/job.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Call } from '../../../../src/core/pool/call.js';
import { type CallJob, codesOf } from '../../../../src/core/pool/call-job.js';
import { coreOf } from '../../../../src/core/pool/executor.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import { forkable } from '../../../../src/core/task/function-task.js';

registerHost(detectNode);

vi.mock('../../../../src/core/pool/worker-group.js', () => ({
  shareWithWorkers(): void {},
  WorkerGroup: class {
    constructor() {
      throw new Error('a worker group was made');
    }
  },
}));

const KIND = jobKind('nothing', () => undefined);
const root = forkable(import.meta.url, 'root', (_job: number, _from: number) => 0);
const jobIn = (pool: ForkJoinPool, spec: object): CallJob<number> =>
  new Call({ pool }).job({ total: 1, kind: KIND, spec, root, from: 0, sharedWords: 0 });
const unencodable = { f: () => 1 };

beforeEach(() => {
  sharedArray(Int32Array, 1);
});

test('a call whose job cannot be made submits nothing', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const submit = vi.spyOn(coreOf(pool), 'submit').mockResolvedValue(0);
  await expect(jobIn(pool, unencodable).run()).rejects.toThrow(/cloned/);
  expect(submit).not.toHaveBeenCalled();
  await jobIn(pool, {}).run();
  expect(submit).toHaveBeenCalledOnce();
});

test('a call to a closed pool makes nothing', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  await pool.close();
  const before = heapStats();
  await expect(jobIn(pool, unencodable).run()).rejects.toThrow(RejectedExecutionError);
  expect(() => jobIn(pool, unencodable).runSync()).toThrow(RejectedExecutionError);
  expect(heapStats()).toEqual(before);
});

test('a signal that is aborted already is refused before anything starts', () => {
  const signal = AbortSignal.abort('why');
  const names = { promise: 'parallelFor', sync: 'parallelForSync' };
  const callee = { form: 'promise', name: names.promise, names } as const;
  expect(() => Call.admit({ signal }, callee)).toThrow(CancellationError);
  expect(() => Call.admit({ signal: new AbortController().signal }, callee)).not.toThrow();
});

test('the codes of a call are those of its functions and of its contexts', () => {
  expect(codesOf({ fn: { code: 3 }, context: { codes: [5, 8] }, none: null, xs: new Float64Array(1), n: 4 })).toEqual([
    3, 5, 8,
  ]);
});
