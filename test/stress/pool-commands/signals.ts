/** Signals: one for many calls, some that misbehave, aborts out of the user's own functions and after the end; and callbacks that throw. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type ForkJoinPool,
  free,
  parallelFor,
  parallelMap,
  parallelReduce,
  parallelSortBy,
  parallelTopK,
  sharedArray,
  task as taskOf,
} from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { sharedWords, tell } from '../../helpers/words.js';
import { type Command, choosing, command } from './command.js';
import { endingOf, errorOf, expectError, hasEndlessQueue, hasFreeWorker, isOpen } from './model.js';

const commands = await fixture<Record<string, never>>('commands.mjs');
const { noop } = commands as { noop: never };

interface Options {
  readonly pool: ForkJoinPool;
  readonly signal: AbortSignal;
}

/** Calls of all kinds, with options. */
const CALLS: Readonly<Record<string, (options: Options) => Promise<unknown>>> = {
  invoke: ({ pool, signal }) => pool.invoke(taskOf(noop), { signal }),
  'plain values': (options) => parallelMap(['a', 'b', 'c'], (x) => x + x, options),
  'an algorithm': (options) =>
    parallelReduce(new Float64Array(2000).fill(1), (a, b) => a + b, 0, { ...options, threshold: 100 }),
};
const kind = fc.constantFrom(...Object.keys(CALLS));
const callOf = (name: string, options: Options): Promise<unknown> =>
  (CALLS[name] as (options: Options) => Promise<unknown>)(options);

const fail = (what: string) => (): never => {
  throw new Error(what);
};

/** Signals that are no `AbortSignal`s, or odd ones. */
const ODD_SIGNALS: Readonly<Record<string, () => object>> = {
  'addEventListener throws': () => ({
    aborted: false,
    reason: 1,
    addEventListener: fail('odd'),
    removeEventListener() {},
  }),
  'removeEventListener throws': () => ({
    aborted: false,
    reason: 1,
    addEventListener() {},
    removeEventListener: fail('odd'),
  }),
  'aborted throws': () => ({
    get aborted() {
      return fail('odd')();
    },
    addEventListener() {},
    removeEventListener() {},
  }),
  'calls its listener at once': () => ({
    aborted: false,
    reason: 'odd',
    addEventListener: (_: string, act: () => void) => act(),
    removeEventListener() {},
  }),
  frozen: () => Object.freeze(new AbortController().signal),
};

export const SIGNALS: readonly fc.Arbitrary<Command>[] = [
  choosing(
    'many calls on one signal',
    fc.record({ kinds: fc.array(kind, { minLength: 11, maxLength: 14 }), aborts: fc.boolean() }),
    (model) => hasFreeWorker(model) && hasEndlessQueue(model),
    async (_, { pool }, { kinds, aborts }) => {
      const { signal, abort } = ((controller) => ({ signal: controller.signal, abort: () => controller.abort('all') }))(
        new AbortController(),
      );
      const calls = kinds.map((name) => endingOf(callOf(name, { pool, signal })));
      if (aborts) abort();
      for (const ending of await Promise.all(calls)) {
        if ('error' in ending) expectError(ending, { name: 'AbortError', cause: 'all' });
      }
      abort(); // after their end
    },
  ),
  choosing(
    'a signal that misbehaves',
    fc.record({ name: kind, odd: fc.constantFrom(...Object.keys(ODD_SIGNALS)) }),
    hasFreeWorker,
    async (_, { pool }, { name, odd }) => {
      const signal = (ODD_SIGNALS[odd] as () => object)() as AbortSignal;
      await endingOf((async () => callOf(name, { pool, signal }))());
    },
  ),
  command('an abort out of the key of a sort', isOpen, async (_, { pool }) => {
    const sorts = [
      (items: { k: number }[], key: (item: { k: number }) => number, signal: AbortSignal) =>
        parallelSortBy(items, key, { pool, signal }),
      (items: { k: number }[], key: (item: { k: number }) => number, signal: AbortSignal) =>
        parallelTopK(items, 3, { key, pool, signal }),
    ];
    for (const sort of sorts) {
      const controller = new AbortController();
      const items = Array.from({ length: 100 }, (_, k) => ({ k }));
      const key = ({ k }: { k: number }): number => {
        if (k === 7) controller.abort('key');
        return k;
      };
      const error = await errorOf(sort(items, key, controller.signal));
      assert.deepEqual([error.name, error.cause], ['AbortError', 'key']);
    }
  }),
  command('an onProgress that throws', hasFreeWorker, async (_, { pool }) => {
    const words = sharedWords();
    const onProgress = (): void => {
      tell(words, 1);
      throw new Error('progress');
    };
    const body = (i: number, { words }: { words: Int32Array }): void => {
      if (i === 7) while (Atomics.load(words, 1) === 0);
    };
    const call = parallelFor(8, body, { pool, threshold: 1, context: { words }, onProgress, graceMs: 1e6 });
    assert.equal((await errorOf(call)).message, 'progress');
    free(words);
  }),
  command('an onProgress that throws, over plain values', hasFreeWorker, async (_, { pool }) => {
    const onProgress = (): void => fail('progress')();
    assert.equal((await errorOf(parallelMap([1, 2, 3], (x) => x, { pool, onProgress }))).message, 'progress');
  }),
  command('an onProgress that aborts', hasFreeWorker, async (_, { pool }) => {
    const controller = new AbortController();
    const xs = sharedArray(Float64Array, 100_000);
    const options = {
      pool,
      signal: controller.signal,
      threshold: 100,
      graceMs: 1e6,
      onProgress: () => controller.abort('progress'),
    };
    const ending = await endingOf(parallelReduce(xs, (a, b) => Math.max(a, b), 0, options));
    if ('error' in ending) expectError(ending, { name: 'AbortError', cause: 'progress' });
    free(xs);
  }),
];
