/** A worker's side of the messages between it and its owner. */
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { WORKER_MARK } from '../../../../src/core/platform/node-script.js';
import { whenSpawned } from '../../../../src/core/platform/node-threads.js';

const { getBuiltinModule } = process;

afterEach(() => void vi.restoreAllMocks());

test('messages are taken in order, and only when the worker asks: an event loop that holds one would lose its turn', async () => {
  const { port1, port2 } = new MessageChannel();
  const workerData = { [WORKER_MARK]: { data: 'begin', port: port2 } };
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) => {
    const found = getBuiltinModule(name);
    return name === 'node:worker_threads' ? { ...(found as object), workerData } : found;
  }) as never);
  const heard: unknown[] = [];
  let take = (): void => {};
  whenSpawned(({ data }, side) => {
    heard.push(data);
    side.onMessage((message) => heard.push(message));
    take = () => side.drainMessages?.();
  });
  for (const message of [1, 2, 3]) port1.postMessage(message);
  for (let turns = 0; turns < 5; turns++) await new Promise((resume) => setImmediate(resume));
  expect(heard).toEqual(['begin']);
  take();
  expect(heard).toEqual(['begin', 1, 2, 3]);
  port1.close();
});
