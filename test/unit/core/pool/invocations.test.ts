/** Invocations, with workers on the thread of the test: nothing runs before the test lets a worker serve. */
import '../../../../src/extensions/reports/index.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RejectedExecutionError, WorkerCrashError } from '../../../../src/core/errors.js';
import { load, store } from '../../../../src/core/memory/atomics.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import {
  C_LOW,
  C_SLEEPERS,
  REQUEST_ROOT,
  STATE_IDLE,
  slotWord,
  W_EVENT,
  W_REQUESTS,
  W_STATE,
} from '../../../../src/core/memory/layout.js';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Invocations } from '../../../../src/core/pool/invocation.js';
import { type ForkJoinPoolOptions, poolSettings, type SubmitOptions } from '../../../../src/core/pool/options.js';
import type { WorkerGroup } from '../../../../src/core/pool/worker-group.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { checkpoint } from '../../../../src/core/worker/checkpoint.js';
import { report } from '../../../../src/core/worker/report.js';
import { taskOf } from '../../../../src/core/worker/scheduler.js';
import { serveHere } from '../../../helpers/local-worker.js';

registerHost(() => ({
  ...(detectNode() as PlatformHost),
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
const fail = forkable(import.meta.url, 'fail', (message: string): never => {
  throw new RangeError(message);
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
let group: WorkerGroup;
let invocations: Invocations;

function make(options: ForkJoinPoolOptions = {}): void {
  invocations = new Invocations(poolSettings({ parallelism: 2, name: 'p', ...options }), () => {});
  group = invocations.group;
}

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
  make();
});

afterEach(() => {
  invocations.abandonAll(undefined);
});

test('results and failures settle the promises, and leave nothing on the heap', async () => {
  const all = async (): Promise<void> => {
    const [result, failure] = [submit(note, [3]), errorOf(submit(fail, ['as it should']))];
    expect(group.isInUse).toBe(true);
    await serveHere(group);
    expect(await result).toBe(3);
    expect(await failure).toEqual(new RangeError('as it should'));
    expect(group.isInUse).toBe(false);
  };
  await all(); // publishes code, which stays
  const before = heapStats();
  await all();
  expect(heapStats()).toEqual(before);
});

test('invocations begin by priority, and in their order within one', async () => {
  const order = [
    ['low', 5],
    ['normal', 3],
    ['high', 1],
    ['normal', 4],
    ['high', 2],
    ['low', 6],
  ] as const;
  const all = order.map(([priority, x]) => submit(note, [x], { priority }));
  const low = (): number => group.memory.words[C_LOW] as number;
  expect(low()).toBe(2);
  await serveHere(group);
  await Promise.all(all);
  expect(ran).toEqual([1, 2, 3, 4, 5, 6]);
  expect(low()).toBe(0);
});

test('an invocation for one worker waits for that worker', async () => {
  const all = Promise.all([submit(note, [2], {}, 2), submit(note, [1], {}, 1)]);
  await serveHere(group, 1);
  expect(ran).toEqual([1]);
  await serveHere(group, 2);
  await all;
  expect(ran).toEqual([1, 2]);
});

test('more invocations than there are records run all the same', async () => {
  const n = 20_000;
  const all = Promise.all(Array.from({ length: n }, (_, k) => submit(note, [k])));
  for (let before = -1; ran.length > before; ) {
    before = ran.length;
    await serveHere(group);
  }
  expect(await all).toEqual(Array.from({ length: n }, (_, k) => k));
  expect(ran.length).toBe(n);
});

test('arguments that cannot travel are an error of their own invocation', async () => {
  const failure = errorOf(submit(note, [() => 1]));
  const result = submit(note, [2]);
  await serveHere(group);
  expect(await failure).toMatchObject({ name: 'NotShareableError' });
  expect(await result).toBe(2);
});

describe('when the workers are gone', () => {
  test('by a crash, all invocations fail with it, and it names them', async () => {
    const failures = [errorOf(submit(note, [1])), errorOf(submit(fail, ['x'], { priority: 'high' }))];
    const crash = { worker: { name: 'worker 1', error: new Error('gone') }, exitCode: 3, isReported: true };
    invocations.abandonAll(crash);
    for (const failure of failures) {
      expect(await failure).toBeInstanceOf(WorkerCrashError);
      expect(await failure).toMatchObject({ exitCode: 3, running: 'fail, note', cause: crash.worker.error });
    }
    expect(group.isInUse).toBe(false);
  });

  test('by an end of the pool, all are cancelled, each for its first reason', async () => {
    const controller = new AbortController();
    meanwhile = () => {
      controller.abort('first');
      invocations.abandonAll(undefined);
    };
    const inside = errorOf(submit(interrupted, [], { signal: controller.signal }));
    const waiting = errorOf(submit(note, [1]));
    await serveHere(group);
    expect(await waiting).toMatchObject({ name: 'CancellationError', message: 'furcate: the pool was terminated.' });
    expect(await inside).toMatchObject({ name: 'AbortError', cause: 'first' });
    make(); // the group's memory has a record of an invocation that is gone
  });
});

describe('maxQueue', () => {
  test('counts invocations that no worker can begin', async () => {
    make({ parallelism: 2, maxQueue: 1 });
    const all = [1, 2, 3].map((x) => submit(note, [x])); // two begin at once, as soon as the workers look
    expect(await errorOf(submit(note, [4]))).toBeInstanceOf(RejectedExecutionError);
    const held = submit(note, [5], { held: 'later' });
    await serveHere(group);
    await Promise.all([...all, held]);
    await Promise.all([submit(note, [6]), serveHere(group)]);
    expect(ran).toEqual([1, 2, 3, 5, 6]);
  });

  test('counts the first of the invocations of a call that holds the pool, and never refuses them', async () => {
    make({ parallelism: 1, maxQueue: 1 });
    const all = [
      submit(note, [0], { held: 'first' }),
      submit(note, [1], { held: 'later' }),
      submit(note, [2]),
      submit(note, [3], { held: 'first' }),
    ];
    expect(await errorOf(submit(note, [4]))).toBeInstanceOf(RejectedExecutionError);
    await serveHere(group);
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
  });

  test('0 refuses what would wait', async () => {
    make({ parallelism: 1, maxQueue: 0 });
    let inside: Promise<unknown> | undefined;
    meanwhile = () => {
      inside = errorOf(submit(note, [1]));
    };
    const outer = submit(interrupted);
    await serveHere(group);
    expect(await outer).toBe('went on');
    expect(await inside).toMatchObject({ message: expect.stringContaining("pool 'p' takes no more work") });
  });
});

describe('a submission', () => {
  const at = (slot: number, word: number): number => slotWord(group.memory.layout, slot) + word;
  const wakeUps = (slot: number): number => load(group.memory.words, at(slot, W_EVENT));
  beforeEach(() => {
    store(group.memory.words, at(2, W_STATE), STATE_IDLE);
    store(group.memory.words, C_SLEEPERS, 1);
  });

  test('wakes an idle worker', () => {
    void errorOf(submit(note, [1]));
    expect([wakeUps(1), wakeUps(2)]).toEqual([0, 1]);
  });

  test('for one worker wakes that one', () => {
    void errorOf(submit(note, [1], {}, 1));
    expect([wakeUps(1), wakeUps(2)]).toEqual([1, 0]);
  });

  test.each([
    ['of high priority', 'high', false],
    ['of normal priority while there is a low one', 'normal', true],
  ] as const)('%s asks workers to give way', (_, priority, isAfterLow) => {
    if (isAfterLow) void errorOf(submit(note, [1], { priority: 'low' }));
    const asked = (): number => load(group.memory.words, at(1, W_REQUESTS)) & REQUEST_ROOT;
    expect(asked()).toBe(0);
    void errorOf(submit(note, [2], { priority }));
    expect(asked()).toBe(REQUEST_ROOT);
  });
});

describe('reports', () => {
  test('that nobody listens to leave nothing behind', async () => {
    const all = (): Promise<unknown> => Promise.all([submit(reporting, [3]), serveHere(group)]);
    await all(); // publishes code, which stays
    const before = heapStats();
    await all();
    expect(heapStats()).toEqual(before);
  });

  test('that are still there when the workers end are delivered before their memory is freed', async () => {
    const seen: unknown[] = [];
    meanwhile = () => {
      expect(seen).toEqual([]);
      (invocations as unknown as { deliverRest(): void }).deliverRest();
      expect(seen).toEqual([0, 1]);
    };
    const result = submit(reporting, [2], { onReport: (value) => void seen.push(value) });
    const unheard = submit(note, [1]);
    await serveHere(group);
    expect(await Promise.all([result, unheard])).toEqual([2, 1]);
  });

  test('arrive in order, before the result', async () => {
    const seen: unknown[] = [];
    const result = submit(reporting, [5], { onReport: (value) => seen.push(value) }).then((n) =>
      seen.push(`${n} done`),
    );
    await serveHere(group);
    await result;
    expect(seen).toEqual([0, 1, 2, 3, 4, '5 done']);
  });

  test('whose listener throws cancel the invocation with that error', async () => {
    const onReport = (): never => {
      throw new RangeError('deaf');
    };
    const failure = errorOf(submit(reporting, [2], { onReport }));
    await serveHere(group);
    expect(await failure).toEqual(new RangeError('deaf'));
  });
});
