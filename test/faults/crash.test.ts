import { type ForkJoinTask, WorkerCrashError } from 'furcate';
import { describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, tell, whenSet } from '../helpers/words.js';

interface Dying extends Record<string, unknown> {
  readonly double: Scenario;
  readonly dies: Scenario;
  readonly diesWhenTold: Scenario;
  readonly outlivesAWorker: Scenario;
  readonly losesAChild: Scenario;
  readonly shrugs: Scenario;
  readonly counts: Scenario;
  readonly deaf: Scenario;
  readonly tellsOfItsEnd: Scenario;
  readonly treeWithAMortal: Scenario;
  readonly Mortal: new (how: string) => ForkJoinTask<string>;
}

const dying = await fixture<Dying>('dying.mjs');
/** The exit code of a worker that has used up its memory. Deno gives 0 or another one. */
const OUT_OF_MEMORY: number = 'Deno' in globalThis ? expect.any(Number) : 1;
const SMALL_HEAP = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

const poolOf = poolMaker('close', { resourceLimits: SMALL_HEAP });

const thrownBy = async (body: () => unknown): Promise<WorkerCrashError> => {
  try {
    await body();
  } catch (error) {
    return error as WorkerCrashError;
  }
  throw new Error('nothing was thrown');
};

function expectCrash(error: unknown, exitCode: number, running: RegExp): void {
  expect(error).toBeInstanceOf(WorkerCrashError);
  expect(error).toMatchObject({ name: 'WorkerCrashError', exitCode, running: expect.stringMatching(running) });
}

describe.each([1, 2, 4])('with %i workers', (parallelism) => {
  test.each([
    ['exit', 7],
    ['exit 0', 0],
    ['memory', OUT_OF_MEMORY],
  ])('a task that ends its worker (%s) rejects its invocation, and the pool serves the next', async (how, exitCode) => {
    const pool = poolOf(parallelism);
    expectCrash(await thrownBy(() => pool.invoke(dying.dies, how)), exitCode, /^dies$/);
    expect(await pool.invoke(dying.double, 4)).toBe(8);
    expectCrash(await thrownBy(() => pool.invoke(new dying.Mortal(how))), exitCode, /^Mortal$/);
    expect(pool.invokeSync(dying.double, 5)).toBe(10);
  });

  test('every invocation in flight is rejected with what was in flight', async () => {
    const pool = poolOf(parallelism);
    const words = sharedWords();
    const first = thrownBy(() => pool.invoke(dying.dies, 'exit'));
    const others = Array.from({ length: 6 }, () => thrownBy(() => pool.invoke(dying.counts, words)));
    for (const error of await Promise.all([first, ...others])) expectCrash(error, 7, /^dies, counts$/); // each name once
    const writes = words[2];
    expect(await pool.invoke(dying.double, 4)).toBe(8);
    expect(words[2]).toBe(writes);
  });
});

test('an error outside of any task reaches a caller that blocks as the cause of its WorkerCrashError', async () => {
  const pool = poolOf(3);
  await pool.ready();
  const error = await thrownBy(() => pool.invokeSync(dying.outlivesAWorker, sharedWords()));
  expectCrash(error, 1, /^outlivesAWorker$/);
  expect(error.cause).toMatchObject({ name: 'Error', message: 'out of band' });
  expect(pool.invokeSync(dying.double, 4)).toBe(8);
});

test.each(['microtask', 'rejection', 'exit'])(
  'a worker that dies while nothing is in flight (%s) is a process warning that names pool and worker',
  async (how) => {
    const pool = poolOf(1, { name: 'mill' });
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const words = sharedWords();
    await pool.invoke(dying.diesWhenTold, words, how); // it has returned: nothing is in flight any more
    tell(words, 1);
    const { name, message } = await warned;
    expect(name).toBe('FurcateWarning');
    const exitCode = how === 'exit' ? 7 : 1;
    const head = `furcate: worker 1 of pool 'mill' ended with exit code ${exitCode} while nothing was in flight`;
    if (how === 'exit') expect(message).toBe(head);
    else {
      const thrown = how === 'rejection' ? 'nobody waits for it' : 'out of band';
      expect(message).toContain(`${head} for an error outside of tasks:\nError: ${thrown}\n    at `);
      expect(message).toContain('dying.mjs');
    }
    expect(await pool.invoke(dying.double, 4)).toBe(8);
  },
);

