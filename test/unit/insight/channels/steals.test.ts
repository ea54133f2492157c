import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test, vi } from 'vitest';
import { host, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { hooks } from '../../../../src/core/worker/extension.js';
import { turn } from '../../../helpers/event-loop.js';
import '../../../../src/insight/channels/index.js';

registerHost(detectNode);

const messages: object[] = [];
const listener = (message: unknown): void => void messages.push(message as object);

afterEach(() => {
  unsubscribe('furcate:steal', listener);
  vi.restoreAllMocks();
});

test('a pool that has the name of an earlier one is told of from its own begin', async () => {
  let nowMs = 0;
  vi.spyOn(host(), 'nowMs').mockImplementation(() => nowMs);
  subscribe('furcate:steal', listener);
  expect(channel('furcate:steal').hasSubscribers).toBe(true);
  for (const stolen of [5, 9, 2, 4]) {
    nowMs += 1000;
    const counts = { stolen, failedSteals: 0, emptySteals: 1 };
    hooks.told({ pool: 'same', task: 'task', result: Promise.resolve(), counts: () => counts } as never);
    await turn();
  }
  const of = { pool: 'same', failedSteals: 0 };
  expect(messages).toEqual([
    { ...of, ms: undefined, stolen: 5, emptySteals: 1 },
    { ...of, ms: 1000, stolen: 4, emptySteals: 0 },
    { ...of, ms: undefined, stolen: 2, emptySteals: 1 },
    { ...of, ms: 1000, stolen: 2, emptySteals: 0 },
  ]);
});
