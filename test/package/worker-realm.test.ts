/** Tests what a worker of the built package contains besides the user's modules. */
import { Worker } from 'node:worker_threads';
import { type Forkable, ForkJoinPool, parallelFor } from 'furcate';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface World {
  readonly globals: string[];
  readonly loaded: string[];
}

const { worldOfTask } = (await import(new URL('../fixtures/worker-realm.mjs', import.meta.url).href)) as {
  worldOfTask: Forkable<[], World>;
};

let pool: ForkJoinPool;

beforeAll(() => {
  pool = new ForkJoinPool({ parallelism: 1 });
});

afterAll(() => pool.close());

/** The names on the global object of a worker without the library. */
const globalsOfBareWorker = (): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const code = `require('node:worker_threads').parentPort.postMessage(Object.getOwnPropertyNames(globalThis))`;
    new Worker(code, { eval: true }).once('message', resolve).once('error', reject);
  });

test('the library adds no name to the global object, where inline functions would find it instead of a captured variable', async () => {
  const { globals } = await pool.invoke(worldOfTask);
  const bare = await globalsOfBareWorker();
  expect(globals.filter((name) => !bare.includes(name))).toEqual([]);
});

test('a captured variable is reported even if the library has a function of that name', async () => {
  const removeAt = (i: number): number => i;
  await expect(parallelFor(3_000_000, (i) => void removeAt(i), { pool })).rejects.toThrow(/removeAt/);
});

test('a module that a worker imports uses the library that is already loaded', async () => {
  const { loaded } = await pool.invoke(worldOfTask);
  expect(loaded).toEqual([]);
});
