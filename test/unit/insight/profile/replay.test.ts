/** Courses replayed on simulated threads: how long they take. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { betweenIn, type Course, merged } from '../../../../src/insight/profile/course.js';
import { courseOf } from '../../../../src/insight/profile/course-of.js';
import { type Assumptions, evaluate } from '../../../../src/insight/profile/evaluation.js';
import { Journal, type JournalData } from '../../../../src/insight/profile/journal.js';
import { labelOf } from '../../../../src/insight/profile/point.js';
import { replaysOf } from '../../../../src/insight/profile/replay.js';
import { type CostTree, costOf, costTrees } from '../../../helpers/cost-trees.js';
import { journalOf } from '../../../helpers/journals.js';

const FREE: Assumptions = { lessUs: () => 0, stealUs: 0, returnUs: 0 };

/** A program that invokes one task, and waits for it. */
const invoking = (tree: CostTree): Course =>
  courseOf(
    journalOf(
      [{ fork: tree, form: 'class' }, { join: 0 }],
      (us) => us,
      () => false,
    ),
  );

const timeOf = (program: Course, threads: number, assumptions = FREE): number =>
  replaysOf(program, assumptions)?.(threads) as number;

test('one thread takes the work; more threads take at least a part of it each, and the span, and no longer than one', () => {
  fc.assert(
    fc.property(costTrees, fc.integer({ min: 2, max: 9 }), (tree, threads) => {
      const { work, span } = costOf(tree);
      const program = invoking(tree);
      expect(timeOf(program, 1)).toBe(work);
      const us = timeOf(program, threads);
      expect(us).toBeGreaterThanOrEqual(Math.max(span, work / threads));
      expect(us).toBeLessThanOrEqual(work);
    }),
  );
});

/** Forks so many leaves, and joins the newest first. */
const flat = (leaves: number, us: number): CostTree => [
  ...Array.from({ length: leaves }, () => ({ fork: [us], form: 'class' as const })),
  ...Array.from({ length: leaves }, (_, k) => ({ join: leaves - 1 - k })),
];

test('independent tasks keep all threads busy; a chain keeps one', () => {
  expect(timeOf(invoking(flat(64, 100)), 4)).toBe(1600);
  expect(timeOf(invoking(flat(5, 100)), 4)).toBe(200);
  const chain = (n: number): CostTree => (n === 0 ? [10] : [10, { fork: chain(n - 1), form: 'class' }, { join: 0 }]);
  expect(timeOf(invoking(chain(20)), 8)).toBe(210);
});

test('a thief begins later, and a join that waited goes on later', () => {
  const two = invoking([{ fork: [100], form: 'class' }, 100, { join: 0 }]);
  expect(timeOf(two, 2, { ...FREE, stealUs: 7, returnUs: 5 })).toBe(100 + 7 + 5);
  expect(timeOf(two, 1, { ...FREE, stealUs: 7, returnUs: 5 })).toBe(200);
});

test('time between calls is no work, and passes with any number of threads', () => {
  const task = new Journal();
  const [left, right] = [task.fork(), task.fork()];
  for (const fork of [right, left]) {
    const child = new Journal();
    child.task(labelOf('child', ''));
    child.spend(100);
    task.joined(fork, child.data(), false);
  }
  const data = task.data();
  const calls = new Journal();
  for (const us of [0, 30]) {
    const [fork, took] = calls.call();
    took(us);
    calls.joined(fork, data, false);
  }
  const program = courseOf(calls.data() as JournalData);
  expect(betweenIn(program)).toBe(30);
  expect(evaluate(program, FREE)).toMatchObject({ work: 400, span: 200 });
  expect([1, 2, 8].map((threads) => timeOf(program, threads))).toEqual([430, 230, 230]);
  const other = new Journal();
  for (const us of [0, 20]) {
    const [fork, took] = other.call();
    took(us);
    other.joined(fork, data, false);
  }
  expect(betweenIn(merged(program, courseOf(other.data() as JournalData)))).toBe(20);
});

test('what was measured of the observer is left out', () => {
  expect(timeOf(invoking(flat(3, 100)), 1, { ...FREE, lessUs: (kind) => (kind === 'begin end' ? 1 : 0) })).toBe(297);
});

/** A program whose task has a stage of these pieces. */
function staged(pieces: readonly (readonly [lo: number, hi: number, us: number])[], edges: [number, number][]): Course {
  const task = new Journal();
  task.task(labelOf('staged', ''));
  for (const [lo, hi, us] of pieces) task.units(task.place(), labelOf('unit', ''), lo, hi, us, us / (hi - lo));
  for (const [before, after] of edges) task.edge(before, after);
  task.meet();
  task.spend(10);
  const program = new Journal();
  program.joined(program.fork(), task.data() as JournalData, false);
  return courseOf(program.data() as JournalData);
}

test('units of an algorithm are shared, as long as there are some', () => {
  const even = staged([[0, 1000, 400_000]], []);
  expect(timeOf(even, 1)).toBeCloseTo(400_010);
  expect(timeOf(even, 4) / 100_010).toBeCloseTo(1, 2);
  const uneven = staged(
    [
      [0, 1, 5000],
      [1, 2, 20_000],
      [2, 100, 9800],
    ],
    [],
  );
  expect(timeOf(uneven, 64)).toBe(20_010);
});

test('nodes of a graph begin when those before them have ended', () => {
  const nodes = [5, 9, 8, 4].map((us, node) => [node, node + 1, us] as const);
  const graph = staged(nodes, [
    [2, 0],
    [0, 1],
    [3, 1],
  ]);
  expect(timeOf(graph, 1)).toBe(5 + 9 + 8 + 4 + 10);
  expect(timeOf(graph, 2)).toBe(8 + 5 + 9 + 10);
});

test('a program that is too large is not replayed', () => {
  expect(replaysOf(invoking(flat(10_000, 1)), FREE)).toBeUndefined();
});
