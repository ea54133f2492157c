import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { parallelMap, RecursiveTask, SequentialExecutor, sharedArray } from '../../../../src/index.js';
import type { Estimate } from '../../../../src/insight/profile/estimate.js';
import { charge, profile } from '../../../../src/insight/profile/index.js';
import { type CostTree, costOf, costTrees } from '../../../helpers/cost-trees.js';
import { measuredRuns } from '../../../helpers/journals.js';

registerHost(detectNode);

/** The task takes nothing itself: it forks all leaves, and joins them. */
const flat = (leaves: number, us: number): CostTree => [
  ...Array.from({ length: leaves }, () => ({ fork: [us], form: 'class' }) as const),
  ...Array.from({ length: leaves }, (_, k) => ({ join: leaves - 1 - k })),
];

/** A tree each of whose strands takes so much longer. */
const lengthened = (tree: CostTree, us: number): CostTree => {
  const steps: CostTree[number][] = [us];
  for (const step of tree) {
    if (typeof step === 'number') steps.push(step);
    else steps.push('fork' in step ? { ...step, fork: lengthened(step.fork, us) } : step, us);
  }
  return steps;
};

const estimateOf = (tree: CostTree): Estimate => measuredRuns(tree).estimate();

test('what an observer adds to each strand is taken off, up to half a microsecond', () => {
  const leaves = fc.integer({ min: 20, max: 80 });
  fc.assert(
    fc.property(
      leaves,
      fc.integer({ min: 10, max: 500 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, us, added) => {
        // what is outside of all tasks is one, too
        const { evaluation, precision } = estimateOf([
          { fork: lengthened(flat(n, us), added), form: 'class' },
          { join: 0 },
        ]);
        const counts = added > 0.5 ? added : 0; // so long, it may be of the program
        expect(evaluation?.work).toBeCloseTo(n * us + counts * (3 * n + 1), 6);
        expect(evaluation?.span).toBeCloseTo(us + counts * (2 * n + 1), 6);
        expect(precision).not.toBe('counts');
      },
    ),
  );
});

test('a thread that the system interrupts while the step of the clock is looked for is no coarse clock', () => {
  const tree: CostTree = [{ fork: flat(20, 100), form: 'class' }, { join: 0 }];
  const runs = measuredRuns(tree);
  let nowMs = 0;
  let reads = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += reads++ === 1 ? 50 : 1e-4;
    return nowMs;
  });
  try {
    expect(runs.estimate().precision).toBe('measured');
  } finally {
    now.mockRestore();
  }
});

test('nothing becomes negative by it, and more than all is never taken off', () => {
  fc.assert(
    fc.property(costTrees, fc.double({ min: 0, max: 0.001, noNaN: true }), (tree, scale) => {
      const scaled = (steps: CostTree): CostTree =>
        steps.map((step) =>
          typeof step === 'number' ? step * scale : 'fork' in step ? { ...step, fork: scaled(step.fork) } : step,
        );
      const raw = costOf(scaled(tree));
      const { evaluation, workBounds, spanBounds } = estimateOf(scaled(tree));
      for (const [value, [least, most], all] of [
        [evaluation?.work, workBounds, raw.work],
        [evaluation?.span, spanBounds, raw.span],
      ] as const) {
        expect(least).toBeGreaterThanOrEqual(0);
        expect(value).toBeGreaterThanOrEqual(least);
        expect(most).toBeGreaterThanOrEqual(value as number);
        expect(most).toBeLessThanOrEqual(all + 1e-9);
      }
    }),
  );
});

describe('a clock each of whose readings takes time', () => {
  let nowMs = 0;
  let readMs = 0;

  afterEach(() => {
    vi.restoreAllMocks();
  });

  class Tenths extends RecursiveTask<void> {
    static {
      this.register(import.meta.url, 'Tenths');
    }
    readonly depth: number;
    constructor(depth: number) {
      super();
      this.depth = depth;
    }
    override compute(): void {
      nowMs += 0.1;
      charge();
      if (this.depth === 0) return;
      const left = new Tenths(this.depth - 1).fork();
      new Tenths(this.depth - 1).compute();
      left.join();
    }
  }

  test('its readings count neither by time nor in what is charged', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += readMs;
      return nowMs;
    });
    const executor = new SequentialExecutor();
    for (const us of [0, 0.05, 1, 20]) {
      readMs = us / 1000;
      const report = await profile(() => executor.invoke(new Tenths(4)), { runs: 2 });
      expect(report.work).toBeCloseTo(31 * 100, 3);
      expect(report.span).toBeCloseTo(5 * 100, 3);
      const charged = await profile(() => executor.invoke(new Tenths(4)), { cost: 'charged' });
      expect([charged.work, charged.span]).toEqual([31, 5]);
    }
  });
});

test('an algorithm costs the same whether its caller does it, or a part of it, or none', async () => {
  const cells = sharedArray(Int32Array, 1);
  let msPerElement = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => Atomics.load(cells, 0) * msPerElement);
  const pool = new SequentialExecutor();
  const map = (): Promise<Float64Array> =>
    parallelMap(
      Float64Array.from({ length: 500 }, (_, k) => k),
      (x, _, { cells }) => Atomics.add(cells, 0, 1) + x,
      { pool, context: { cells } },
    );
  try {
    for (msPerElement of [1e-3, 1e-2, 1, 1e3]) {
      const report = await profile(map, { runs: 2 });
      expect(report.work / 1000).toBeCloseTo(500 * msPerElement);
      expect(report.span / 1000).toBeCloseTo(msPerElement);
      expect(report.byTask.map(({ name, tasks }) => [name, tasks])).toEqual([['fn of parallelMap', 500]]);
    }
  } finally {
    vi.restoreAllMocks();
  }
});
