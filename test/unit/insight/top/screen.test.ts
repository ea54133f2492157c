import { expect, test } from 'vitest';
import type { Snapshot } from '../../../../src/insight/channels/snapshot.js';
import { topScreen } from '../../../../src/insight/top/screen.js';

const snapshot: Snapshot = {
  version: 1,
  pid: 4321,
  thread: 0,
  program: 'app.mjs',
  takenMs: 1_000_000,
  ofMs: 500,
  heapBytes: 12_345_678,
  pools: [
    {
      name: 'furcate-1',
      parallelism: 2,
      inFlight: 3,
      queued: 1,
      oldestWaitMs: 1234,
      queueDepth: 12,
      waiting: 1,
      blocked: 0,
      steals: 1234.5,
      emptySteals: 0,
      roots: 2.04,
      threads: [
        { name: 'worker 1', busy: 1, task: 'fib', ms: 812.4 },
        { name: 'worker 2', busy: 0.26 },
      ],
    },
  ],
};

test('a screen has a line for each thread, and the numbers of its pool', () => {
  expect(topScreen([snapshot], 1_000_100)).toBe(
    [
      'app.mjs (4321), heap 12.3 MB',
      '',
      'pool furcate-1: 2 threads, busy 63 %',
      '  in flight 3   queued 1 (1.2 s)   to steal 12   waiting 1   blocked 0',
      '  begun 2.0/s   stolen 1,235/s   found nothing 0/s',
      '  worker 1   [####################] 100 %  fib, 812 ms',
      '  worker 2   [#####...............]  26 %  idle',
    ].join('\n'),
  );
});

test('it tells of several processes, of their threads, and of those that are late', () => {
  const text = topScreen([snapshot, { ...snapshot, thread: 7, takenMs: 990_000, pools: [] }], 1_000_100);
  expect(text).toContain('app.mjs (4321), heap');
  expect(text).toContain(
    'app.mjs (4321, thread 7), heap 12.3 MB, 10.1 s ago: its event loop is busy\n\nNo pool has threads now.',
  );
});

test('no name of a task or program reaches the terminal as a command, and lines are cut', () => {
  const odd = { ...snapshot, program: 'a\u001b[2Jb', pools: [] };
  expect(topScreen([odd], 1_000_100)).toMatch(/^a\?\[2Jb /);
  for (const line of topScreen([snapshot], 1_000_100, 30).split('\n')) expect(line.length).toBeLessThanOrEqual(30);
});
