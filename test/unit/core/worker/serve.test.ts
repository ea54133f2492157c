/** How a worker starts and ends, on the thread of the test. */
import { expect, test, vi } from 'vitest';
import { openData } from '../../../../src/core/code/data-copy.js';
import { load, store } from '../../../../src/core/memory/atomics.js';
import { externalArrived } from '../../../../src/core/memory/external-buffers.js';
import {
  C_PHASE,
  CALLER_SLOT,
  PHASE_CRASHED,
  PHASE_KILLED,
  PHASE_STOP,
  slotWord,
  W_EVENT,
  W_EXITED,
  W_ONLINE,
} from '../../../../src/core/memory/layout.js';
import { host, type WorkerSide } from '../../../../src/core/platform/host.js';
import { poolSettings } from '../../../../src/core/pool/options.js';
import { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { serve, serveWhenSpawned, type WorkerData } from '../../../../src/core/worker/serve.js';
import { workerLocal } from '../../../../src/core/worker/worker-local.js';
import { thread } from '../../../../src/core/worker/worker-slot.js';
import { imitateThreads } from '../../../helpers/imitated-threads.js';

const { threads } = imitateThreads();
const SLOT = 2;

/** What a worker of a new group is told, and the worker's way back. The group stops, so the worker leaves as soon as it is up. */
function newWorker(changes: Partial<WorkerData> = {}): {
  group: WorkerGroup;
  data: WorkerData;
  side: WorkerSide;
  posted: unknown[];
  listeners: Record<'message' | 'exit' | 'uncaught', (value: never) => void>;
  calls: string[];
} {
  const group = new WorkerGroup(poolSettings({ parallelism: 2, name: 'p' }), { crashed() {}, releasing() {} });
  group.start();
  store(group.memory.words, C_PHASE, PHASE_STOP);
  const data = { ...(threads.at(-1)?.data as WorkerData), ...changes };
  const posted: unknown[] = [];
  const calls: string[] = [];
  const listeners = {} as Record<'message' | 'exit' | 'uncaught', (value: never) => void>;
  const side: WorkerSide = {
    post: (message) => void posted.push(message),
    onMessage: (listener) => {
      listeners.message = listener;
    },
    onExit: (listener) => {
      listeners.exit = listener;
    },
    onUncaught: (listener) => {
      listeners.uncaught = listener;
    },
    onUnhandledRejection() {},
    drainMessages: () => void calls.push('drain'),
    close: () => void calls.push('close'),
  };
  vi.spyOn(host(), 'flushConsole').mockReturnValue();
  return { group, data, side, posted, listeners, calls };
}

test('a worker says that it is up, serves, and closes its thread when the group stops', async () => {
  const { group, data, side, posted, calls } = newWorker();
  const { words, layout } = group.memory;
  expect(load(words, slotWord(layout, SLOT) + W_ONLINE)).toBe(0);
  await serve(data, side);
  expect(load(words, slotWord(layout, SLOT) + W_ONLINE)).toBe(1);
  expect(posted).toEqual([{ type: 'ready' }]);
  expect(calls).toEqual(['close']);
  expect(thread.own?.slot).toBe(SLOT);
  expect(thread.pool).toEqual({ name: 'p', parallelism: 2 });
});

test('the owner that looks for stalls hears by which number the operating system knows the thread, if it tells', async () => {
  for (const [isWatched, number, word] of [
    [true, 1234, 1234],
    [true, 0, 1],
    [false, 1234, 1],
  ] as const) {
    const { group, data, side } = newWorker({ isWatched });
    const asked = vi.spyOn(host(), 'osThread').mockReturnValue(number);
    await serve(data, side);
    expect(load(group.memory.words, slotWord(group.memory.layout, SLOT) + W_ONLINE)).toBe(word);
    expect(asked).toHaveBeenCalledTimes(isWatched ? 1 : 0);
    asked.mockRestore();
  }
});

test('a worker of another version refuses to start', async () => {
  const { data, side, posted } = newWorker({ version: '0.0.1' });
  await expect(serve(data, side)).rejects.toThrow(/a worker could not start: it runs furcate .*, the pool 0\.0\.1/);
  expect(posted).toEqual([]);
});

test('a worker imports what it is to preload before it is up', async () => {
  const preload = ['data:text/javascript,globalThis.furcatePreloaded = true'];
  const { data, side, posted } = newWorker({ preload });
  await serve(data, side);
  expect((globalThis as { furcatePreloaded?: boolean }).furcatePreloaded).toBe(true);
  expect(posted.length).toBe(1);
});

test('a worker that cannot preload a module does not start, and says why', async () => {
  const { data, side, posted } = newWorker({ preload: ['data:text/javascript,throw new Error("no such loader")'] });
  await expect(serve(data, side)).rejects.toThrow('furcate: a worker could not start: no such loader');
  expect(posted).toEqual([]);
});

test('an exit leaves its code behind, and wakes an owner that blocks', async () => {
  const { group, data, side, listeners } = newWorker();
  const { words, layout } = group.memory;
  await serve(data, side);
  const event = load(words, slotWord(layout, CALLER_SLOT) + W_EVENT);
  listeners.exit(5 as never);
  expect(load(words, slotWord(layout, SLOT) + W_EXITED)).toBe((5 << 1) | 1);
  expect(load(words, slotWord(layout, CALLER_SLOT) + W_EVENT)).toBe(event + 1);
});

test('an error that nothing caught is sent to the owner', async () => {
  const { data, side, listeners, posted } = newWorker();
  await serve(data, side);
  listeners.uncaught(new RangeError('too far') as never);
  const { type, error } = posted.at(-1) as { type: string; error: unknown };
  expect(type).toBe('threw');
  expect(openData(error)).toEqual(new RangeError('too far'));
});

test('external buffers arrive by messages, which the worker takes when it lacks one', async () => {
  const { data, side, listeners, calls } = newWorker();
  await serve(data, side);
  const id = data.external.last + 1;
  expect(externalArrived(id)).toBe(false);
  expect(calls).toEqual(['close', 'drain']);
  listeners.message({ type: 'external', id, buffer: new SharedArrayBuffer(8) } as never);
  expect(externalArrived(id)).toBe(true);
});

test('a thread that a pool has started serves', async () => {
  const { data, side, calls } = newWorker();
  const closed = new Promise<void>((resolve) => {
    side.close = resolve;
  });
  vi.spyOn(host(), 'onSpawned').mockImplementation((start) => start(data, side));
  serveWhenSpawned();
  await closed;
  expect(calls).toEqual([]);
});

test.each([
  ['stops', PHASE_STOP, ['dispose', 'close']],
  ['has crashed', PHASE_CRASHED, ['close']],
  ['is ended at once', PHASE_KILLED, ['close']],
])('a worker whose group %s ends its values only if it leaves by itself', async (_, phase, expected) => {
  const { group, data, side, calls } = newWorker();
  store(group.memory.words, C_PHASE, phase);
  const local = workerLocal(() => 'value', { dispose: () => void calls.push('dispose') });
  local.get();
  await serve(data, side);
  expect(calls).toEqual(expected);
});
