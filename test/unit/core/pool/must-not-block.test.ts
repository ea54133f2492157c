/** A thread that must not block, as the main thread of a browser. */
import { expect, test } from 'vitest';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Call } from '../../../../src/core/pool/call.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import { forkable } from '../../../../src/core/task/function-task.js';

registerHost(() => ({ ...(detectNode() as PlatformHost), mayBlock: () => false }));

const names = { promise: 'parallelFor', sync: 'parallelForSync' };
const echo = forkable(import.meta.url, 'echo', (x: number) => x);

test('Sync forms of algorithms are refused there, with the promise form as the cure', () => {
  expect(() => Call.admit({}, { form: 'sync', name: names.sync, names })).toThrow('Use await parallelFor() here');
  expect(() => Call.admit({}, { form: 'promise', name: names.promise, names })).not.toThrow();
});

test('invokeSync() is refused there, with invoke() as the cure', () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  expect(() => pool.invokeSync(echo, 1)).toThrow('Use await pool.invoke() here');
});
