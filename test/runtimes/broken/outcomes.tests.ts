/** Tests that fail in every way there is: runtimes.test.ts checks that each is told. Vitest itself does not run this file. */
import { afterAll, describe, expect, test, vi } from 'vitest';

test('passes', () => {
  expect(1 + 1).toBe(2);
});

test('fails', () => {
  expect([1, 2]).toEqual([1, 3]);
});

test('rejects', async () => {
  await Promise.reject(new RangeError('too far', { cause: new Error('too fast') }));
});

describe('a group', () => {
  test.each([1, 2])('fails for %i of two', (n) => {
    expect(n).toBe(1);
  });
});

test('takes too long', () => new Promise(() => {}));

test('ends its process', () => {
  process.exit(7);
});

test('never returns', () => {
  for (;;);
});

test('runs after all of that', () => {
  expect(vi.fn().mock.calls).toEqual([]);
});

test('is impossible by its name', () => {
  throw new Error('and must not run');
});

afterAll(() => {
  throw new Error('a hook that fails');
});
