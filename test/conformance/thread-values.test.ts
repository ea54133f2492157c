/** Values of a thread: a checked pool warns of tasks that may disturb each other, and a context takes them along. */
import {
  type Forkable,
  ForkJoinPool,
  forkable,
  parallelFor,
  parallelMap,
  parallelTabulate,
  SequentialExecutor,
  sharedArray,
  workerLocal,
} from 'furcate';
import { pipeline, taskGraph } from 'furcate/flows';
import { afterEach, describe, expect, test } from 'vitest';
import { onWarning, turn } from '../helpers/event-loop.js';
import { fixture } from '../helpers/executors.js';
import { poolMaker } from '../helpers/pools.js';

type Any = Forkable<unknown[], unknown>;
const tasks = await fixture<Record<string, Any>>('thread-values.mjs');
const task = (name: string): Any => tasks[name] as Any;
const poolOf = poolMaker('close');

describe('under invokeSync, where the caller runs all tasks', () => {
  const warnings: string[] = [];
  let stop = (): void => {};
  afterEach(() => {
    stop();
    warnings.length = 0;
  });
  /** What is warned of while a pool of one runs a task twice. */
  async function warned(checked: boolean, name: string, ...args: unknown[]): Promise<readonly string[]> {
    stop = onWarning((message) => warnings.push(message));
    const pool = poolOf(1, { checked });
    for (let k = 0; k < 2; k++) pool.invokeSync(task(name), ...args);
    await turn();
    await turn();
    return warnings.filter((message) => /get\(\) gave/.test(message));
  }

  test('a checked pool warns once of a value that a task gets again which another has got and that waits in a join', async () => {
    expect(await warned(true, 'across', 'scratch', 3)).toEqual([
      expect.stringMatching(
        /^furcate: checked: workerLocal\(\(\) => new Float64Array\(4\)\): .*use\(\(value\).*isolate.*reentrant: true/,
      ),
    ]);
  });

  test.each([
    ['of a pool that is not checked', false, 'across', ['scratch', 3]],
    ['of what tasks may share', true, 'across', ['dictionary', 3]],
    ['of a task that joins nothing with the value', true, 'across', ['lent', 0]],
    ['of what was lent', true, 'lends', [3]],
    ['of pieces of a loop', true, 'loops', [50]],
    ['of tasks that follow each other', true, 'inTurn', [3]],
  ] as const)('none %s', async (_, checked, name, args) => {
    expect(await warned(checked, name, ...args)).toEqual([]);
  });
});

describe.each([
  ['a pool', () => poolOf(2)],
  ['a checked pool', () => poolOf(2, { checked: true })],
  ['a SequentialExecutor', () => new SequentialExecutor()],
] as const)('in the context of inline functions, in %s,', (_, make) => {
  test('each thread has one value, in one call and the next ones', async () => {
    const pool = make();
    const counter = workerLocal(() => ({ id: Math.random(), calls: 0 }));
    const seen = new Map<number, number>();
    for (let call = 0; call < 3; call++) {
      const all = await parallelMap(
        Array.from({ length: 40 }, (_, i) => i),
        (_, _index, { counter }) => {
          const own = counter.get();
          return [own.id, ++own.calls] as const;
        },
        { pool, context: { counter } },
      );
      for (const [id, calls] of all) seen.set(id, Math.max(seen.get(id) ?? 0, calls));
    }
    expect([...seen.values()].reduce((a, b) => a + b)).toBe(120); // no value was made twice on a thread
    expect(seen.size).toBeLessThanOrEqual(3);
    await pool.close();
  });

  test('it lends values, to loops, nodes and stages', async () => {
    const pool = make();
    const scratch = workerLocal(() => new Float64Array(3));
    const context = { tools: [scratch] };
    await parallelFor(10, (i, { tools }) => void tools[0]?.use((buffer) => buffer.fill(i)), { pool, context });
    const squares = await parallelTabulate(
      Float64Array,
      10,
      (i, { tools }) => tools[0]?.use((buffer) => buffer.fill(i).reduce((a, b) => a + b)) ?? -1,
      { pool, context },
    );
    expect([...squares]).toEqual(Array.from({ length: 10 }, (_, i) => 3 * i));
    const doubled = await pipeline([1, 2], { pool })
      .map((x, { tools }) => tools[0]?.use((buffer) => buffer.length * x) ?? -1, { context })
      .toArray();
    expect(doubled).toEqual([3, 6]);
    const graph = taskGraph((g) =>
      g.with({ context }).task((n: number, { tools }: typeof context) => tools[0]?.use((b) => b.length + n) ?? -1, 1),
    );
    expect(await graph.with({ pool }).run()).toBe(4);
    await pool.close();
  });

  test('init may be a forkable, and one that captures a variable is told by its place', async () => {
    const pool = make();
    const sizes = [4];
    const scratch = workerLocal(() => new Float64Array(sizes[0] ?? 0));
    const error = parallelFor(10, (_, { scratch }) => void scratch.get(), { pool, context: { scratch } });
    await expect(error).rejects.toThrow(/^furcate: context\.scratch\.init uses the captured variable `sizes`/);
    const made = workerLocal(task('makes') as () => number[]);
    expect(await parallelMap([1], (x, _index, { made }) => [...made.get(), x], { pool, context: { made } })).toEqual([
      [7, 1],
    ]);
    await pool.close();
  });
});

test('the values of a context end as others do', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const ended = sharedArray(Int32Array, 1);
  const made = workerLocal(() => ({ ended: undefined as Int32Array | undefined }), {
    dispose: ({ ended }) => void (ended && Atomics.add(ended, 0, 1)),
  });
  await parallelMap(
    [1, 2],
    (_, _index, { made, ended }) => {
      made.get().ended = ended;
    },
    { pool, context: { made, ended } },
  );
  await pool.close();
  expect(ended[0]).toBeGreaterThan(0);
});

test('an argument of a task is refused by its place', async () => {
  const pool = poolOf(1);
  const fn = forkable(import.meta.url, 'takes', (local: unknown) => typeof local);
  const local = workerLocal(() => 1);
  await expect(pool.invoke(fn, local)).rejects.toThrow(/^furcate: argument 1 of takes \(at \.init\) is a function/);
});
