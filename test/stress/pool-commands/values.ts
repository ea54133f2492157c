/** Calls of plain values: some whose source waits until it is told, some that fail beside calls that never settle. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parallelForEach, parallelMap, parallelReduce } from 'furcate';
import { sharedWords } from '../../helpers/words.js';
import { type Command, choosing, command } from './command.js';
import { endingOf, errorOf, hasEndlessQueue, hasFreeWorker, isQuiet } from './model.js';

const graceMs = fc.constantFrom(1, 1, 1, undefined);

/** Yields two values, and a third one when it is told. */
async function* told(until: Promise<void>): AsyncGenerator<number> {
  yield 1;
  yield 2;
  await until;
  yield 3;
}

export const VALUES: readonly fc.Arbitrary<Command>[] = [
  // In a full queue it depends on its chunks whether there is room for others.
  command(
    'begin plain values of a source that waits',
    (model) => hasFreeWorker(model) && hasEndlessQueue(model),
    async (model, { pool }) => {
      const controller = new AbortController();
      let tell = (): void => {};
      const until = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const call = parallelMap(told(until), (x) => 2 * x, { pool, signal: controller.signal });
      model.waiting.push({
        name: 'plain values',
        isDeaf: false,
        words: sharedWords(),
        controller,
        ending: endingOf(call),
        value: [2, 4, 6],
        outlivesWorkers: true,
        tell,
      });
    },
  ),
  choosing(
    'plain values',
    fc.record({ n: fc.constantFrom(0, 1, 7, 100), waits: fc.boolean() }),
    hasFreeWorker,
    async (model, { pool }, { n, waits }) => {
      const values = Array.from({ length: n }, (_, i) => ({ i }));
      const doubled =
        waits && model.running.length === 0
          ? parallelMap(values, async ({ i }) => 2 * i, { pool })
          : parallelMap(values, ({ i }) => 2 * i, { pool });
      assert.deepEqual(
        await doubled,
        values.map(({ i }) => 2 * i),
      );
    },
  ),
  choosing(
    'plain values, of which one fails and one never settles',
    fc.record({
      n: fc.constantFrom(5, 50),
      never: fc.nat(4),
      fails: fc.nat(4),
      threshold: fc.constantFrom(1, 2, 10),
      graceMs,
    }),
    // One before the failure may fail, too, and is waited for.
    (model, { never, fails }) => isQuiet(model) && never > fails,
    async (_, { pool }, { n, never, fails, threshold, graceMs }) => {
      const values = Array.from({ length: n }, (_, i) => (i === never ? 'never' : i === fails ? 'fails' : 'ends'));
      const call = parallelMap(
        values,
        async (value) => {
          if (value === 'never') await new Promise(() => {});
          if (value === 'fails') throw new Error('beside');
          return value;
        },
        { pool, threshold, ...(graceMs && { graceMs }) },
      );
      assert.equal((await errorOf(call)).message, 'beside');
    },
  ),
  command('plain values that their function writes to', hasFreeWorker, async (_, { pool }) => {
    const values = Array.from({ length: 30 }, () => ({ n: 0 }));
    const writes = (value: { n: number }): number => {
      value.n = 666;
      return 1;
    };
    // The first calls measure what the function costs; later ones may run on the caller.
    for (let call = 0; call < 4; call++) {
      await parallelMap(values, writes, { pool });
      assert.ok(
        values.every(({ n }) => n === 0),
        'a function wrote to the values of its caller',
      );
    }
  }),
  command('plain values of a class that nobody has registered', hasFreeWorker, async (_, { pool }) => {
    class Unregistered {
      n = 1;
    }
    for (const isWarm of [false, true]) {
      if (isWarm)
        for (let call = 0; call < 4; call++) await parallelForEach(Array(30).fill({ n: 1 }), (x) => void x.n, { pool });
      const values = Array.from({ length: 30 }, () => new Unregistered());
      const error = await errorOf(parallelForEach(values, (x) => void x.n, { pool }));
      assert.equal(error.name, 'NotShareableError');
    }
  }),
  command('an operation that returns promises', hasFreeWorker, async (_, { pool }) => {
    const numbers = new Float64Array(10);
    const calls = [
      () => parallelReduce(['a', 'b'], () => Promise.reject(new Error('nobody may see it')) as never, '', { pool }),
      () => parallelMap(numbers, (() => Promise.reject(new Error('nobody may see it'))) as never, { pool }),
      () => parallelMap(numbers, (() => Promise.resolve(1)) as never, { pool, threshold: 1 }),
    ];
    for (const call of calls) assert.equal((await errorOf(call())).name, 'TypeError');
  }),
];
