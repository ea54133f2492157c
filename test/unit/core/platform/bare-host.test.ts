/** A runtime that has only what a host must have: pools run, end and crash on it; what it lacks is not asked for. */
import { afterEach, expect, test } from 'vitest';
import {
  environmentVariable,
  type PlatformHost,
  registerHost,
  type WorkerEvents,
} from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { ForkJoinPool } from '../../../../src/core/pool/fork-join-pool.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { serve, type ToWorker, type WorkerData } from '../../../../src/core/worker/serve.js';
import { Imitation } from '../../../helpers/imitated-threads.js';

const OPTIONAL = [
  'environment',
  'prepareImports',
  'flushConsole',
  'keepAlive',
  'hasPending',
  'allowListeners',
  'recording',
];
const OPTIONAL_OF_THREADS = ['ref', 'unref', 'drainMessages', 'isRunning'];

const without = (members: readonly string[], whole: object): never =>
  new Proxy(whole, {
    get: (target, key) => (members.includes(String(key)) ? undefined : Reflect.get(target, key)),
  }) as never;

const threads: Imitation[] = [];
registerHost(() => {
  const node = detectNode() as PlatformHost;
  return without(OPTIONAL, {
    ...node,
    spawn(options: never, events: WorkerEvents) {
      const thread = new Imitation(options, events, []);
      threads.push(thread);
      return without(OPTIONAL_OF_THREADS, {
        begin: (data: unknown) => thread.begin(data),
        post: (message: unknown) => thread.post(message),
        terminate: () => thread.exit(1),
      });
    },
    warn() {},
  });
});

afterEach(() => {
  threads.length = 0;
});

const half = forkable(import.meta.url, 'half', (n: number): number => n / 2);

test('there are no files for timelines', () => {
  expect(() => new ForkJoinPool({ parallelism: 1, trace: 'out.json' })).toThrow(
    'furcate: trace needs a runtime with files. Use trace(fn) of furcate/insight.',
  );
});

test('an invocation fails with its worker, and the next one begins anew', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const lost = pool.invoke(half, 8);
  for (const thread of threads) thread.exit(9);
  await expect(lost).rejects.toMatchObject({ name: 'WorkerCrashError', exitCode: 9 });
  expect(pool.invokeSync(half, 8)).toBe(4);
  expect(threads.length).toBe(4);
  await pool.terminate();
});

test('a worker serves, and ends', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const ready = pool.ready();
  const { data, events } = threads[0] as Imitation;
  const posted: unknown[] = [];
  const served = serve(
    data as WorkerData,
    {
      post(message: unknown) {
        posted.push(message);
        events.message(message);
      },
      onMessage(_: (message: ToWorker) => void) {},
      close: () => threads[0]?.exit(0),
    } as never,
  );
  await ready;
  expect(posted).toEqual([{ type: 'ready' }]);
  const closed = pool.close();
  await Promise.all([served, closed]);
});

test('there are no environment variables', () => {
  expect(environmentVariable('PATH')).toBeUndefined();
});
