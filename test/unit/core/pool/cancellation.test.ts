/** The cancellation of invocations, with workers on the thread of the test: nothing runs before the test lets a worker serve. */
import '../../../../src/extensions/async/index.js';
import '../../../../src/extensions/reports/index.js';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CancellationError } from '../../../../src/core/errors.js';
import { CANCELLED_BY_POOL } from '../../../../src/core/memory/record-kinds.js';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Invocations } from '../../../../src/core/pool/invocation.js';
import { poolSettings, type SubmitOptions } from '../../../../src/core/pool/options.js';
import type { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { asyncForkable } from '../../../../src/core/task/async-task.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { checkpoint } from '../../../../src/core/worker/checkpoint.js';
import { report } from '../../../../src/core/worker/report.js';
import { cancellationError } from '../../../../src/core/worker/requests.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { serveHere } from '../../../helpers/local-worker.js';

/** What the owner wants to do in the next turn of the event loop, which comes when the test says so if `holdsTurns` is set. */
const inNextTurn = new Set<() => void>();
let holdsTurns = false;

function runTurns(): void {
  for (const run of inNextTurn) run();
}

const node = detectNode() as PlatformHost;
registerHost(() => ({
  ...node,
  backgroundTimer(ms, callback) {
    if (ms > 0) return node.backgroundTimer(ms, callback);
    const run = (): void => {
      if (inNextTurn.delete(run)) callback();
    };
    inNextTurn.add(run);
    if (!holdsTurns) node.backgroundTimer(0, run);
    return () => inNextTurn.delete(run);
  },
  spawn: () => {
    throw new Error('the test is the worker');
  },
}));

/** Whatever ran, in order. */
let ran: unknown[] = [];
/** Called inside of a task. */
let meanwhile: () => void = () => {};

const note = forkable(import.meta.url, 'note', (x: number) => {
  ran.push(x);
  return x;
});
const interrupted = forkable(import.meta.url, 'interrupted', () => {
  meanwhile();
  checkpoint();
  ran.push('went on');
  return 'went on';
});
const reporting = forkable(import.meta.url, 'reporting', (n: number) => {
  for (let k = 0; k < n; k++) report(k);
  meanwhile();
  return n;
});
const reportingAsync = asyncForkable(import.meta.url, 'reportingAsync', async (scope, n: number) => {
  for (let k = 0; k < n; k++) scope.report(k);
  return n;
});

let group: WorkerGroup;
let invocations: Invocations;

const submit = (fn: unknown, args: unknown[] = [], options: SubmitOptions = {}, worker = 0): Promise<unknown> =>
  invocations.submit(taskOf('invoke', fn, args), options, 0, worker);

/** The error of a promise, which nobody else need handle. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => `no error but ${value}`,
    (error: unknown) => error,
  );

beforeEach(() => {
  ran = [];
  meanwhile = () => {};
  invocations = new Invocations(poolSettings({ parallelism: 2, name: 'p' }), () => {});
  group = invocations.group;
});

afterEach(() => {
  invocations.abandonAll(undefined);
});

test('cancelling what has not begun settles it at once, and it never runs', async () => {
  const controller = new AbortController();
  const cancelled = errorOf(submit(note, [1], { signal: controller.signal }));
  controller.abort('enough');
  controller.abort('more');
  expect(await cancelled).toMatchObject({ name: 'AbortError', cause: 'enough' });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(group.isInUse).toBe(false);
  await serveHere(group);
  expect(ran).toEqual([]);
});

test('cancelling what runs ends it at its next checkpoint, with the reason of the signal', async () => {
  const controller = new AbortController();
  meanwhile = () => controller.abort('enough');
  const cancelled = errorOf(submit(interrupted, [], { signal: controller.signal }));
  const other = submit(note, [1]);
  await serveHere(group);
  expect(await cancelled).toBeInstanceOf(CancellationError);
  expect(await cancelled).toMatchObject({ name: 'AbortError', cause: 'enough' });
  expect(await other).toBe(1);
  expect(ran).toEqual([1]);
});

test('a pool that is terminated asks what runs to stop, because its end may not stop it', async () => {
  meanwhile = () => invocations.cancelAll(CANCELLED_BY_POOL, cancellationError(CANCELLED_BY_POOL));
  const cancelled = [errorOf(submit(interrupted)), errorOf(submit(note, [1]))];
  await serveHere(group);
  for (const error of await Promise.all(cancelled)) expect(error).toMatchObject({ reason: 'terminate' });
  expect(ran).toEqual([]);
});

test('a cancellation comes once, however often the signal says so', async () => {
  const listeners: (() => void)[] = [];
  const signal = {
    aborted: false,
    reason: 'enough',
    addEventListener: (_: string, listener: () => void) => void listeners.push(listener),
    removeEventListener() {
      throw new Error('not of the platform');
    },
  };
  const [cancelled, other] = [errorOf(submit(note, [1], { signal: signal as never })), submit(note, [2])];
  for (let k = 0; k < 3; k++) listeners[0]?.();
  expect(await cancelled).toMatchObject({ name: 'AbortError', cause: 'enough' });
  expect(group.isInUse).toBe(true);
  await serveHere(group);
  expect(await other).toBe(2);
  listeners[0]?.();
  expect([group.isInUse, ran]).toEqual([false, [2]]);
});

test('cancelling what waits for a record leaves the others their turn', async () => {
  const controller = new AbortController();
  const n = 17_000;
  const all = Array.from({ length: n }, (_, k) =>
    errorOf(submit(note, [k], k === n - 2 ? { signal: controller.signal } : {})),
  );
  controller.abort();
  expect(await all[n - 2]).toBeInstanceOf(CancellationError);
  for (let k = 0; k < 3; k++) await serveHere(group);
  expect(await all[n - 1]).toBe(`no error but ${n - 1}`);
  expect(ran.length).toBe(n - 1);
  expect(ran).not.toContain(n - 2);
});

test('a time-out counts from the start of the call', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const late = errorOf(submit(note, [1], { timeoutMs: 100_000, startedMs: performance.now() - 60_000 }));
    const inTime = errorOf(submit(note, [2], { timeoutMs: 100_000 }));
    vi.advanceTimersByTime(50_000);
    expect(await late).toMatchObject({
      name: 'CancellationError',
      message: expect.stringContaining('timeoutMs = 100000'),
    });
    vi.useRealTimers();
    await serveHere(group);
    expect(await inTime).toBe('no error but 2');
  } finally {
    vi.useRealTimers();
  }
});

test('the error of a time-out names the module that a worker imports meanwhile, and the option preload', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    group.slowImports.add('file:///app/model.mjs');
    const calls = [submit(note, [1], { timeoutMs: 100 }), submit(note, [2], { timeoutMs: 100 })].map(errorOf);
    vi.advanceTimersByTime(100);
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({
        message: expect.stringMatching(
          /timeoutMs = 100\. A worker is still importing file:\/\/\/app\/model\.mjs\. .*preload: \['file:\/\/\/app\/model\.mjs'\]/,
        ),
      });
    expect(ran).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('a cancellation that does not end the work within its grace ends the workers', async () => {
  const because: string[] = [];
  group.endWorkers = (text) => void because.push(text);
  const controller = new AbortController();
  let checks = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  meanwhile = () => {
    controller.abort();
    for (const ms of [49, 1]) {
      vi.advanceTimersByTime(ms);
      checks++;
      expect(because.length).toBe(ms === 49 ? 0 : 1);
    }
  };
  try {
    const cancelled = errorOf(submit(interrupted, [], { signal: controller.signal, graceMs: 50 }));
    const served = serveHere(group);
    vi.useRealTimers();
    await served;
    expect(await cancelled).toBeInstanceOf(CancellationError);
    expect(checks).toBe(2);
    expect(because).toEqual(['interrupted had not stopped 50 ms after it was cancelled']);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['a synchronous', reporting],
  ['an asynchronous', reportingAsync],
])(
  'reports of %s task that has ended cost no worker, however long after an abort they are delivered',
  async (_, fn) => {
    const because: string[] = [];
    group.endWorkers = (text) => void because.push(text);
    const controller = new AbortController();
    const seen: unknown[] = [];
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    runTurns(); // what an earlier test has left
    holdsTurns = true;
    try {
      const onReport = (value: unknown): void => {
        seen.push(value);
        nowMs += 1000; // no more in this turn of the event loop
      };
      const cancelled = errorOf(submit(fn, [3], { signal: controller.signal, graceMs: 10, onReport }));
      await serveHere(group);
      expect(seen).toEqual([0]);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      controller.abort();
      vi.advanceTimersByTime(10_000);
      vi.useRealTimers();
      expect(because).toEqual([]);
      runTurns();
      expect(await cancelled).toBeInstanceOf(CancellationError);
      expect(seen).toEqual([0, 1, 2]);
    } finally {
      holdsTurns = false;
      vi.useRealTimers();
      clock.mockRestore();
    }
  },
);
