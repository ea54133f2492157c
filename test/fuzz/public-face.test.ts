/**
 * Calls every export with hostile arguments. A call must give an answer or a clear error, must not hang, and after an error must have
 * written, started and left nothing. Everything follows from a seed: FURCATE_SEED=n repeats a run.
 */
import * as furcate from 'furcate';
import { expect, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { subjects } from './subjects.js';
import { pool, testSubjects } from './test-subjects.js';

const { ForkJoinPool, forkable, task } = furcate;

const noop = forkable(import.meta.url, 'noop', () => 0);
const all = subjects({
  pool,
  newTask: () => task(noop),
  newPool: () => new ForkJoinPool({ parallelism: 1 }),
});

testSubjects(all, seedOfRun('fuzz'));

/** Members that users can reach but should not use. */
const INTERNAL = new Set(['constructor', 'submit', 'hold', 'startEarly', 'computeHere', 'checkOpen', 'compute']);

test('the table of subjects has every export and every method', () => {
  const names = new Set(all.map(({ name }) => name));
  const owners: Record<string, string> = {
    ForkJoinPool: 'pool',
    SequentialExecutor: 'sequential',
    ForkJoinTask: 'task',
  };
  const missing = Object.entries(furcate).flatMap(([name, value]): string[] => {
    if (typeof value !== 'function') return [name];
    if (!/^class\b/.test(Function.prototype.toString.call(value))) return names.has(name) ? [] : [name];
    const members = (owner: object, ...as: string[]): string[] =>
      Object.entries(Object.getOwnPropertyDescriptors(owner))
        // Names that are private in the sources begin with $ in the build.
        .filter(([key, { value: body }]) => typeof body === 'function' && !INTERNAL.has(key) && !key.startsWith('$'))
        .filter(([key]) => !as.some((each) => names.has(`${each}.${key}`)))
        .map(([key]) => `${name}.${key}`);
    return [
      ...(names.has(`new ${name}`) ? [] : [`new ${name}`]),
      ...members(value, name, 'taskClass'),
      ...members(value.prototype as object, owners[name] ?? name, `new ${owners[name]}`),
    ];
  });
  expect(missing).toEqual([]);
});
