import '../../../helpers/in-simulated-core.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { calleesOf } from '../../../../src/algorithms/call/algorithm.js';
import { LocalArrays } from '../../../../src/algorithms/call/local-arrays.js';
import { isKnownShort, type StagedCall, startInPool } from '../../../../src/algorithms/call/staged-call.js';
import { parallelFilterSync } from '../../../../src/algorithms/filter/filter.js';
import { Cost } from '../../../../src/algorithms/schedule/cost.js';
import { CALLER_MOST_US, HELP_US } from '../../../../src/algorithms/tuning.js';
import { callWith, reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset());

/** A microsecond an element. */
const MICROSECOND = new Cost(1000);
const CHECKED = {
  call: callWith(),
  awayFromCaller: false,
  threshold: 0,
  parallelism: 2,
  context: undefined,
  given: {},
};
const isShort = (us: number, parallelism: number, threshold = 0, cost = MICROSECOND): boolean =>
  isKnownShort({ ...CHECKED, threshold, parallelism }, us, cost);

describe('a call is known to be short', () => {
  test.each([1, 2, 3, 4, 8, 64, 1000])('if %i threads would hardly speed it up', (parallelism) => {
    const savedShare = 1 - 1 / parallelism;
    const most = Math.min(CALLER_MOST_US, HELP_US / savedShare);
    expect(isShort(0.99 * most, parallelism)).toBe(true);
    expect(isShort(1.01 * most, parallelism)).toBe(false);
  });

  test('but not if its cost is unknown, or a threshold cuts it', () => {
    for (const parallelism of [1, 4]) {
      expect(isShort(1, parallelism, 0, new Cost())).toBe(false);
      expect(isShort(10, parallelism, 9)).toBe(false);
      expect(isShort(10, parallelism, 10)).toBe(true);
    }
  });
});

test('a call that goes to a pool starts the workers first, which come up while it copies its arrays', () => {
  const starts: number[] = [];
  const spec = (): object => {
    starts.push(simulation.starts);
    return {};
  };
  const call = { callee: calleesOf('parallelMap').promise, options: CHECKED, elements: 1, cost: MICROSECOND, spec };
  startInPool(call as unknown as StagedCall<object, void>);
  expect(starts).toEqual([1]);
});

describe('a call on its caller', () => {
  test('gives its buffer back for the next call, also when it fails', () => {
    const xs = Float64Array.of(3, 1, 2);
    const fails = (x: number): boolean => {
      if (x > 0) throw new Error('as it should');
      return true;
    };
    const bufferOfCall = (): ArrayBufferLike => {
      const arrays = new LocalArrays();
      const { buffer } = arrays.scratch(Int32Array, 1);
      arrays.release();
      return buffer;
    };
    const before = bufferOfCall();
    for (let i = 0; i < 3; i++) {
      parallelFilterSync(Float64Array.of(-1), fails); // in a pool first, then here
      expect(() => parallelFilterSync(xs, fails)).toThrow('as it should');
    }
    expect(bufferOfCall()).toBe(before);
  });
});
