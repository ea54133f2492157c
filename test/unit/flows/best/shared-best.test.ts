/** `sharedBest` on one thread, against an oracle; and what it refuses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { W_FREE } from '../../../../src/flows/best/cell.js';
import { type SharedBest, sharedBest } from '../../../../src/flows/best/index.js';

const isLess = (a: readonly number[], b: readonly number[]): boolean => {
  const k = a.findIndex((x, i) => x !== b[i]);
  return k >= 0 && (a[k] as number) < (b[k] as number);
};

test('it holds the best offer, and the least solution of equal ones', () => {
  const offer = fc.tuple(
    fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })),
    fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 2, maxLength: 2 }),
  );
  const property = fc.property(fc.constantFrom('min', 'max'), fc.array(offer, { maxLength: 60 }), (kind, offers) => {
    const best = sharedBest(kind, { solution: 2 });
    let known: { value: number; solution: readonly number[] } | undefined;
    expect([best.value, best.solution()]).toEqual([kind === 'min' ? Infinity : -Infinity, undefined]);
    for (const [given, solution] of offers) {
      const value = given + 0;
      const isBetter =
        known === undefined ||
        (kind === 'min' ? value < known.value : value > known.value) ||
        (value === known.value && isLess(solution, known.solution));
      expect(best.offer(given, solution)).toBe(isBetter);
      if (isBetter) known = { value, solution };
      expect(best.value).toBe(known?.value);
      expect([...(best.solution() as Int32Array)]).toEqual(known?.solution);
    }
    const free = ((best as unknown as { words: Int32Array }).words[W_FREE] as number) >>> 0;
    expect(free.toString(2).replaceAll('0', '')).toHaveLength(31); // all slots but the current one
  });
  fc.assert(property);
});

test('an initial value is there before the first offer, refuses what is worse, and takes a solution as good', () => {
  const best = sharedBest('min', { solution: 1, initial: 5 });
  expect([best.value, best.solution()]).toEqual([5, undefined]);
  expect([best.offer(6, [1]), best.value, best.solution()]).toEqual([false, 5, undefined]);
  expect([best.offer(5, [2]), best.solution()]).toEqual([true, Int32Array.of(2)]);
  expect([best.offer(5, [3]), best.offer(4, [3]), best.value]).toEqual([false, true, 4]);
  const most = sharedBest('max', { initial: -0 });
  expect([Object.is(most.value, 0), most.offer(-1), most.offer(0)]).toEqual([true, false, true]);
  expect(() => sharedBest('min', { initial: Number.NaN })).toThrow(/initial must be any number but NaN/);
});

test('reads of two of them do not mix', () => {
  const [a, b] = [sharedBest('min'), sharedBest('max')];
  for (let k = 0; k < 10; k++) {
    a.offer(-k);
    b.offer(k);
    expect([a.value, b.value, a.value]).toEqual([0 - k, k, 0 - k]);
  }
  expect(a.solution()).toEqual(new Int32Array(0));
});

describe('it refuses', () => {
  const best: SharedBest = sharedBest('min', { solution: 2 });

  test.each([
    [() => sharedBest('least' as never), /takes 'min' or 'max'; it was given 'least'/],
    [() => sharedBest('min', null as never), /must be an object/],
    [() => sharedBest('min', { words: 3 } as never), /has no option 'words'/],
    [() => sharedBest('min', { solution: '3' as never }), /must be a number of words; it was '3'/],
    [() => sharedBest('min', { solution: -1 }), /integer from 0 to/],
    [() => sharedBest('min', { solution: 1.5 }), /integer from 0 to/],
    [() => best.offer(Number.NaN, [1, 2]), /takes a number/],
    [() => best.offer('1' as never, [1, 2]), /takes a number; the value was '1'/],
    [() => best.offer(1), /takes a solution of 2 words, as sharedBest\(\) was told; it had 0/],
    [() => best.offer(1, [1, 2, 3]), /it had 3/],
    [() => best.offer(1, null as never), /it had undefined/],
    [() => best.offer(1, [1, 2 ** 31]), /solution\[1\] must be an integer of 32 bits/],
    [() => best.offer(1, [1.5, 1]), /solution\[0\] must be an integer/],
  ])('%s', (call, message) => {
    expect(call).toThrow(message);
    expect(best.solution()).toBeUndefined();
  });
});
