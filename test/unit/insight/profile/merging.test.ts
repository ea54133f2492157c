import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { RecursiveTask, SequentialExecutor } from '../../../../src/index.js';
import { type Course, merged } from '../../../../src/insight/profile/course.js';
import { courseOf } from '../../../../src/insight/profile/course-of.js';
import { evaluate } from '../../../../src/insight/profile/evaluation.js';
import { profile } from '../../../../src/insight/profile/index.js';
import { Journal, type JournalData } from '../../../../src/insight/profile/journal.js';
import { type Label, labelOf, stepsOf } from '../../../../src/insight/profile/point.js';
import { type CostTree, costOf, costTrees } from '../../../helpers/cost-trees.js';
import { journalOf, label } from '../../../helpers/journals.js';

registerHost(detectNode);

const NOTHING = { lessUs: () => 0, stealUs: 0, returnUs: 0 };
const RUNS = 3;

test('of several runs the least time of each strand counts, wherever its task has run', () => {
  fc.assert(
    fc.property(costTrees, fc.infiniteStream(fc.boolean()), (tree, coins) => {
      let course: Course | undefined;
      for (let run = 0; run < RUNS; run++) {
        const noisy = (us: number, n: number): number => us + (n % RUNS === run ? 0 : 1000);
        const next = courseOf(journalOf(tree, noisy, () => coins.next().value));
        course = course === undefined ? next : merged(course, next);
      }
      const { work, span } = evaluate(course as Course, NOTHING);
      expect({ work, span }).toEqual(costOf(tree));
    }),
  );
});

test('steals burden each fork and each join on a path, but no invocation', () => {
  const chain = (n: number): CostTree => (n === 0 ? [1] : [1, { fork: chain(n - 1), form: 'class' }, { join: 0 }]);
  const course = courseOf(
    journalOf(
      chain(3),
      (us) => us,
      () => false,
    ),
  );
  expect(evaluate(course, { lessUs: () => 0, stealUs: 100, returnUs: 10 }).span).toBe(4 + 2 * 110); // the first fork is an invocation, which another thread runs anyway
  expect(evaluate(course, { lessUs: () => 0.5, stealUs: 0, returnUs: 0 }).work).toBe(4 * 0.5);
});

test('a task that took other steps counts as in its cheaper run, and its forks are merged', () => {
  const tree = (first: number, own: number, more: CostTree): CostTree => [
    own,
    { fork: [first], form: 'class' },
    { join: 0 },
    ...more,
  ];
  const runs = [tree(5, 100, []), tree(9, 1, [{ fork: [7], form: 'class' }, { join: 1 }])];
  for (const order of [runs, [...runs].reverse()]) {
    const [one, other] = order.map((tree) =>
      courseOf(
        journalOf(
          tree,
          (us) => us,
          () => false,
        ),
      ),
    ) as [Course, Course];
    expect(evaluate(merged(one, other), NOTHING).work).toBe(1 + 5 + 7);
  }
});

/** Units [lo, hi) that cost so much each, as a thread notes them. */
function noteUnits(journal: Journal, calls: Label, lo: number, hi: number, us: number): void {
  const place = journal.place();
  journal.spend(1_000_000); // what the units note themselves does not count twice
  journal.units(place, calls, lo, hi, us * (hi - lo), us);
}

const parallelMap = labelOf('parallelMap', '');

test('lanes of a stage may share its units in any way', () => {
  /** @param lanes the pieces of each, the first of which is the root's @param late how much later each unit ends than it could */
  const run = (lanes: readonly (readonly (readonly [lo: number, hi: number, late?: number])[])[]): JournalData => {
    const journal = new Journal();
    journal.task(label);
    journal.spend(100);
    const [own = [], ...others] = lanes;
    const forks = others.map(() => journal.fork());
    for (const [lo, hi, late = 0] of own) {
      noteUnits(journal, parallelMap, lo, hi, 5 + late);
      journal.spend(2);
    }
    for (const [k, pieces] of others.entries()) {
      const lane = new Journal();
      lane.spend(3);
      for (const [lo, hi, late = 0] of pieces) noteUnits(lane, parallelMap, lo, hi, 5 + late);
      journal.joined(forks[k] as number, lane.data(), false);
    }
    journal.meet();
    journal.spend(10);
    return journal.data() as JournalData;
  };
  const runs = [
    run([
      [
        [0, 4],
        [4, 6, 9],
      ],
      [[6, 10]],
    ]),
    run([
      [
        [0, 4, 7],
        [4, 6],
      ],
      [
        [6, 8],
        [8, 10, 1],
      ],
      [],
    ]),
    run([[], [[0, 6, 20]], [[6, 10]]]),
  ].map(courseOf);
  const course = runs.reduce(merged);
  const { work, span, byLabel } = evaluate(course, NOTHING);
  expect(byLabel.get(parallelMap)).toBe(10 * 5);
  expect(span).toBe(100 + 5 + 10);
  expect(work).toBe(100 + 10 * 5 + 10 + 6); // and the least that lanes have spent beside
});

