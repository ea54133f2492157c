/** How long the ends of a thread's own values are awaited, by an imitated clock. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Host, registerHost } from '../../../../src/core/platform/host.js';
import { endLocals, workerLocal } from '../../../../src/core/worker/worker-local.js';

const FOREVER = Number.POSITIVE_INFINITY;
const warn = vi.fn();
registerHost(() => ({ warn }) as unknown as Host);

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
