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

test('pools of one name, one after the other and at the same time, are each told of from their own begin', async () => {
  let nowMs = 0;
  vi.spyOn(host(), 'nowMs').mockImplementation(() => nowMs);
  subscribe('furcate:steal', listener);
  expect(channel('furcate:steal').hasSubscribers).toBe(true);
  const pools = [{}, {}];
  for (const [of, stolen] of [
    [0, 5],
    [0, 9],
    [1, 20],
    [0, 10],
    [1, 22],
  ] as const) {
    nowMs += 1000;
    const counts = { stolen, failedSteals: 0, emptySteals: 1 };
    hooks.told({
      of: pools[of] as object,
      pool: 'same',
      task: 'task',
      result: Promise.resolve(),
      counts: () => counts,
    });
    await turn();
  }
  const of = { pool: 'same', failedSteals: 0 };
  expect(messages).toEqual([
    { ...of, ms: undefined, stolen: 5, emptySteals: 1 },
    { ...of, ms: 1000, stolen: 4, emptySteals: 0 },
    { ...of, ms: undefined, stolen: 20, emptySteals: 1 },
    { ...of, ms: 2000, stolen: 1, emptySteals: 0 },
    { ...of, ms: 2000, stolen: 2, emptySteals: 0 },
  ]);
});
