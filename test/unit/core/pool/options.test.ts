/** Which options a pool and an invocation take. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { invokeOptions, poolSettings } from '../../../../src/core/pool/options.js';
import { MAX_PARALLELISM } from '../../../../src/core/tuning.js';

registerHost(detectNode);

afterEach(() => vi.unstubAllEnvs());

describe('parallelism', () => {
  test(`goes from 1 to ${MAX_PARALLELISM}`, () => {
    for (const parallelism of [1, MAX_PARALLELISM])
      expect(poolSettings({ parallelism })).toMatchObject({ parallelism });
    for (const parallelism of [0, -1, 1.5, MAX_PARALLELISM + 1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => poolSettings({ parallelism })).toThrow(RangeError);
    expect(() => poolSettings({ parallelism: '2' as never })).toThrow(TypeError);
  });

  test('is that of the environment variable if that is set, and else the number of cores', () => {
    vi.stubEnv('FURCATE_PARALLELISM', '3');
    expect(poolSettings({}).parallelism).toBe(3);
    expect(poolSettings({ parallelism: 5 }).parallelism).toBe(5);
    for (const unset of ['', undefined]) {
      vi.stubEnv('FURCATE_PARALLELISM', unset);
      expect(poolSettings({}).parallelism).toBeGreaterThanOrEqual(1);
    }
    for (const bad of ['x', '0', '2.5']) {
      vi.stubEnv('FURCATE_PARALLELISM', bad);
      expect(() => poolSettings({})).toThrow('the environment variable FURCATE_PARALLELISM');
    }
  });
});

test('maxQueue is a number of invocations, or Infinity', () => {
  for (const maxQueue of [0, 1, Number.POSITIVE_INFINITY])
    expect(poolSettings({ maxQueue })).toMatchObject({ maxQueue });
  for (const maxQueue of [-1, 0.5, Number.NaN]) expect(() => poolSettings({ maxQueue })).toThrow(RangeError);
  expect(() => poolSettings({ maxQueue: '1' as never })).toThrow(TypeError);
});

test('times are 0 or more', () => {
  for (const keepAliveMs of [0, 1.5, Number.POSITIVE_INFINITY])
    expect(poolSettings({ keepAliveMs })).toMatchObject({ keepAliveMs });
  for (const keepAliveMs of [-1, Number.NaN]) expect(() => poolSettings({ keepAliveMs })).toThrow(RangeError);
  expect(() => poolSettings({ graceMs: '1' as never })).toThrow(TypeError);
});

test('limits of workers are those that the platform knows, in positive MiB', () => {
  expect(poolSettings({ resourceLimits: { stackSizeMb: 2 } })).toMatchObject({ resourceLimits: { stackSizeMb: 2 } });
  for (const bad of [0, -1, '4'])
    expect(() => poolSettings({ resourceLimits: { stackSizeMb: bad as never } })).toThrow('resourceLimits.stackSizeMb');
  expect(() => poolSettings({ resourceLimits: { heap: 1 } as never })).toThrow("has no option 'heap'");
});

test('an unknown option is refused with a list of those that there are', () => {
  expect(() => poolSettings({ threads: 2 } as never)).toThrow(/no option 'threads'\. It has: parallelism, name, /);
  for (const bad of [null, 3, []]) expect(() => poolSettings(bad as never)).toThrow(TypeError);
});

test('a getter of the options runs once', () => {
  let runs = 0;
  const options = {
    get parallelism() {
      return ++runs;
    },
  };
  expect(poolSettings(options)).toMatchObject({ parallelism: 1 });
  expect(runs).toBe(1);
});

describe('an invocation', () => {
  test('takes a priority', () => {
    for (const priority of ['high', 'normal', 'low'] as const)
      expect(invokeOptions({ priority })).toEqual({ priority });
    for (const bad of ['urgent', 1, null]) expect(() => invokeOptions({ priority: bad })).toThrow(TypeError);
  });

  test('takes a signal of any realm, told by its members', () => {
    const signal = { aborted: false, addEventListener() {} };
    expect(invokeOptions({ signal })).toEqual({ signal });
    for (const bad of [
      {},
      { aborted: false },
      { addEventListener() {} },
      { aborted: 'no', addEventListener() {} },
      'x',
    ])
      expect(() => invokeOptions({ signal: bad })).toThrow('must be an AbortSignal');
  });

  test('takes nothing for no options', () => {
    expect(invokeOptions(undefined)).toEqual({});
    expect(() => invokeOptions(null)).toThrow(TypeError);
  });
});