test('nodes of a graph are merged one by one, along its edges', () => {
  const run = (costs: readonly number[]): Course => {
    const journal = new Journal();
    journal.task(label);
    for (const [node, us] of costs.entries()) noteUnits(journal, labelOf(`node ${node}`, ''), node, node + 1, us);
    for (const [before, after] of [
      [2, 0],
      [0, 1],
      [3, 1],
    ] as const)
      journal.edge(before, after);
    journal.meet();
    return courseOf(journal.data() as JournalData);
  };
  const course = [run([5, 90, 80, 4]), run([50, 9, 8, 40])].reduce(merged);
  const { work, span, way } = evaluate(course, NOTHING);
  expect({ work, span }).toEqual({ work: 5 + 9 + 8 + 4, span: 8 + 5 + 9 });
  expect(stepsOf(way).map(({ label }) => label.name)).toEqual(['node 2', 'node 0', 'node 1']);
});

test('a journal that grows too long, or misses an account, gives none', () => {
  const journal = new Journal();
  journal.joined(journal.fork(), undefined, false);
  expect(journal.data()).toBeUndefined();
  const long = new Journal();
  for (let k = 0; k < 1 << 20; k++) long.end(long.begin(long.fork()));
  expect(long.data()).toBeUndefined();
});

describe('with a clock that the tasks move', () => {
  let nowMs = 0;
  let calls = 0;
  let strands = 0;
  afterEach(() => vi.restoreAllMocks());

  /** Some strand of each run takes 50 ms too long. */
  const takes = (ms: number): void => {
    nowMs += ms + (strands++ % 5 === calls % 5 ? 50 : 0);
  };

  class Timed extends RecursiveTask<void> {
    static {
      this.register(import.meta.url, 'Timed');
    }
    readonly depth: number;
    constructor(depth: number) {
      super();
      this.depth = depth;
    }
    override compute(): void {
      takes(this.depth === 0 ? 2 : 1);
      if (this.depth === 0) return;
      const left = new Timed(this.depth - 1).fork();
      new Timed(this.depth - 1).compute();
      left.join();
      takes(1);
    }
  }

  test('work and span are those of a run without interruptions', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const executor = new SequentialExecutor();
    const report = await profile(async () => {
      calls++;
      strands = 0;
      await executor.invoke(new Timed(4));
    });
    expect(report.work / 1000).toBeCloseTo(16 * 2 + 15 * 2);
    expect(report.span / 1000).toBeCloseTo(2 + 4 * 2);
    expect(report.path.map(({ name }) => name)).toEqual(['Timed']);
    expect(report).toMatchObject({ precision: 'measured', tasks: 16, forks: 15 });
    expect(report.burdenedSpan).toBeCloseTo(report.span + 4 * report.stealCost);
    expect(report.c).toBeCloseTo(report.burdenedSpan / report.span);
  });

  test('tasks that are shorter than what the clock costs are only counted', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const executor = new SequentialExecutor();
    const empty = await profile(() => executor.invoke(new Empty(6)), { runs: 1 });
    expect(empty.precision).toBe('counts');
    expect(String(empty)).toMatch(/^tasks, forks, apart +64, 63, 1\n\nThe tasks are too short/);
  });

  class Empty extends RecursiveTask<void> {
    static {
      this.register(import.meta.url, 'Empty');
    }
    readonly depth: number;
    constructor(depth: number) {
      super();
      this.depth = depth;
    }
    override compute(): void {
      nowMs += 0.0002;
      if (this.depth === 0) return;
      const left = new Empty(this.depth - 1).fork();
      new Empty(this.depth - 1).compute();
      left.join();
    }
  }
});
