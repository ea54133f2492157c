/** Instances of classes in fields, arguments, results, errors and contexts: those of registered classes cross, no others. */
import {
  type Forkable,
  ForkJoinPool,
  NotShareableError,
  parallelMap,
  parallelMapSync,
  type RecursiveTask,
  sharedArray,
  TaskRegistrationError,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';
import { executors, fixture, type Scenario } from '../helpers/executors.js';
import { allCold, warmPools } from '../helpers/pools.js';

interface Vec {
  x: number;
  y: number;
  readonly length: number;
  plus(other: Vec): Vec;
}
type Make<T> = new (...args: unknown[]) => T;
interface Values {
  readonly Vec: Make<Vec>;
  readonly Vec3: Make<Vec>;
  readonly Link: Make<object>;
  readonly Unregistered: Make<{ n: number }>;
  readonly Registry: Make<Map<unknown, unknown>>;
}

const { Vec, Vec3, Link, Unregistered, Registry } = await fixture<Values>('value-classes.mjs');
const classes = await fixture('classes.mjs');

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(classes[name] as Scenario, ...args);

  test('instances of registered classes have their class and fields on whichever thread, in whatever they stand', async () => {
    const vec = new Vec(3, 4);
    expect(await run('throughAll', vec, new Link(vec))).toEqual({
      cycle: 5,
      asResult: 10,
      asArgument: 5,
      sum: [13, 16, Math.hypot(13, 16)],
      fields: [Math.hypot(7, 8), true, true, true],
    });
  });

  test('a property of an error keeps its class', async () => {
    expect(await run('thrown', new Vec(3, 4))).toEqual(['too long', 5]);
  });

  test('instances of other classes fail at the join, by field, argument or result, in checked mode every time', async () => {
    for (const kind of ['Local', 'LocalMap', 'LocalList']) {
      const [argument, field] = (await run('carries', kind)) as [unknown, unknown];
      const result = await run('results', kind);
      const expected = (what: string): RegExp =>
        new RegExp(`^NotShareableError: furcate: ${what} .*is an instance of ${kind}, which would lose its class`);
      if (executor.checked) {
        expect(argument).toMatch(expected('argument 1 of first \\(at \\[0\\]\\)'));
        expect(field).toMatch(expected("field 'value' of Carrier \\(at \\.deep\\)"));
        expect(result).toMatch(expected('the result of makes'));
      } else {
        expect(['object', argument]).toContainEqual(
          argument === 'object' ? 'object' : expect.stringMatching(expected('argument 1 of first')),
        );
        expect(['object', result]).toContainEqual(
          result === 'object' ? 'object' : expect.stringMatching(expected('the result of makes')),
        );
      }
    }
  });
});

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

describe('what is invoked', () => {
  test('is refused with an instance of an unregistered class, of a subclass, or of a kind of Map', async () => {
    const lengthOf = classes['lengthOf'] as Forkable<[unknown], unknown>;
    const Adds = classes['Adds'] as unknown as new (vec: unknown, holder: unknown) => RecursiveTask<unknown>;
    for (const value of [new Unregistered(), new Vec3(1, 2), new Registry()]) {
      const name = value.constructor.name;
      await expect(pool.invoke(lengthOf, [value])).rejects.toThrow(NotShareableError);
      await expect(pool.invoke(lengthOf, [value])).rejects.toThrow(
        `argument 1 of lengthOf (at [0]) is an instance of ${name}`,
      );
      await expect(pool.invoke(new Adds(value, {}))).rejects.toThrow(`field 'vec' of Adds is an instance of ${name}`);
    }
  });

  test('gives an instance of a class that this thread has not loaded as a TaskRegistrationError that names it', async () => {
    const invocation = pool.invoke(classes['ofWorker'] as Forkable<[], unknown>);
    await expect(invocation).rejects.toThrow(TaskRegistrationError);
    await expect(invocation).rejects.toThrow(
      /'OfWorker' of file:\/\/\/nowhere\/of-worker\.mjs is not loaded on this thread/,
    );
    expect(await pool.invoke(classes['lengthOf'] as Forkable<[unknown], number>, new Vec(3, 4))).toBe(5);
  });
});

describe.each([warmPools(2), ...allCold()])('with a pool of $name, a context', (pools) => {
  const xs = sharedArray(
    Float64Array,
    Array.from({ length: 4000 }, (_, i) => i),
  );

  test('holds instances of registered classes for functions on any thread', async () => {
    const context = { origin: new Vec(3, 4), path: [new Vec(0, 1), new Vec(6, 8)] };
    const add = (x: number, _: number, { origin, path }: typeof context): number =>
      x + origin.length + (path[1]?.length ?? 0);
    for (const threshold of [undefined, 16]) {
      const options = { context, ...(threshold === undefined ? {} : { threshold }) };
      const mapped = await pools.use((pool) => parallelMap(xs, add, { ...options, pool }));
      expect(mapped[3999]).toBe(3999 + 5 + 10);
      if (!mayBlock) continue;
      const mappedHere = await pools.use((pool) => parallelMapSync(xs, add, { ...options, pool }));
      expect(mappedHere[3999]).toBe(3999 + 5 + 10);
    }
  });

  test('is refused with others, by their path, before anything starts', async () => {
    const run = parallelMap(xs.subarray(0, 4), (x) => x, { pool, context: { deep: [new Unregistered()] } as never });
    await expect(run).rejects.toThrow(NotShareableError);
    await expect(run).rejects.toThrow('furcate: context.deep[0] is an instance of Unregistered');
  });
});
