/** How long the ends of a thread's own values are awaited, by an imitated clock. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { endLocals, useLocals } from '../../../../src/core/worker/local-ends.js';
import { type WorkerLocal, workerLocal } from '../../../../src/core/worker/worker-local.js';

const FOREVER = Number.POSITIVE_INFINITY;
const warn = vi.fn();
registerHost(() => ({ warn }) as unknown as PlatformHost);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0); // nothing keeps a process alive
  vi.useRealTimers();
  warn.mockClear();
});

/** Makes a value whose end hangs, and begins to end it. */
function endOfHanging(graceMs: number): { readonly release: () => void; readonly hasEnded: () => boolean } {
  let release = (): void => {};
  let hasEnded = false;
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  workerLocal(() => 1, { dispose: () => hanging }).get();
  void endLocals(graceMs).then(() => {
    hasEnded = true;
  });
  return { release, hasEnded: () => hasEnded };
}

test('without a grace it is awaited, and one warning says so after ten seconds', async () => {
  const { release, hasEnded } = endOfHanging(FOREVER);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^furcate: dispose .* 10000 ms.*graceMs.*terminate/)]]);
  expect(hasEnded()).toBe(false);
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(hasEnded()).toBe(true);
});

test.each([1, 500, 9_999])('with a grace of %i ms it is given up then, with one warning', async (graceMs) => {
  const { hasEnded } = endOfHanging(graceMs);
  await vi.advanceTimersByTimeAsync(graceMs - 1);
  expect([hasEnded(), warn.mock.calls.length]).toEqual([false, 0]);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(hasEnded()).toBe(true);
  expect(warn.mock.calls).toEqual([[expect.stringContaining(`had not ended after ${graceMs} ms`)]]);
});

test('one that ends or fails in time leaves no timer, and a failure is a warning', async () => {
  workerLocal(() => 1, { dispose: () => Promise.resolve() }).get();
  workerLocal(() => 1, { dispose: () => Promise.reject(new Error('no')) }).get();
  workerLocal(() => 1, {
    dispose: (): void => {
      throw new Error('never');
    },
  }).get();
  await endLocals(FOREVER);
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/dispose of a workerLocal\(\) failed: Error: never/)],
    [expect.stringMatching(/dispose of a workerLocal\(\) failed: Error: no/)],
  ]);
});

test.each([
  ['an object without a prototype', Object.create(null)],
  [
    'an object whose toString throws',
    {
      toString(): string {
        throw new Error('no text');
      },
    },
  ],
])('one that fails with %s is a warning, and the others end', async (_, thrown) => {
  const dispose = vi.fn();
  workerLocal(() => 1, { dispose }).get();
  workerLocal(() => 1, { dispose: () => Promise.reject(thrown) }).get();
  await endLocals(FOREVER);
  expect(dispose).toHaveBeenCalledOnce();
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/dispose of a workerLocal\(\) failed: an object/)]]);
});

test('a value whose init rejects while the values end has nothing to end', async () => {
  const dispose = vi.fn();
  let reject = (_: Error): void => {};
  const pending = new Promise<number>((_, no) => {
    reject = no;
  });
  workerLocal(() => pending, { dispose }).get();
  const ended = endLocals(FOREVER);
  reject(new Error('init failed'));
  await ended;
  expect(dispose).not.toHaveBeenCalled();
  expect(warn).not.toHaveBeenCalled();
});

test('an executor that is closed twice waits for the same ends both times', async () => {
  const end = useLocals();
  let release = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  workerLocal(() => 1, { dispose: () => hanging }).get();
  const closed: number[] = [];
  const all = [1, 2].map((call) => end(FOREVER).then(() => closed.push(call)));
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toEqual([]);
  await end(); // by force: this waits for nothing
  release();
  await Promise.all(all);
  expect(closed).toEqual([1, 2]);
});

test('values that another executor uses meanwhile stay, and end with it', async () => {
  const [closing, other] = [useLocals(), { end: async (_: number): Promise<void> => {} }];
  const ended: string[] = [];
  const local = (name: string): void =>
    void workerLocal(() => name, {
      dispose: (value) => {
        ended.push(value);
      },
    }).get();
  local('first');
  workerLocal(() => 1, {
    dispose: () => {
      other.end = useLocals();
      local('of the other');
    },
  }).get();
  await closing(FOREVER);
  expect(ended).toEqual([]);
  await other.end(FOREVER);
  expect(ended).toEqual(['of the other', 'first']);
});

describe('a dispose that calls get()', () => {
  test.each(['at once', 'after an await', 'of a value that took time to make'])(
    'gets the value that it ends, which is made once (%s)',
    async (when) => {
      const made = vi.fn(() => ({ n: 7 }));
      const seen: unknown[] = [];
      const local: WorkerLocal<unknown> = workerLocal<unknown>(
        (when.includes('took time') ? async () => made() : made) as never,
        {
          dispose: async (value) => {
            if (when === 'after an await') await undefined;
            seen.push((await local.get()) === value);
          },
        },
      );
      await local.get();
      await endLocals(FOREVER);
      expect([made.mock.calls.length, seen]).toEqual([1, [true]]);
    },
  );

  test('gets values that end later or are new, and an error for one that has ended, so that the ends come to an end', async () => {
    const ended: string[] = [];
    const locals = new Map<string, WorkerLocal<string>>();
    const get = (name: string): string => (locals.get(name) as WorkerLocal<string>).get();
    const declare = (name: string, uses: readonly string[]): void =>
      void locals.set(
        name,
        workerLocal(() => name, {
          dispose: (value) => {
            ended.push(value);
            for (const other of uses) get(other);
          },
        }),
      );
    declare('first', ['second']); // which has ended by then
    declare('second', ['first', 'unused']);
    declare('unused', ['first', 'second']);
    get('first');
    get('second');
    await endLocals(FOREVER);
    expect(ended).toEqual(['second', 'unused', 'first']);
    expect(warn.mock.calls).toEqual(
      Array(2).fill([
        expect.stringMatching(/dispose .*failed: Error: furcate: get\(\) of .*has ended.*get\(\) in init/),
      ]),
    );
    expect(get('second')).toBe('second'); // the thread goes on, if it is no worker
    await endLocals(FOREVER);
    expect(ended.slice(3)).toEqual(['second', 'unused', 'first']);
  });
});
