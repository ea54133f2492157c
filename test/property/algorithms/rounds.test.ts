/** Rounds in the simulated core: each covers its indices once, and sees what the rounds before it have written. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelRounds, parallelRoundsSync } from '../../../src/algorithms/loops/rounds.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { anySchedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

interface Work {
  readonly lengths: Uint32Array;
  readonly xs: Int32Array;
  /** What was found wrong. */
  readonly bad: Int32Array;
}

const nextOf = (round: number, { lengths, xs, bad }: Work): number | undefined => {
  const before = round === 0 ? 0 : (lengths[round - 1] as number);
  for (let i = 0; i < before; i++) if (xs[i] !== round) bad[0]++;
  xs.fill(round);
  return lengths[round];
};

const body = (lo: number, hi: number, round: number, { xs, bad }: Work): void => {
  if (lo >= hi) bad[0]++;
  for (let i = lo; i < hi; i++) {
    if (xs[i] !== round) bad[0]++;
    xs[i]++;
  }
};

const lengths = fc.array(fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 3000 })), { maxLength: 12 });

test('every index of every round is done once, after all of the rounds before', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, anySchedule, async (given, { threshold, ...changes }) => {
      for (const form of [parallelRounds, parallelRoundsSync]) {
        reset(changes);
        const context = {
          lengths: sharedArray(Uint32Array, given),
          xs: sharedArray(Int32Array, 3000),
          bad: sharedArray(Int32Array, 1),
        };
        await form(nextOf, body, { context, threshold });
        expect(context.bad[0]).toBe(0);
        expect(context.xs[0]).toBe(given.length); // the last call of next has seen the end
      }
    }),
  );
});

test('a threshold bounds the parts, and adaptive rounds are shared when they are long', async () => {
  reset({ stealing: 1 });
  const most = sharedArray(Int32Array, 1);
  const note = (lo: number, hi: number, _: number, { most }: { most: Int32Array }): void => {
    most[0] = Math.max(most[0], hi - lo);
  };
  await parallelRounds((round) => (round < 4 ? 1000 : undefined), note, { threshold: 10, context: { most } });
  expect(most[0]).toBe(10);
  expect(simulation.steals).toBeGreaterThan(0);
});

describe('what fails', () => {
  test('the error of the lowest failing part surfaces, and no further round begins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(999), fc.nat(3), anySchedule, async (index, failing, { threshold, ...changes }) => {
        reset(changes);
        const begun = sharedArray(Int32Array, 1);
        const next = (round: number, { begun }: { begun: Int32Array }): number | undefined => {
          begun[0]++;
          return round < 6 ? 1000 : undefined;
        };
        const fail = (
          lo: number,
          hi: number,
          round: number,
          { index, failing }: { index: number; failing: number },
        ) => {
          for (let i = lo; i < hi; i++) if (round === failing && i >= index) throw new Error(`at ${i}`);
        };
        const context = { begun, index, failing };
        await expect(parallelRounds(next, fail, { context, threshold })).rejects.toThrow(`at ${index}`);
        expect(begun[0]).toBe(failing + 1);
      }),
    );
  });

  test.each([
    [
      'a fraction',
      () => 1.5,
      'an integer from 0 up, or undefined when there are no more rounds, but for round 0 it returned 1.5',
    ],
    ['a negative number', () => -1, 'it returned -1'],
    ['no number', () => 'x' as never, 'it returned "x"'],
    ['null', () => null as never, 'it returned null'],
    ['a promise', () => Promise.resolve(1), 'next of parallelRounds returned a promise'],
  ])('%s as the length of a round', async (_, next, message) => {
    await expect(parallelRounds(next as never, () => {})).rejects.toThrow(message);
    expect(() => parallelRoundsSync(next as never, () => {})).toThrow(message);
  });

  test('an error of next, which names it where it lacks a variable', async () => {
    const missing = 3;
    await expect(
      parallelRounds(
        () => missing,
        () => {},
      ),
    ).rejects.toThrow('next of parallelRounds');
  });

  test('onProgress, because nobody knows how many indices there will be', async () => {
    const onProgress = () => {};
    const given = { onProgress } as never;
    await expect(
      parallelRounds(
        () => undefined,
        () => {},
        given,
      ),
    ).rejects.toThrow(
      'options.onProgress must be left out, because nobody knows before the last round how many indices there are',
    );
  });
});

test('next gets one copy of the context in all rounds of a call', async () => {
  for (const form of [parallelRounds, parallelRoundsSync]) {
    const copies = new Set<unknown>();
    Object.assign(globalThis, { copies });
    const next = (round: number, context: unknown): number | undefined => {
      (globalThis as unknown as { copies: Set<unknown> }).copies.add(context);
      return round < 5 ? 10 : undefined;
    };
    await form(next, () => undefined, { context: { marks: [1, 2, 3] } });
    expect(copies.size).toBe(1);
  }
});
