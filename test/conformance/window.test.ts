/** `sharedWindow` in every executor: a search with both bounds shared finds the value of the game, whatever is cut off. */
import fc from 'fast-check';
import { parallelFor } from 'furcate';
import { type SharedWindow, sharedWindow } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

interface Fixture {
  movesOf(position: number): number[];
  worthOf(position: number): number;
  readonly search: Scenario;
  readonly closesLater: Scenario;
}
const { movesOf, worthOf, search, closesLater } = await fixture<Fixture>('window.mjs');

/** The value of a position by a search that leaves nothing out. */
const minimax = (position: number, depth: number): number =>
  depth === 0 ? worthOf(position) : Math.max(...movesOf(position).map((next) => -minimax(next, depth - 1)));

describe.each(executors())('$name:', (executor) => {
  const run = (work: Scenario, ...args: unknown[]): Promise<unknown> =>
    Promise.resolve().then(() => executor.run(work, ...args));

  test('a search finds the value of the game', async () => {
    const property = fc.asyncProperty(fc.integer(), fc.nat(5), fc.nat(3), async (position, depth, splits) => {
      expect(await run(search, sharedWindow(), position, depth, splits)).toBe(minimax(position, depth) + 0);
    });
    await fc.assert(property, { numRuns: executor.cold ? 1 : 6 });
  });

  test('with bounds that are known beforehand it finds the value, or on which side of them it is', async () => {
    const property = fc.asyncProperty(fc.integer(), fc.integer({ min: -11, max: 10 }), async (position, alpha) => {
      const value = minimax(position, 3) + 0;
      const found = await run(search, sharedWindow({ alpha, beta: alpha + 3 }), position, 3, 2);
      if (value > alpha && value < alpha + 3) expect(found).toBe(value);
      else if (value <= alpha) expect(found).toBe(alpha + 0);
      else expect(found).toBeGreaterThanOrEqual(alpha + 3);
    });
    await fc.assert(property, { numRuns: executor.cold ? 1 : 4 });
  });

  test('a bound that moves is seen in the windows of all positions after it, in tasks and in contexts', async () => {
    const window = sharedWindow({ beta: 5 });
    const reply = window.reply();
    expect([reply.alpha, reply.beta, reply.isClosed]).toEqual([-5, Number.POSITIVE_INFINITY, false]);
    if (!executor.name.startsWith('invokeSync'))
      expect(await run(closesLater, window)).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false]);
    await parallelFor(8, (i, { window }: { window: SharedWindow }) => void window.offer(i - 2), {
      context: { window },
    });
    expect([window.alpha, reply.beta, reply.isClosed, reply.reply().isClosed]).toEqual([5, -5, true, true]);
  });
});

test('what is no value is refused by name', () => {
  expect(() => sharedWindow().offer(Number.NaN)).toThrow('furcate: offer(value) of a window takes a number');
  expect(() => sharedWindow({ alpha: Number.NaN })).toThrow('alpha must be any number but NaN');
  expect(() => sharedWindow({ gamma: 1 } as never)).toThrow('gamma');
});
