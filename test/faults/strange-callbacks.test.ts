/** Callbacks and signals that throw: the call that owns them rejects with that, once nothing of it runs any more. */
import {
  type AsyncForkable,
  type Forkable,
  type ForkJoinPool,
  parallelFor,
  parallelForSync,
  parallelInvoke,
  parallelMap,
  parallelReduce,
  parallelSort,
  parallelSortBy,
  parallelTopK,
  task as taskOf,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell } from '../helpers/words.js';

const { echo } = await fixture<{ readonly echo: Forkable<[value: number], number> }>('holding.mjs');
const { nested } = await fixture<{
  readonly nested: AsyncForkable<[form: string, values: readonly number[], options: object], unknown>;
}>('values.mjs');
const poolOf = poolMaker('close');
const away = { graceMs: STEP_HANG_MS }; // with a grace, never on the caller

const CALLS: Readonly<Record<string, (pool: ForkJoinPool, signal: never) => Promise<unknown>>> = {
  invoke: (pool, signal) => pool.invoke(taskOf(echo, 1), { signal }),
  parallelInvoke: (pool, signal) => parallelInvoke([taskOf(echo, 1), taskOf(echo, 2)], { pool, signal }),
  parallelFor: (pool, signal) => parallelFor(1000, () => {}, { pool, signal, ...away }),
  'parallelFor with progress': (pool, signal) =>
    parallelFor(1000, () => {}, { pool, signal, onProgress() {}, ...away }),
  'parallelMap of plain values': (pool, signal) => parallelMap([1, 2, 3], (x) => x, { pool, signal, ...away }),
  'parallelReduce of plain values': (pool, signal) =>
    parallelReduce([1, 2, 3], (a, b) => a + b, 0, { pool, signal, ...away }),
  parallelSortBy: (pool, signal) =>
    parallelSortBy(
      Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 100_003),
      (x) => x,
      { pool, signal },
    ),
};

/** A signal, one of whose members throws from the k-th use on. */
function strange(member: string, from = 1): { readonly signal: never; readonly listeners: (() => void)[] } {
  const listeners: (() => void)[] = [];
  let uses = 0;
  const use = (name: string): void => {
    if (name === member && ++uses >= from) throw new Error(`strange ${member}`);
  };
  const signal = {
    get aborted() {
      use('aborted');
      return false;
    },
    get reason() {
      use('reason');
      return 'enough';
    },
    addEventListener(_: string, listener: () => void) {
      use('addEventListener');
      listeners.push(listener);
    },
    removeEventListener: () => use('removeEventListener'),
  };
  return { signal: signal as never, listeners };
}

describe.each(Object.entries(CALLS))('%s:', (_name, call) => {
  test.each([
    ['aborted', 1],
    ['aborted', 2],
    ['aborted', 3],
    ['addEventListener', 1],
    ['removeEventListener', 1],
  ])('a signal whose %s throws at its use %i rejects it, and leaves nothing in flight', async (member, from) => {
    const pool = poolOf(2);
    const error = await errorOf(call(pool, strange(member, from).signal));
    expect(error).toMatchObject({ message: `strange ${member}` });
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });

  test('a signal whose reason throws rejects it, and the abort throws nothing', async () => {
    const pool = poolOf(2);
    const { signal, listeners } = strange('reason');
    const running = errorOf(call(pool, signal));
    while (listeners.length === 0) await turn(); // a sort of objects reads keys for a while before
    for (const abort of listeners) abort();
    expect(await running).toMatchObject({ message: 'strange reason' });
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });
});

test('a signal that aborts while the arguments are read cancels the call', async () => {
  const pool = poolOf(2);
  for (const [how, call] of Object.entries({
    typed: (options: object) => parallelMap(new Float64Array(10), (x) => x, options),
    plain: (options: object) => parallelMap([1, 2], (x) => x, options),
  })) {
    const controller = new AbortController();
    const context = {
      get x(): number {
        controller.abort(how);
        return 1;
      },
    };
    const error = await errorOf(call({ pool, signal: controller.signal, context, ...away }));
    expect(error).toMatchObject({ name: 'AbortError', cause: how });
  }
});

test('an abort by a key, or by what decides ties, ends a call of any length', async () => {
  const pool = poolOf(2);
  for (const length of [2, 1000]) {
    for (const callback of ['key', 'ties']) {
      const items = Array.from({ length }, () => 0);
      const aborting = (): object => {
        const controller = new AbortController();
        const act = (name: string): number => {
          if (name === callback) controller.abort('enough');
          return 0;
        };
        return { pool, signal: controller.signal, key: () => act('key'), ties: () => act('ties') };
      };
      const top = aborting() as { key: () => number };
      expect(await errorOf(parallelTopK(items, 1, top))).toMatchObject({ name: 'AbortError', cause: 'enough' });
      const { key, ...options } = aborting() as { key: () => number };
      expect(await errorOf(parallelSortBy(items, key, options))).toMatchObject({ name: 'AbortError', cause: 'enough' });
    }
  }
});

describe('an onProgress that throws', () => {
  const onProgress = (words: Int32Array) => (): never => {
    tell(words, 0); // lets the last index go on: it runs when this is called
    throw new Error('a strange report');
  };
  const untilTold = (_i: number, { words, last }: { words: Int32Array; last: number }, i = _i): void => {
    if (i !== last) return;
    Atomics.add(words, 2, 1);
    while (Atomics.load(words, 0) === 0);
    Atomics.add(words, 1, 1);
  };

  test('rejects a call over typed arrays, once it runs no more', async () => {
    const pool = poolOf(2);
    const words = sharedWords();
    const context = { words, last: 9 };
    const error = await errorOf(
      parallelFor(10, untilTold, { pool, threshold: 1, context, onProgress: onProgress(words), ...away }),
    );
    expect(error).toMatchObject({ message: 'a strange report' });
    expect(words[1]).toBe(words[2]); // all that has begun has ended; a cancelled call may not get that far
    expect(await pool.invoke(echo, 7)).toBe(7);
  });

  test('rejects a call over plain values', async () => {
    const pool = poolOf(2);
    const body = (): never => {
      throw new Error('a strange report');
    };
    expect(await errorOf(parallelMap([1, 2], (x) => x, { pool, onProgress: body }))).toMatchObject({
      message: 'a strange report',
    });
    expect(await pool.awaitQuiescence(0)).toBe(true);
  });

  test('rejects a sort, whose end it reports', async () => {
    const pool = poolOf(2);
    const words = sharedWords();
    const xs = new Float64Array(100_000).map((_, i) => (i * 7919) % 100_003);
    const error = await errorOf(parallelSort(xs, undefined, { pool, onProgress: onProgress(words) } as never));
    expect(error).toMatchObject({ message: 'a strange report' });
  });

  test('is thrown by a Sync form', async () => {
    const pool = poolOf(2);
    const words = sharedWords();
    expect(() => parallelForSync(1000, () => {}, { pool, onProgress: onProgress(words) })).toThrow('a strange report');
    expect(await pool.invoke(echo, 7)).toBe(7);
  });

  test('rejects a call in a scope', async () => {
    const pool = poolOf(2);
    expect(await errorOf(pool.invoke(nested, 'reporting', [], {}))).toMatchObject({ message: 'bad report' });
    expect(await pool.invoke(echo, 7)).toBe(7);
  });
});
