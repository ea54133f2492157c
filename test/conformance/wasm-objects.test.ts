/** Modules and shared memories of WebAssembly cross to workers, in the first call of a pool, too. */
import { ForkJoinPool, parallelMap } from 'furcate';
import { expect, test } from 'vitest';

/** Exports `add(a: i32, b: i32)`. */
const ADD = Uint8Array.from(
  ('0061736d0100000001070160027f7f017f03020100070701036164640000' + '0a09010700200020016a0b').match(/../g) as string[],
  (pair) => Number.parseInt(pair, 16),
);

test('a module and a shared memory are those of the caller in every worker, as values and in a context, before any worker has started', async () => {
  const pool = new ForkJoinPool({ parallelism: 2, graceMs: 1_000_000 }); // finite: functions run on workers alone
  try {
    const module = new WebAssembly.Module(ADD);
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
    const sums = await parallelMap(
      [1, 2, 3, 4],
      (x, _, own) => {
        Atomics.add(new Int32Array(own.memory.buffer), 0, x);
        return (new WebAssembly.Instance(own.module).exports['add'] as (a: number, b: number) => number)(x, 10);
      },
      { pool, context: { module, memory } },
    );
    expect(sums).toEqual([11, 12, 13, 14]);
    expect(new Int32Array(memory.buffer)[0]).toBe(10);
    expect(await parallelMap([module], (own) => WebAssembly.Module.exports(own).length, { pool })).toEqual([1]);
  } finally {
    await pool.close();
  }
});
