import { beforeEach, describe, expect, test, vi } from 'vitest';

type Stack = typeof import('../../../../src/core/deque/private-stack.js');
let stack: Stack;

beforeEach(async () => {
  vi.resetModules(); // one stack a realm: a fresh realm for each test
  stack = await import('../../../../src/core/deque/private-stack.js');
});

describe('a private stack', () => {
  test('is empty and belongs to nobody at first: forks and joins go the slow way', () => {
    const { local } = stack;
    expect([local.sp, local.base, local.split, local.forks]).toEqual([0, 0, 0, 0]);
    expect(local.requests[0]).not.toBe(0);
    expect(local.stack.every((item) => item === null)).toBe(true);
    expect(local.calls.every(({ handle }) => handle === -1)).toBe(true);
  });

  test('that grows keeps what it holds, and new slots are as empty as old ones', () => {
    const { local, growStack } = stack;
    const before = local.calls.length;
    for (let i = 0; i < before; i++)
      Object.assign(local.calls[i], { handle: i, a: i + 0.5, b: i + 7, c: i * 2, d: i * 3 });
    const task = {};
    local.stack[7] = task;
    local.sp = before;
    growStack();
    expect(local.calls.length).toBe(2 * before);
    expect(local.stack[7]).toBe(task);
    for (const i of [0, 1, before - 1]) {
      const { handle, a, b, c, d } = local.calls[i];
      expect([handle, a, b, c, d]).toEqual([i, i + 0.5, i + 7, i * 2, i * 3]);
    }
    for (const i of [before, 2 * before - 1]) expect([local.stack[i], local.calls[i].handle]).toEqual([null, -1]);
  });

  test('that grows after class tasks have gone beyond its calls has room for all of them', () => {
    const { local, growStack } = stack;
    const height = 3 * local.stack.length;
    for (let i = 0; i < height; i++) local.stack[i] = {};
    local.sp = height;
    growStack();
    expect(local.calls.length).toBeGreaterThan(height);
    expect(local.stack[height]).toBe(null);
    expect(local.stack[height - 1]).not.toBe(null);
    expect(local.calls[height - 1].handle).toBe(-1);
  });

  test('that is renewed holds what it held, in another array, unless copying it would take long', () => {
    const { local, renewStack } = stack;
    const task = {};
    local.stack[3] = task;
    local.sp = 4;
    const before = local.stack;
    renewStack();
    expect(local.stack).not.toBe(before);
    expect(local.stack).toEqual(before);
    expect(local.stack[3]).toBe(task);
    while (local.stack.length <= 10_000) local.stack.push(null);
    const long = local.stack;
    renewStack();
    expect(local.stack).toBe(long);
  });

  test('from whose middle a task is taken keeps a hole there until all above is gone', () => {
    const { local, removeAt, HOLE } = stack;
    const tasks = [{}, {}, {}, {}];
    tasks.forEach((task, i) => {
      local.stack[i] = task;
    });
    local.sp = 4;
    local.split = 4;
    removeAt(1);
    expect([local.sp, local.stack[1]]).toEqual([4, HOLE]);
    removeAt(3);
    expect([local.sp, local.split, local.stack[3]]).toEqual([3, 3, null]);
    removeAt(2);
    expect([local.sp, local.split]).toEqual([1, 1]);
    expect(local.stack.slice(0, 4)).toEqual([tasks[0], null, null, null]);
  });

  test('does not give up holes of the frame below', () => {
    const { local, removeAt, HOLE } = stack;
    local.stack[0] = HOLE;
    local.stack[1] = {};
    local.sp = 2;
    local.base = 1;
    removeAt(1);
    expect([local.sp, local.stack[0], local.stack[1]]).toEqual([1, HOLE, null]);
  });
});
