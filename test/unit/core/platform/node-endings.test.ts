/** How the end of a thread is seen: in Node, and in runtimes whose workers say too little of it, or too much. */
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Ending, watchEnding } from '../../../../src/core/platform/node-endings.js';

class FakeWorker extends EventEmitter {
  terminations = 0;
  performance: { eventLoopUtilization(): { idle: number; active: number } } | undefined;
  terminate(): void {
    this.terminations++;
  }
}

const NODE = {};
const BUN = { bun: '1.4.5' };
const DENO = { deno: '2.9.6' };

let worker: FakeWorker;
let heard: string[];
/** Has the thread said so itself? */
let hasLeft: boolean;
let due: Set<() => void>;

const watch = (versions: object): Ending =>
  watchEnding(
    worker as never,
    {
      leaving: (code) => void heard.push(`leaving ${code}`),
      exit: (code) => void heard.push(`exit ${code}`),
      runsOn: () => void heard.push('runs on'),
      hasLeft: () => hasLeft,
    },
    {
      versions,
      timer(_, callback) {
        due.add(callback);
        return () => void due.delete(callback);
      },
    },
  );

beforeEach(() => {
  worker = new FakeWorker();
  heard = [];
  hasLeft = false;
  due = new Set();
});

describe.each([
  ['Node', NODE],
  ['Bun', BUN],
])('%s', (_, versions) => {
  test('ends a thread at once, and an exit is an end', () => {
    const { terminate } = watch(versions);
    terminate();
    expect(worker.terminations).toBe(1);
    expect(heard).toEqual([]);
    worker.emit('exit', 1);
    expect(heard).toEqual(['exit 1']);
  });
});

describe('whether a thread runs', () => {
  test('is asked of the handle beneath a Worker of Node, until its exit', () => {
    let idle = 3;
    (worker as never as Record<symbol, object>)[Symbol('kHandle')] = { loopIdleTime: () => idle };
    const { isRunning } = watch(NODE);
    expect(isRunning?.()).toBe(true);
    idle = -1;
    expect(isRunning?.()).toBe(false);
    idle = 3;
    worker.emit('exit', 0);
    expect(isRunning?.()).toBe(false);
  });

  test('is asked of its utilization where there is no handle, once the worker was heard of', () => {
    let utilization = { idle: 0, active: 0 };
    worker.performance = { eventLoopUtilization: () => utilization };
    const { isRunning } = watch(NODE);
    expect(isRunning?.()).toBe(true);
    worker.emit('online');
    expect(isRunning?.()).toBe(false);
    utilization = { idle: 0, active: 2 };
    expect(isRunning?.()).toBe(true);
  });

  test.each([
    ['Bun, whose utilization is always zero', BUN],
    ['Deno, which has none', DENO],
  ])('is not asked in %s', (_, versions) => {
    worker.performance = {
      eventLoopUtilization() {
        throw new Error('asked');
      },
    };
    const ending = watch(versions);
    worker.emit('online');
    expect(ending.isRunning).toBeUndefined();
  });
});

describe('Deno, where a terminated thread computes on', () => {
  /** As time does; returns how often a timer was due. */
  function passTime(most = Number.POSITIVE_INFINITY): number {
    let rounds = 0;
    for (; due.size > 0 && rounds < most; rounds++) {
      const callbacks = [...due];
      due.clear();
      for (const callback of callbacks) callback();
    }
    return rounds;
  }

  test('lets a thread leave by itself', () => {
    const { terminate } = watch(DENO);
    terminate();
    passTime(5);
    hasLeft = true;
    worker.emit('exit', 7);
    expect(heard).toEqual(['exit 7']);
    expect([passTime(), worker.terminations]).toEqual([0, 0]);
  });

  test('terminates, once, a thread that does not leave, and says that it may run on', () => {
    const { terminate } = watch(DENO);
    terminate();
    terminate();
    expect([worker.terminations, heard, due.size]).toEqual([0, [], 1]);
    expect(passTime()).toBeGreaterThan(50);
    expect(worker.terminations).toBe(1);
    worker.emit('exit', 1);
    terminate();
    expect([heard, passTime(), worker.terminations]).toEqual([['leaving 1', 'runs on'], 0, 1]);
  });

  test('takes an exit for one when the thread has left, whoever has terminated it', () => {
    watch(DENO);
    worker.emit('exit', 1);
    passTime(5);
    expect(heard).toEqual(['leaving 1']);
    hasLeft = true;
    passTime();
    expect(heard).toEqual(['leaving 1', 'exit 1']);
  });

  test('does not wait for ever for a thread that somebody has terminated', () => {
    const { terminate } = watch(DENO);
    worker.emit('exit', 1);
    terminate();
    passTime();
    expect([heard, worker.terminations]).toEqual([['leaving 1', 'runs on'], 0]);
  });
});
