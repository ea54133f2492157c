import { describe, expect, test } from 'vitest';
import { flameOf, totalsOf } from '../../../../src/insight/view/flame.js';
import { longPathOf } from '../../../../src/insight/view/long-path.js';
import {
  ASLEEP,
  BUSY,
  nameOfSlice,
  nestingOf,
  sliceAt,
  WAITING,
  workersOf,
} from '../../../../src/insight/view/nesting.js';
import { lengthsOf, STEAL_US, shorterThan, stealCostOf } from '../../../../src/insight/view/task-lengths.js';
import { utilisationOf } from '../../../../src/insight/view/utilisation.js';
import { countedOf, waitsOf } from '../../../../src/insight/view/waits.js';
import { bytesOf, countOf, timeOf } from '../../../../src/insight/view/words.js';
import { type Drawn, drawnTimeline } from '../../../helpers/drawn-timelines.js';

const THREADS = ['caller', 'worker 1', 'worker 2'];

/**
 * Worker 1 runs the root up to 70, then waits in a join until worker 2 has ended the leaf that it has stolen, at 90, and goes on to 100.
 *
 * ```
 * worker 1   root  0 ........... 70 wait ... 91 .... 100
 * worker 2   sleep 0 ... 20 leaf ........ 90 sleep . 100
 * ```
 */
const EVENTS: readonly Drawn[] = [
  [1, 'published', 'published', 15, 15],
  [2, 'sleep', 'sleeping', 0, 20],
  [1, 'task', 'branch', 10, 30],
  [2, 'task', 'inner', 40, 50],
  [2, 'stolen', 'leaf', 20, 90, 1],
  [1, 'sleep', 'sleeping', 72, 90.5],
  [1, 'wait', 'waiting', 70, 91],
  [1, 'root', 'root', 0, 100],
  [2, 'sleep', 'sleeping', 90, 100],
  [0, 'invocation', 'root', -10, 105],
];
const nesting = nestingOf(drawnTimeline(THREADS, EVENTS));

test('slices are within those that surround them, whatever the order of the file', () => {
  const shown = Array.from({ length: nesting.length }, (_, slice) => [
    nameOfSlice(nesting, slice),
    nesting.depth[slice],
    nesting.parent[slice] < 0 ? '' : nameOfSlice(nesting, nesting.parent[slice]),
    nesting.self[slice],
  ]);
  expect(shown).toEqual([
    ['root', 0, '', 59],
    ['branch', 1, 'root', 20],
    ['waiting', 1, 'root', 2.5],
    ['sleeping', 2, 'waiting', 18.5],
    ['sleeping', 0, '', 20],
    ['leaf', 0, '', 60],
    ['inner', 1, 'leaf', 10],
    ['sleeping', 0, '', 10],
  ]);
  expect([nesting.from, nesting.to]).toEqual([-10, 105]);
  expect(nameOfSlice(nesting, sliceAt(nesting, 2, 45))).toBe('inner');
  expect(nameOfSlice(nesting, sliceAt(nesting, 2, 55))).toBe('leaf');
  expect(sliceAt(nesting, 0, 50)).toBe(-1);
  expect(workersOf(nesting)).toEqual([1, 2]);
});

test('slices that begin and end together are within each other', () => {
  const twice = nestingOf(
    drawnTimeline(THREADS, [
      [1, 'task', 'inner', 0, 10],
      [1, 'root', 'outer', 0, 10],
      [1, 'root', 'next', 10, 20],
    ]),
  );
  expect([...twice.depth]).toEqual([0, 1, 0]);
  expect(nameOfSlice(twice, 1)).toBe('inner');
});

test('the use of threads is exact in each bin', () => {
  const use = utilisationOf(nesting, [1, 2], 0, 100, 10);
  const share = (bin: number, state: number): number => use.shares[bin * 4 + state];
  expect(share(0, BUSY)).toBeCloseTo(0.5);
  expect(share(0, ASLEEP)).toBeCloseTo(0.5);
  expect(share(4, BUSY)).toBeCloseTo(1);
  expect(share(8, BUSY)).toBeCloseTo(0.5);
  expect(share(8, ASLEEP)).toBeCloseTo(0.5);
  expect(share(7, WAITING)).toBeCloseTo(0.1);
  expect(use.mean[BUSY]).toBeCloseTo((79 + 70) / 200);
  expect(use.mean[ASLEEP]).toBeCloseTo((18.5 + 30) / 200);
  const narrow = utilisationOf(nesting, [1, 2], 41, 43, 3);
  expect([...narrow.shares].filter((_, k) => k % 4 === BUSY)).toEqual([1, 1, 1].map((one) => expect.closeTo(one)));
});

test('the path of a run goes from a join to the stolen task that it waited for, and from there to its victim', () => {
  const path = longPathOf(nesting);
  expect(path?.steps.map(({ thread, name, from, to }) => [thread, name, from, to])).toEqual([
    [1, 'root', 0, 10],
    [1, 'branch', 10, 20],
    [2, 'leaf', 20, 40],
    [2, 'inner', 40, 50],
    [2, 'leaf', 50, 90],
    [1, 'waiting', 90, 91],
    [1, 'root', 91, 100],
  ]);
  expect([path?.name, path?.from, path?.to]).toEqual(['root', -10, 105]);
  expect(longPathOf(nestingOf(drawnTimeline(THREADS, EVENTS.slice(0, 4))))).toBeUndefined();
});

