import { sharedArray } from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

const nesting = await fixture('nesting.mjs');
const N = 2000;

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(nesting[name] as Scenario, ...args);

  test('tasks fork, and call the Sync forms of algorithms, in any mixture', async () => {
    const xs = sharedArray(Float64Array, N);
    const expected = Float64Array.from({ length: N }, (_, i) => (i * 7919) % 1000);
    const sum = expected.reduce((a, b) => a + b);
    expect(await run('pipeline', xs)).toEqual([sum, sum]);
    const halves = [expected.slice(0, N / 2).sort(), expected.slice(N / 2).sort()];
    expect(Array.from(xs)).toEqual(halves.flatMap((half) => Array.from(half)));
  });

  test('algorithms nest inside the functions of algorithms', async () => {
    const xs = sharedArray(Int32Array, N);
    const rows = 20;
    expect(await run('nested', xs, rows)).toBe((N / rows) * ((rows * (rows - 1)) / 2));
    expect(Array.from(xs)).toEqual(Array.from({ length: N }, (_, i) => Math.floor(i / (N / rows))));
  });

  test('a flat map within the function of a flat map, which is that of its own, emits for itself', async () => {
    const tree = (x: number): number[] => [x, ...(x === 0 ? [] : [1, 2, 3].flatMap(() => tree(x - 1)))];
    expect(await run('emitsTrees', 5)).toEqual([1, 2, 3, 4, 5].flatMap(() => tree(3)));
  });

  test('what an element throws inside a task is caught there', async () => {
    for (const bad of [0, 77, 499]) expect(await run('failsInside', 500, bad)).toBe(`RangeError: element ${bad}`);
    expect(await run('failsInside', 500, 500)).toBe(undefined);
  });

  test('a new pool inside a task is an error that names the cure', async () => {
    const [made] = (await run('misplaced')) as string[];
    expect(made).toMatch(/^Error: .*new ForkJoinPool\(\) inside a task.*fork\(\)/);
  });

  test('each worker has one value of its own from workerLocal', async () => {
    const uses = sharedArray(Int32Array, 1);
    await run('usesWorkerLocal', uses, 50);
    expect(uses[0]).toBe(50);
  });
});
