import { expect, test } from 'vitest';
import { lanesOf } from '../../../../src/insight/view/lanes.js';
import { nameOfSlice, nestingOf } from '../../../../src/insight/view/nesting.js';
import { threadOf, withOverlapping } from '../../../../src/insight/view/overlapping.js';
import { type Drawn, drawnTimeline } from '../../../helpers/drawn-timelines.js';

test('invocations that overlap are below their thread, each in the first row that is free', () => {
  const plain = nestingOf(
    drawnTimeline(
      ['caller', 'worker'],
      [
        [1, 'root', 'task', 0, 50],
        [0, 'invocation', 'second', 5, 30],
        [0, 'invocation', 'first', 0, 20],
        [0, 'invocation', 'third', 20, 40],
      ],
    ),
  );
  const { nesting, order } = withOverlapping(plain);
  expect(order.map((thread) => nesting.table.threads[thread].name)).toEqual([
    'caller',
    'caller: invocations',
    'worker',
  ]);
  const shown = lanesOf(nesting).map(({ thread, depth, slice }) => [
    nesting.table.threads[thread].name,
    depth,
    [...slice].map((one) => nameOfSlice(nesting, one)),
  ]);
  expect(shown).toEqual([
    ['worker', 0, ['task']],
    ['caller: invocations', 0, ['first', 'third']],
    ['caller: invocations', 1, ['second']],
  ]);
  expect(Array.from({ length: nesting.length }, (_, slice) => threadOf(nesting, slice))).toEqual([1, 2, 2, 2]);
});

test('of very many at once, as many are drawn as there are rows', () => {
  const events = Array.from({ length: 100 }, (_, k): Drawn => [0, 'invocation', `i${k}`, k, 1000]);
  const { nesting } = withOverlapping(nestingOf(drawnTimeline(['caller'], events)));
  expect(nesting.length).toBe(8);
  expect(nesting.from).toBe(0);
});