describe.each([2, 4])('with %i threads', (parallelism) => {
  test.each(['microtask', 'rejection', 'immediate'])(
    'an error outside of any task (%s) is a crash too',
    async (how) => {
      const pool = poolOf(parallelism);
      await pool.ready();
      const words = sharedWords();
      const deaf = thrownBy(() => pool.invoke(dying.deaf, words)); // it lets nothing in: a worker that dies in its event loop is another
      await whenSet(words);
      await pool.invoke(dying.dies, how).catch(() => {}); // it may die before it has said that it returned
      const error = await deaf;
      expectCrash(error, 1, /deaf|dies/);
      expect((error as Error).cause).toMatchObject({
        message: how === 'rejection' ? 'nobody waits for it' : 'out of band',
      });
      expect(await pool.invoke(dying.double, 4)).toBe(8);
    },
  );

  test.each([
    ['exit', 7],
    ['memory', OUT_OF_MEMORY],
  ])('a child that dies elsewhere (%s) fails the invocation that blocks the caller', async (how, exitCode) => {
    const pool = poolOf(parallelism);
    expectCrash(
      await thrownBy(() => pool.invokeSync(dying.losesAChild, sharedWords(), how)),
      exitCode,
      /^losesAChild$/,
    );
    expect(pool.invokeSync(dying.double, 4)).toBe(8);
    expect(await pool.invoke(dying.double, 5)).toBe(10);
    expectCrash(await thrownBy(() => pool.invoke(dying.losesAChild, sharedWords(), how)), exitCode, /^losesAChild$/);
    expect(pool.invokeSync(dying.double, 4)).toBe(8);
  });

  test('a body that catches the loss of its child has crashed nevertheless', async () => {
    const pool = poolOf(parallelism);
    expectCrash(await thrownBy(() => pool.invokeSync(dying.shrugs, sharedWords(), 'exit')), 7, /^shrugs$/);
    expectCrash(await thrownBy(() => pool.invoke(dying.shrugs, sharedWords(), 'exit')), 7, /^shrugs$/);
    expect(pool.invokeSync(dying.double, 4)).toBe(8);
  });

  test('invocations in flight are rejected when a crash is seen by a caller that blocks', async () => {
    const pool = poolOf(parallelism);
    await pool.ready();
    const words = sharedWords();
    const counting = thrownBy(() => pool.invoke(dying.counts, words));
    const blocked = sharedWords();
    if (parallelism > 2)
      expectCrash(await thrownBy(() => pool.invokeSync(dying.losesAChild, blocked, 'exit')), 7, /^losesAChild$/);
    else expectCrash(await thrownBy(() => pool.invoke(dying.dies, 'exit')), 7, /dies/);
    expectCrash(await counting, 7, /counts/);
    const before = words[2];
    expect(pool.invokeSync(dying.double, 4)).toBe(8);
    expect(words[2]).toBe(before);
  });

  test('a blocked caller and those in flight hear of the worker that died, not of those ended because of it', async () => {
    const pool = poolOf(parallelism + 1);
    await pool.ready();
    const words = sharedWords();
    const counting = thrownBy(() => pool.invoke(dying.counts, words));
    await whenSet(words);
    expectCrash(
      await thrownBy(() => pool.invokeSync(dying.losesAChild, sharedWords(), 'exit slowly')),
      7,
      /losesAChild/,
    );
    expectCrash(await counting, 7, /counts/);
  });

  test.each(['invoke', 'invokeSync'] as const)(
    'a leaf that dies in the middle of a tree fails the whole tree (%s)',
    async (form) => {
      const pool = poolOf(parallelism, { checked: true });
      // Checked mode runs every fork as if stolen; under invokeSync a leaf that the caller runs itself only throws.
      for (const mortal of [0, 13, 63]) {
        const error = await thrownBy(() =>
          form === 'invoke'
            ? pool.invoke(dying.treeWithAMortal, 0, 64, mortal)
            : pool.invokeSync(dying.treeWithAMortal, 0, 64, mortal),
        );
        if (WorkerCrashError.is(error)) expectCrash(error, 7, /^treeWithAMortal$/);
        else expect([form, (error as Error).message]).toEqual(['invokeSync', 'this would end the test']);
      }
      expect(await pool.invoke(dying.treeWithAMortal, 0, 64, -1)).toBe(2016);
    },
  );
});

test('a lonely worker that dies between two invocations leaves a pool that works', async () => {
  const pool = poolOf(1);
  for (const how of ['microtask', 'rejection', 'immediate']) {
    const words = sharedWords();
    await pool.invoke(dying.tellsOfItsEnd, words);
    await pool.invoke(dying.dies, how).catch(() => {});
    await whenSet(words);
    const next = await pool.invoke(dying.double, 4).catch((error: unknown) => error); // the owner may not know yet
    if (next !== 8) expectCrash(next, 1, /double/);
    expect(await pool.invoke(dying.double, 5)).toBe(10);
  }
});

test('crashes one after the other leave a pool that works', async () => {
  const pool = poolOf(2);
  for (let i = 0; i < 5; i++) {
    const both = [pool.invoke(dying.dies, 'exit'), pool.invoke(dying.dies, 'exit')];
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe('rejected');
    expect(await pool.invoke(dying.double, i)).toBe(2 * i);
  }
});
