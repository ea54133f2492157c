/** After `free(xs)` every function refuses `xs`, whatever its size, and touches neither its bytes nor anything else. */
import {
  ForkJoinPool,
  type ForkJoinTask,
  forkable,
  free,
  parallelInvoke,
  parallelInvokeSync,
  parallelSort,
  SequentialExecutor,
  sharedArray,
  type TypedArray,
  task,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { ARRAY_CALLS, type ArrayCall, formOf } from '../helpers/array-calls.js';
import { invokeHere, mayBlock } from '../helpers/caller.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { allCold, warmPools } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

const LENGTHS = [10, 1000, 100_000];
const MARK = 7;

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

/** Arrays for a call, of which one, or a part of one, is freed; and what lies in its place by then. */
function arraysWithOneFreed({ arrays }: ArrayCall, n: number, which: number, asPart: boolean) {
  const given: TypedArray[] = arrays.map(([, times]) => {
    const length = n * times;
    const whole = sharedArray(Float64Array, asPart ? length + 2 : length).fill(MARK);
    return asPart ? whole.subarray(1, length + 1) : whole;
  });
  const lost = given[which] as TypedArray;
  const { byteOffset } = lost;
  free(asPart ? (new Float64Array(lost.buffer, byteOffset - 8, lost.length + 2) as TypedArray) : lost);
  const next = sharedArray(Float64Array, asPart ? lost.length + 2 : lost.length).fill(MARK);
  expect(next.byteOffset).toBe(asPart ? byteOffset - 8 : byteOffset); // it took the same place
  return {
    given,
    check: () => expect([...given, next].every((xs) => (xs as Float64Array).every((x) => x === MARK))).toBe(true),
  };
}

let inside: () => unknown = () => undefined;
const runInside = forkable(import.meta.url, 'runInside', () => {
  inside();
});

describe.each(ARRAY_CALLS.map((call) => [call.name, call.how, call] as const))('%s %s', (name, _how, call) => {
  const cases = call.arrays.flatMap(([argument], which) =>
    LENGTHS.flatMap((n) => [false, true].map((asPart) => [argument, n, asPart, which] as const)),
  );

  test.each(cases)('refuses %s of %i elements once it is freed (as a part: %s)', async (argument, n, asPart, which) => {
    const says = (form: string) =>
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringMatching(
          new RegExp(`^furcate: (${name}${form}: )?${argument} is a shared array that was freed`),
        ),
      });
    const { given, check } = arraysWithOneFreed(call, n, which, asPart);
    await expect(call.call(formOf(call, 'promise'), given, { pool })).rejects.toEqual(says(''));
    const sync = (options: object) => () => call.call(formOf(call, 'sync'), given, options);
    const inTasks = [() => new SequentialExecutor().invokeSync(runInside)];
    if (mayBlock) {
      expect(sync({ pool })).toThrow(says('Sync'));
      inTasks.push(() => pool.invokeSync(runInside));
    }
    for (const run of inTasks) {
      inside = sync({});
      expect(run).toThrow(says('Sync'));
    }
    check();
  });
});

const { counts } = await fixture<Record<'counts', Scenario>>('dying.mjs');
const { identity, frees, sumsNested, invokesNested, Carrier } = (await fixture('carrying.mjs')) as unknown as {
  identity: Scenario;
  frees: Scenario;
  sumsNested: Scenario;
  invokesNested: Scenario;
  Carrier: new (fields: object) => ForkJoinTask<unknown>;
};

test.each<[string, () => ForkJoinTask<unknown>]>([
  ['argument 2 of identity', () => task(identity, 1, freed())],
  ["field 'xs' of Carrier", () => new Carrier({ xs: freed().subarray(2) })],
])('no task starts with a freed array as %s', async (what, make) => {
  const says = expect.objectContaining({
    name: 'TypeError',
    message: expect.stringContaining(`furcate: ${what} is a shared array that was freed`),
  });
  await expect(pool.invoke(make())).rejects.toEqual(says);
  await expect(invokeHere(pool, make())).rejects.toEqual(says);
  expect(() => new SequentialExecutor().invokeSync(make())).toThrow(says);
  await expect(parallelInvoke([make()], { pool })).rejects.toEqual(says);
  if (mayBlock) expect(() => parallelInvokeSync([make()], { pool })).toThrow(says);
});

function freed(): Float64Array {
  const xs = sharedArray(Float64Array, 4);
  free(xs);
  return xs;
}

test('no array is made of the elements of one that was freed', () => {
  expect(() => sharedArray(Float64Array, freed())).toThrow(
    /^furcate: sharedArray: values is a shared array that was freed/,
  );
  expect(() => free(freed())).toThrow(TypeError);
});

test('an array that a task has freed is refused, also while another invocation keeps its bytes', async () => {
  const [words, xs] = [sharedWords(), sharedArray(Float64Array, 10)];
  const counting = pool.invoke(counts, words);
  await whenSet(words);
  await pool.invoke(frees, xs);
  await expect(parallelSort(xs, { pool })).rejects.toThrow(
    'furcate: parallelSort: xs is a shared array that was freed',
  );
  await expect(pool.invoke(identity, xs)).rejects.toThrow('furcate: argument 1 of identity is a shared array');
  tell(words, 1);
  await counting;
});

test.each([warmPools(2), ...allCold()])(
  'an invocation goes on with an array that is freed meanwhile, nested calls included, $name',
  async (pools) => {
    const xs = sharedArray(Float64Array, 1000).fill(1);
    const sum = await pools.use((pool) => {
      const sum = pool.invoke(sumsNested, xs);
      free(xs);
      return sum;
    });
    expect(sum).toBe(1000);
  },
);

test.each([warmPools(1), warmPools(2)])(
  'an invocation gives an array that is freed meanwhile to the tasks of a nested parallelInvokeSync, $name',
  async (pools) => {
    const [words, xs] = [sharedWords(), sharedArray(Float64Array, 1000).fill(1)];
    const both = await pools.use((pool) => {
      const both = pool.invoke(invokesNested, xs, words);
      free(xs);
      tell(words, 0);
      return both;
    });
    expect(both).toBe(1999);
  },
);
