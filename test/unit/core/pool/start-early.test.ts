/** Workers that start while a call is still being prepared. */
import { beforeEach, expect, test, vi } from 'vitest';
import { RejectedExecutionError } from '../../../../src/core/errors.js';
import { C_OBSERVED } from '../../../../src/core/memory/layout.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Call } from '../../../../src/core/pool/call.js';
import type { Callee, CallOptions } from '../../../../src/core/pool/call-options.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';

registerHost(detectNode);

const seen = vi.hoisted(() => ({ starts: 0, stopped: () => {} }));

vi.mock('../../../../src/core/pool/worker-group.js', () => ({
  shareWithWorkers(): void {},
  WorkerGroup: class {
    started = false;
    isInUse = false;
    memory = { hasCrashed: false, words: new Int32Array(C_OBSERVED + 1) };
    start(): void {
      if (!this.started) seen.starts++;
      this.started = true;
    }
    async stop(): Promise<void> {
      seen.stopped();
    }
  },
}));
vi.mock('../../../../src/core/pool/invocation.js', async (original) => ({
  ...((await original()) as object),
  Invocations: class {
    readonly group = new WorkerGroup({} as never, {} as never);
    readonly overview = { settings: {} };
  },
}));
vi.mock('../../../../src/core/pool/stats.js', () => ({
  PoolStats: class {
    add(): void {}
  },
}));

const names = { promise: 'parallelFor', sync: 'parallelForSync' };
const callOf = (form: Callee['form'], options: CallOptions): Call =>
  Call.admit(options, { form, name: names[form], names });

beforeEach(() => {
  seen.starts = 0;
});

test('start once, and end after a time without a call', async () => {
  const stopped = new Promise<void>((resolve) => {
    seen.stopped = resolve;
  });
  const alive = setInterval(() => {}, 1000); // a timer of the pool keeps no event loop alive
  const pool = new ForkJoinPool({ parallelism: 2, keepAliveMs: 1 });
  callOf('promise', { pool }).startEarly();
  callOf('sync', { pool }).startEarly();
  expect(seen.starts).toBe(1);
  await stopped;
  clearInterval(alive);
});

test('are not needed where the caller is the only thread', () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  callOf('sync', { pool }).startEarly();
  expect(seen.starts).toBe(0);
  callOf('promise', { pool }).startEarly();
  expect(seen.starts).toBe(1);
});

test('do not start in a closed pool', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  await pool.close();
  expect(() => callOf('promise', { pool }).startEarly()).toThrow(RejectedExecutionError);
  expect(seen.starts).toBe(0);
});
