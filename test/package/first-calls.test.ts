/** Runs each algorithm as the first call of a process, to check that it loads every part of the library that it needs. */
import { expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';

/** Calls on an array that is long enough for the WebAssembly kernels. */
const CALLS = [
  'parallelForSync(xs.length, (i, { xs }) => { xs[i] = i; }, { context: { xs } })',
  'parallelForEachSync(xs, () => {})',
  'parallelMapSync(xs, (x) => x + 1)',
  'parallelTabulateSync(Float64Array, 100_000, (i) => i)',
  'parallelFillSync(xs, 3)',
  "parallelReduceSync(xs, 'sum')",
  'parallelReduceSync(xs, (a, b) => a + b, 0)',
  'parallelCountSync(xs, (x) => x < 1)',
  'parallelMinMaxSync(xs)',
  "parallelScanSync(xs, 'sum')",
  "parallelScanSync(xs, 'max', { exclusive: true })",
  'parallelScanSync(xs, (a, b) => a + b, 0)',
  'parallelFindIndexSync(xs, (x) => x > 1)',
  'parallelIndexOfSync(xs, 7)',
  'parallelSomeSync(xs, (x) => x > 1e9)',
  'parallelFilterSync(xs, (x) => x < 1)',
  'parallelFilterSync(xs, (x) => Math.sqrt(x) > 2)',
  'parallelPartitionSync(xs, (x) => x < 1)',
  'parallelUniqueSync(xs)',
  "parallelReduceByKeySync(xs, xs, 'sum')",
  'parallelHistogramSync(xs, { bins: 10, min: 0, max: 9 })',
  'parallelHistogramSync(xs, (x) => 1, { bins: 2 })',
  'parallelSortSync(xs)',
  'parallelSortSync(xs, (a, b) => b - a)',
  'parallelSortSync(xs, (a, b) => (Math.abs(a) < Math.abs(b) ? -1 : 1))',
  'parallelArgsortSync(xs)',
  'parallelMergeSync(xs, xs)',
  'parallelTopKSync(xs, 5)',
  'parallelTopKSync(xs, 5000, (a, b) => a - b)',
];

test.each(CALLS)('%s works as the first call of a process', async (call) => {
  const promised = call.replace('Sync(', '(');
  for (const code of [call, `await ${promised}`]) {
    const program = `
      import * as furcate from 'furcate';
      const { ${code.match(/parallel\w+/)?.[0]}, sharedArray } = furcate;
      const xs = sharedArray(Float64Array, 100_000);
      ${code};
      console.log('done');`;
    const outcome = await runNode('--input-type=module', '--eval', program);
    expect(outcome).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  }
});