test('a join that helped goes on the path through what it helped with', () => {
  const helping = nestingOf(
    drawnTimeline(THREADS, [
      [2, 'stolen', 'leaf', 10, 40, 1],
      [1, 'stolen', 'help', 30, 80, 2],
      [1, 'wait', 'waiting', 20, 81],
      [1, 'root', 'root', 0, 90],
      [0, 'invocation', 'root', 0, 90],
    ]),
  );
  expect(longPathOf(helping)?.steps.map(({ name }) => name)).toEqual(['root', 'leaf', 'help', 'waiting', 'root']);
});

test('the path leads from a node of a graph to the one that it has waited for last, and says for how long a thread lacked', () => {
  const [a, b, c] = [1, 2, 3];
  const graph = nestingOf(
    drawnTimeline(THREADS, [
      [2, 'node', 'b', 10, 60, b],
      [2, 'ready', 'ready', 60, b, c],
      [2, 'stolen', 'nodes', 9, 61, 1],
      [1, 'node', 'a', 5, 40, a],
      [1, 'node', 'other', 40, 80, 9],
      [1, 'node', 'c', 80, 95, c],
      [1, 'root', 'graph', 0, 100],
      [0, 'invocation', 'graph', 0, 100],
    ]),
  );
  expect(longPathOf(graph)?.steps.map(({ thread, name, from, to }) => [thread, name, from, to])).toEqual([
    [1, 'graph', 0, 5],
    [1, 'a', 5, 9],
    [2, 'nodes', 9, 10],
    [2, 'b', 10, 60],
    [1, 'waiting for a thread', 60, 80],
    [1, 'c', 80, 95],
    [1, 'graph', 95, 100],
  ]);
});

test('the path leads through the waits of asynchronous nodes, from a graph to the node that ended last while it waited', () => {
  const [a, b] = [1, 2];
  const graph = nestingOf(
    drawnTimeline(THREADS, [
      [1, 'node', 'a', 11, 20, a],
      [1, 'apart', 'nodes', 10, 21],
      [1, 'root', 'graph', 0, 30],
      [1, 'continued', 'a', 40, 50, 2],
      [1, 'coroutine', 'a', 10, 51, 2],
      [1, 'ready', 'ready', 50, a, b],
      [2, 'node', 'b', 61, 65, b],
      [2, 'stolen', 'nodes', 60, 66, 1],
      [2, 'task', 'other', 70, 78],
      [2, 'continued', 'b', 80, 90, 1],
      [2, 'coroutine', 'b', 60, 91, 1],
      [1, 'continued', 'graph', 92, 99, 1],
      [1, 'coroutine', 'graph', 0, 100, 1],
      [0, 'invocation', 'graph', 0, 100],
    ]),
  );
  expect(longPathOf(graph)?.steps.map(({ thread, name, from, to }) => [thread, name, from, to])).toEqual([
    [1, 'graph', 0, 10],
    [1, 'nodes', 10, 11],
    [1, 'a', 11, 20],
    [1, 'nodes', 20, 21],
    [1, 'waiting after an await', 21, 40],
    [1, 'a', 40, 50],
    [2, 'waiting for a thread', 50, 61],
    [2, 'b', 61, 65],
    [2, 'nodes', 65, 66],
    [2, 'waiting after an await', 66, 80],
    [2, 'b', 80, 90],
    [1, 'graph', 92, 99],
  ]);
});

test('the path leads through all parts of an asynchronous task, and not through those of the task that has its number on another thread', () => {
  const parts = 200;
  const later = Array.from({ length: parts - 1 }, (_, k) => 20 * (k + 1));
  const task = nestingOf(
    drawnTimeline(THREADS, [
      [1, 'root', 'task', 0, 8],
      [2, 'apart', 'other', 0, 12],
      ...later.flatMap((us): Drawn[] => [
        [1, 'continued', 'task', us, us + 8, 7],
        [2, 'continued', 'other', us + 10, us + 12, 7],
      ]),
      [2, 'coroutine', 'other', 0, 20 * parts, 7],
      [1, 'coroutine', 'task', 0, 20 * parts - 12, 7],
      [0, 'invocation', 'task', 0, 20 * parts - 12],
    ]),
  );
  const waits = later.map((us) => ['waiting after an await', us - 12, us]);
  const runs = [0, ...later].map((us) => ['task', us, us + 8]);
  expect(longPathOf(task)?.steps.map(({ name, from, to }) => [name, from, to])).toEqual(
    [...runs, ...waits].sort((a, b) => Number(a[1]) - Number(b[1])),
  );
});

