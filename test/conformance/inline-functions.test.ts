/**
 * Errors of inline functions: the call is in the stack, whoever is to blame is named, and writes to a context are no secret;
 * on the caller as in workers.
 */
import { type AlgorithmOptions, ForkJoinPool, parallelMap, SequentialExecutor } from 'furcate';
import { describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { fixture, fixtureText } from '../helpers/executors.js';
import { coldPools, type Pools, warmPools } from '../helpers/pools.js';

type Call = (options: AlgorithmOptions) => Promise<unknown>;
interface Inline {
  readonly calls: Readonly<Record<string, Call>>;
  readonly mistakes: Readonly<Record<string, Call>>;
  readonly writes: Readonly<Record<string, Call>>;
  readonly ofModule: Call;
}

const { calls, mistakes, writes, ofModule } = await fixture<Inline>('inline.mjs');
const warm = warmPools(2);

const lines = (await fixtureText('inline.mjs')).split('\n');
const lineOf = (call: string): number => lines.findIndex((line) => line.endsWith(`// CALL ${call}`)) + 1;

interface Place {
  readonly name: string;
  readonly pools: Pools;
  readonly options: AlgorithmOptions;
}

const failureOf = async (call: Call, { pools, options }: Place): Promise<Error> => {
  try {
    await pools.use((pool) => call({ ...options, pool }));
  } catch (error) {
    return error as Error;
  }
  throw new Error('the call did not fail');
};

/** A function that is not known to be short goes to the pool, and with one leaf to the caller at the latest. */
const PLACES: Place[] = [
  { name: 'wherever it runs', pools: warm, options: {} },
  { name: 'in many leaves', pools: warm, options: { threshold: 64 } },
  { name: 'in many leaves, on a cold worker', pools: coldPools(1), options: { threshold: 64 } },
];

/** V8 and Bun; SpiderMonkey and JavaScriptCore. */
const FRAME = /^( {4}at |[^@]*@)/;
/** In some engines, a stack begins with the message. */
const isMessageInStack = (new Error('shown').stack as string).includes('shown');

describe.each(PLACES)('$name,', (place) => {
  test.each(Object.keys(calls))('the stack of an error has the file and line of the call once: %s', async (name) => {
    for (let round = 0; round < (place.pools.cold ? 1 : 3); round++) {
      const { stack } = await failureOf(calls[name] as Call, place);
      const frames = (stack as string).split('\n').filter((line) => line.includes(`inline.mjs:${lineOf(name)}:`));
      expect([stack, frames]).toEqual([stack, [expect.stringMatching(FRAME)]]);
      if (name !== 'bad argument' && name !== 'tasks')
        expect(stack).toMatch(/furcate:inline\/\w+\.js(, <anonymous>)?:\d+:\d+/); // Deno shows more
    }
  });

  test.each(Object.keys(mistakes))('a mistake is blamed on whose it is: %s', async (problem) => {
    const error = await failureOf(mistakes[problem] as Call, place);
    expect(error.message).toContain(`furcate: ${problem}`);
    expect((error.stack as string).includes(error.message)).toBe(isMessageInStack);
    expect(error.stack).toMatch(/furcate:inline\//);
  });

  test('what a forkable lacks is its own ReferenceError', async () => {
    const error = await failureOf(ofModule, place);
    expect(error).toBeInstanceOf(ReferenceError);
    expect(error.message).toBe('nowhere is not defined');
    expect(error.stack).toMatch(/usesNowhere|inline\.mjs/);
  });

  test.each(Object.keys(writes))('a write to a context is an error that says what to do instead: %s', async (what) => {
    const error = await failureOf(writes[what] as Call, place);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^furcate: .*`context`.*shared array/);
  });
});

test('an error comes home where stacks are turned off', async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const forms = mayBlock ? ['promise form', 'Sync form'] : ['promise form'];
  const errors = await Promise.all(forms.map((form) => failureOf(calls[form] as Call, PLACES[0] as Place)));
  Error.stackTraceLimit = stackTraceLimit;
  expect(errors.map(({ message }) => message)).toEqual(forms.map(() => 'boom'));
});

test('a function sees nothing of a page, wherever it runs', async () => {
  const isOnPage = 'document' in globalThis;
  if (!isOnPage) (globalThis as { document?: object }).document = { title: 'a page' };
  try {
    const reads = (): unknown => document.title;
    const asks = (): string => typeof document;
    for (const pool of [new SequentialExecutor(), new ForkJoinPool({ parallelism: 1 })]) {
      await expect(parallelMap([1], reads, { pool })).rejects.toThrow(/captured variable `document`/);
      expect(await parallelMap([1], asks, { pool })).toEqual(['undefined']);
      await pool.close();
    }
  } finally {
    if (!isOnPage) delete (globalThis as { document?: object }).document;
  }
});
