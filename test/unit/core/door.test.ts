/** A small extension built on the first group of the door alone, as src/algorithms/README.md shows it. */
import { expect, test } from 'vitest';
import {
  beginCall,
  builtin,
  Call,
  type Callee,
  type CallJob,
  type CallOptions,
  compiled,
  type Forkable,
  fork,
  jobKind,
  jobState,
  join,
  loopCheckpoint,
  progress,
  type ShippedFunction,
  sharedArray,
  shipFunction,
} from '../../../src/core/engine.js';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { SequentialExecutor } from '../../../src/core/pool/sequential-executor.js';

registerHost(detectNode);

interface Spec {
  readonly xs: Float64Array;
  readonly test: ShippedFunction;
}
interface Opened {
  readonly xs: Float64Array;
  readonly test: (x: number) => boolean;
}

const COUNT = jobKind(
  'count by halves',
  ({ xs, test: shipped }: Spec): Opened => ({
    xs,
    test: compiled(shipped) as Opened['test'],
  }),
);

const countRange: Forkable<[job: number, lo: number, hi: number], number> = builtin(
  'countRange',
  (job: number, lo: number, hi: number): number => {
    loopCheckpoint();
    if (hi - lo > 100) {
      const mid = (lo + hi) >>> 1;
      const right = fork(countRange, job, mid, hi);
      return countRange(job, lo, mid) + join(right);
    }
    const { xs, test: counts } = jobState<Opened>(job);
    let count = 0;
    for (let i = lo; i < hi; i++) if (counts(xs[i] as number)) count++;
    progress(job, hi - lo);
    return count;
  },
);
const countAll = builtin('countAll', (job: number, from: number) =>
  countRange(job, from, jobState<Opened>(job).xs.length),
);

const names = { promise: 'countWhere', sync: 'countWhereSync' };
const CALLEE: Callee = { form: 'promise', name: names.promise, names };

function jobOf(callee: Callee, xs: Float64Array, counts: Opened['test'], options: CallOptions): CallJob<number> {
  const call = Call.admit(options, callee);
  const spec: Spec = { xs, test: shipFunction(counts, 'test') };
  return call.job({ total: xs.length, kind: COUNT, spec, root: countAll, from: 0, sharedWords: 0 });
}

function countWhere(xs: Float64Array, counts: Opened['test'], options: CallOptions = {}): Promise<number> {
  return beginCall(CALLEE.name, options, countWhere, (leaving) => {
    leaving();
    return jobOf(CALLEE, xs, counts, options).run();
  }).promise;
}

const countWhereSync = (xs: Float64Array, counts: Opened['test'], options: CallOptions = {}): number =>
  jobOf({ ...CALLEE, form: 'sync', name: names.sync }, xs, counts, options).runSync();

const xs = sharedArray(
  Float64Array,
  Array.from({ length: 1000 }, (_, k) => k),
);

test('an extension has both forms, options, progress and errors as algorithms have them', async () => {
  const pool = new SequentialExecutor();
  const seen: number[] = [];
  const onProgress = (done: number, total: number): void => void seen.push(done, total);
  expect(await countWhere(xs, (x) => x % 3 === 0, { pool, onProgress })).toBe(334);
  expect(seen.slice(-2)).toEqual([1000, 1000]);
  expect(countWhereSync(xs, (x) => x < 250, { pool })).toBe(250);
  const failing = (): boolean => {
    throw new RangeError('no');
  };
  await expect(countWhere(xs, failing, { pool })).rejects.toThrow(new RangeError('no'));
  await expect(countWhere(xs, () => true, { pool, timeoutMs: -1 })).rejects.toThrow(
    'countWhere: options.timeoutMs must be',
  );
  await expect(countWhere(xs, () => true, { pool, signal: AbortSignal.abort() })).rejects.toThrow(
    'aborted by its signal',
  );
  await pool.close();
});

test('its functions refuse work in a pool that is closed', async () => {
  const pool = new SequentialExecutor();
  await pool.close();
  await expect(countWhere(xs, () => true, { pool })).rejects.toMatchObject({ name: 'RejectedExecutionError' });
});
