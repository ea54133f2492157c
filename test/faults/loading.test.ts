import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type AsyncForkable, type ForkJoinTask, sharedArray, TaskRegistrationError, WorkerCrashError } from 'furcate';
import { describe, expect, test } from 'vitest';
import { coarse, Sum } from '../fixtures/typed-task.js';
import { fixture, type Scenario } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';

const dying = await fixture('dying.mjs');
const broken = await fixture('fails-in-workers.mjs');
const silent = await fixture('registers-on-main.mjs');
const absent = await fixture<{ nowhere: Scenario; Nowhere: new () => ForkJoinTask<string> }>('nowhere.mjs');
const frozen = await fixture<{ successor: Scenario }>('frozen-url.mjs');
const urlOf = (name: string): string => new URL(`../fixtures/${name}`, import.meta.url).href;

const poolOf = poolMaker('close');

/** Runs `body` while modules of fixtures are not available to workers, until it calls `end`. */
async function unavailable(body: (end: () => void) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'furcate-unavailable-'));
  const file = join(folder, 'unavailable');
  writeFileSync(file, '');
  process.env['FURCATE_TEST_UNAVAILABLE'] = file;
  try {
    await body(() => rmSync(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => new Error(`no error but ${String(value)}`),
    (error: Error) => error,
  );

describe.each([1, 2])('with %i workers', (parallelism) => {
  test('code that workers cannot import is a TaskRegistrationError that says why, and the pool works on', async () => {
    const pool = poolOf(parallelism);
    const cases: [Promise<Error>, RegExp][] = [
      [errorOf(pool.invoke(broken['here'] as Scenario)), /cannot load the function 'here'.*no workers here/],
      [errorOf(pool.invoke(silent['here'] as Scenario)), /registers-on-main\.mjs registers nothing of that name/],
      [errorOf(pool.invoke(absent.nowhere)), /cannot load the function 'nowhere'.*no-such-module/],
      [errorOf(pool.invoke(new absent.Nowhere())), /cannot load the class 'Nowhere'.*no-such-module/],
    ];
    for (const [promise, message] of cases) {
      const error = await promise;
      expect(error).toBeInstanceOf(TaskRegistrationError);
      expect(error.message).toMatch(message);
    }
    expect((await errorOf(pool.invoke(absent.nowhere))).message).toMatch(/nowhere/);
    expect(await pool.invoke(dying['double'] as Scenario, 4)).toBe(8);
  });

  describe('an import that fails for a while', () => {
    test.each([
      ['the module itself', 'sometimes-imported.mjs'],
      ['what it imports', 'sometimes-imported-deep.mjs'],
    ])('is tried again by the next call, in the same pool: %s', async (_, file) => {
      await unavailable(async (end) => {
        const { now } = await fixture(file);
        const pool = poolOf(parallelism);
        const calls = [1, 2].map((x) => errorOf(pool.invoke(now as Scenario, x)));
        for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(TaskRegistrationError);
        expect((await errorOf(pool.invoke(now as Scenario, 3))).message).toMatch(/half written|not available yet/);
        end();
        expect(await pool.invoke(now as Scenario, 4)).toBe(4);
      });
    });

    test('is tried again while other calls are in flight', async () => {
      await unavailable(async (end) => {
        const { now } = await fixture('sometimes-imported.mjs');
        const { awaits } = await fixture<{ awaits: AsyncForkable<[Int32Array, number], number> }>('holding.mjs');
        const pool = poolOf(parallelism);
        const gate = sharedArray(Int32Array, 2);
        const other = pool.invoke(awaits, gate, 1);
        expect((await errorOf(pool.invoke(now as Scenario, 3))).message).toMatch(/half written/);
        end();
        expect(await pool.invoke(now as Scenario, 4)).toBe(4);
        Atomics.store(gate, 1, 1);
        expect(await other).toBe(1);
      });
    });
  });

  test('a call waits for an import, and its worker does other work meanwhile', async () => {
    await unavailable(async (end) => {
      const { late } = await fixture('imported-late.mjs');
      const pool = poolOf(parallelism);
      const patient = pool.invoke(late as Scenario, 7);
      expect(await pool.broadcast(dying['double'] as Scenario, 4)).toEqual(Array(parallelism).fill(8));
      end();
      expect(await patient).toBe(7);
    });
  });

  test('code whose URL a bundler has frozen is explained, and that failure does not reach workers that have the code', async () => {
    const workersOf = (file: string) => ({ createWorker: () => new Worker(new URL(urlOf(file))) });
    const { successor } = frozen;
    const error = await errorOf(poolOf(parallelism).invoke(successor, 1));
    expect(error).toBeInstanceOf(TaskRegistrationError);
    expect(error.message).toMatch(
      /importing file:\/\/\/build\/machine\/tasks\.mjs failed.*createWorker: \(\) => new Worker/,
    );
    const lacking = poolOf(parallelism, workersOf('plain-worker.mjs'));
    expect((await errorOf(lacking.invoke(successor, 1))).message).toMatch(
      /import the module that registers 'successor'/,
    );
    const pool = poolOf(parallelism, workersOf('frozen-url-worker.mjs'));
    expect(await pool.invoke(successor, 1)).toBe(2);
    expect(pool.invokeSync(successor, 2)).toBe(3);
  });

  test('code that no worker can import still runs where its maker is', () => {
    expect(poolOf(parallelism).invokeSync(absent.nowhere)).toBe('nowhere');
    expect(poolOf(parallelism).invokeSync(broken['here'] as Scenario)).toBe('here');
  });

  test('preload modules are imported before any task runs', async () => {
    expect(await poolOf(parallelism).invoke(dying['preloaded'] as Scenario)).toBe(undefined);
    const pool = poolOf(parallelism, { preload: [urlOf('preloaded.mjs')] });
    expect(await pool.invoke(dying['preloaded'] as Scenario)).toBe('preloaded.mjs');
  });

  test('a preload module that fails is reported, by ready() and by what is in flight', async () => {
    const pool = poolOf(parallelism, { preload: [urlOf('preload-throws.mjs')] });
    expect((await errorOf(pool.ready())).message).toMatch(/the preload module failed/);
    const error = await errorOf(pool.invoke(dying['double'] as Scenario, 4));
    expect(error).toBeInstanceOf(WorkerCrashError);
    expect(error.message).toMatch(/the preload module failed/);
  });

  test('workers that never come up are reported', async () => {
    const pool = poolOf(parallelism, { preload: [urlOf('preload-exits.mjs')] });
    expect(await errorOf(pool.invoke(dying['double'] as Scenario, 4))).toMatchObject({
      name: 'WorkerCrashError',
      exitCode: 3,
    });
    expect((await errorOf(pool.ready())).message).toMatch(/ended while they started/);
  });

  test('tasks in TypeScript run with the preload module furcate/tsx', async () => {
    const pool = poolOf(parallelism, { preload: ['furcate/tsx'], checked: true });
    expect(await pool.invoke(new Sum(0, 100))).toBe(4950);
    expect(await pool.invoke(coarse, 95)).toBe(95);
    expect(pool.invokeSync(new Sum(0, 100))).toBe(4950);
  });
});