test('waits and counts of flows are told by name', () => {
  const table = drawnTimeline(THREADS, [
    [0, 'waited', 'waiting for a', 0, 10, 4],
    [0, 'waited', 'waiting for a', 5, 25, 2],
    [0, 'waited', 'waiting for b', 0, 100],
    [0, 'gauge', 'items that wait', 0, 3],
    [0, 'gauge', 'items that wait', 50, 6],
  ]);
  expect(waitsOf(table)).toEqual([
    expect.objectContaining({ name: 'waiting for b', waits: 1, medianUs: 100, periods: [{ from: 0, to: 100 }] }),
    expect.objectContaining({
      name: 'waiting for a',
      waits: 2,
      items: 6,
      longestUs: 20,
      periods: [{ from: 0, to: 25 }],
    }),
  ]);
  expect(countedOf(table)).toEqual([{ name: 'items that wait', of: '', looks: 2, mean: 4.5, most: 6 }]);
});

describe('lengths of tasks', () => {
  test('are counted by classes of 1, 2 and 5', () => {
    const lengths = lengthsOf(nesting, 'tasks');
    expect(
      lengths.classes.filter(({ tasks }) => tasks > 0).map(({ fromUs, toUs, tasks }) => [fromUs, toUs, tasks]),
    ).toEqual([
      [10, 20, 1],
      [20, 50, 1],
      [50, 100, 1],
      [100, 200, 1],
    ]);
    expect([...lengths.sortedUs]).toEqual([10, 20, 70, 100]);
    expect([shorterThan(lengths, 20), shorterThan(lengths, 21), shorterThan(lengths, 1000)]).toEqual([1, 2, 4]);
    expect([...lengthsOf(nesting, 'stolen', 'leaf').sortedUs]).toEqual([70]);
    expect([...lengthsOf(nesting, 'units').sortedUs]).toEqual([]);
  });

  test('a steal costs what threads that were idle took from a publication to the begin, or what is known elsewhere', () => {
    expect(stealCostOf(nesting)).toEqual({ us: STEAL_US, steals: 0 });
    const events = Array.from({ length: 7 }, (_, k): Drawn[] => [
      [1, 'published', 'published', 100 * k, 100 * k],
      [2, 'stolen', 'leaf', 100 * k + 5 + k, 100 * k + 30, 1],
      [2, 'stolen', 'leaf', 100 * k + 31, 100 * k + 40, 1], // its thread was busy
    ]).flat();
    const busy = nestingOf(drawnTimeline(THREADS, events));
    const both = stealCostOf(busy);
    expect(both).toEqual({ us: 6, steals: 7 });
    const slept: Drawn[] = [
      ...events,
      ...Array.from({ length: 7 }, (_, k): Drawn => [2, 'root', 'x', 100 * k - 1, 100 * k + 1]),
    ];
    expect(stealCostOf(nestingOf(drawnTimeline(THREADS, slept))).steals).toBe(0);
    const loading = events.flatMap(([...event]): Drawn[] =>
      event[1] === 'stolen' ? [[2, 'code', 'loading leaf', event[3] - 4, event[3] - 1], event] : [event],
    );
    expect(stealCostOf(nestingOf(drawnTimeline(THREADS, loading))).steals).toBe(0);
  });
});

test('a flame graph has what ran within what; a function within itself is one node', () => {
  const recursive = nestingOf(
    drawnTimeline(THREADS, [
      [1, 'task', 'fib', 20, 30],
      [1, 'task', 'fib', 10, 40],
      [1, 'task', 'leaf', 50, 60],
      [1, 'root', 'fib', 0, 100],
      [2, 'stolen', 'leaf', 0, 30, 1],
      [2, 'sleep', 'sleeping', 30, 100],
    ]),
  );
  const root = flameOf(recursive);
  expect(root.us).toBe(130);
  const [fib, leaf] = root.children;
  expect([fib.name, fib.us, fib.selfUs, fib.slices]).toEqual(['fib', 100, 90, 3]);
  expect(fib.children.map(({ name, us }) => [name, us])).toEqual([['leaf', 10]]);
  expect([leaf.name, leaf.us]).toEqual(['leaf', 30]);
  expect(totalsOf(recursive).map(({ name, selfUs, slices, longestUs }) => [name, selfUs, slices, longestUs])).toEqual([
    ['fib', 90, 3, 100],
    ['sleeping', 70, 1, 70],
    ['leaf', 40, 2, 30],
  ]);
});

test('numbers are told in units that people read', () => {
  expect([0, 0.06, 0.9996, 1, 21.34, 999.4, 999.6, 12_345, 999_499, 999_600, 2.5e9].map(timeOf)).toEqual([
    '0 \u00b5s',
    '60 ns',
    '1 \u00b5s',
    '1 \u00b5s',
    '21.3 \u00b5s',
    '999 \u00b5s',
    '1 ms',
    '12.3 ms',
    '999 ms',
    '1 s',
    '2,500 s',
  ]);
  expect([countOf(1, 'task'), countOf(1234, 'task')]).toEqual(['1 task', '1,234 tasks']);
  expect([1, 999, 1500, 8e6, 2.5e9].map(bytesOf)).toEqual([
    '1 byte',
    '999 bytes',
    '1.50 KB'.replace('1.50', '1.5'),
    '8 MB',
    '2.5 GB',
  ]);
});
