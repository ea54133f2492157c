/** How far the runs of pipelines are: what `onProgress` is told. In every executor. */
import { type PipelineOptions, type PipelineProgress, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { EXECUTORS } from '../helpers/graph-executors.js';
import { errorOf } from '../helpers/outcomes.js';

/** The last of the reports, without times, which are checked. */
function counts(reports: readonly PipelineProgress[]): object {
  const { read, total, stages } = reports.at(-1) as PipelineProgress;
  for (const { ms } of stages) expect(ms).toBeGreaterThanOrEqual(0);
  return { read, total, stages: stages.map(({ stage, begun, done }) => `${stage}: ${begun}, ${done}`) };
}

describe.each(EXECUTORS)('in %s,', (_, make) => {
  const options = (reports: PipelineProgress[]): PipelineOptions => ({
    pool: make(),
    onProgress: (progress) => void reports.push(progress),
  });

  test('the last report has all that was read, and each item of each stage that calls functions', async () => {
    const reports: PipelineProgress[] = [];
    const sum = await pipeline([1, 2, 3, 4], options(reports))
      .map((x) => x + 1, { name: 'add' })
      .filter((x) => x !== 3)
      .batch(2)
      .flatMap((list) => [...list, 0])
      .reduce((a, b) => a + b, 0);
    expect(sum).toBe(11);
    expect(counts(reports)).toEqual({
      read: 4,
      total: 4,
      stages: [
        "map(), stage 1 of the pipeline ('add'), filter(), stage 2 of the pipeline: 4, 4",
        'flatMap(), stage 4 of the pipeline: 2, 2',
        'reduce(), stage 5 of the pipeline: 5, 5',
      ],
    });
  });

  test('visits of an expand are counted one by one, and the length of a generator is not known', async () => {
    const reports: PipelineProgress[] = [];
    const source = (function* (): Generator<number> {
      yield 3;
    })();
    const all = await pipeline(source, options(reports))
      .expand((n, feed) => {
        if (n > 0) feed.add(n - 1);
        return n;
      })
      .toArray();
    expect(all).toHaveLength(4);
    expect(counts(reports)).toEqual({
      read: 1,
      total: Number.POSITIVE_INFINITY,
      stages: ['expand(), stage 1 of the pipeline: 4, 4'],
    });
  });

  test('a run that fails makes no last report, and an error of onProgress is the error of the run', async () => {
    const reports: PipelineProgress[] = [];
    const failing = pipeline([1], options(reports)).map(() => {
      throw new RangeError('no');
    });
    expect(await errorOf(failing.toArray())).toMatchObject({ name: 'RangeError' });
    expect(reports.every(({ stages }) => stages[0]?.done === 0)).toBe(true);
    const throwing = pipeline([1], {
      pool: make(),
      onProgress() {
        throw new TypeError('enough');
      },
    });
    expect(await errorOf(throwing.map((x) => x).toArray())).toMatchObject({ name: 'TypeError', message: 'enough' });
  });
});
