import { expect, test } from 'vitest';
import { JsonFormat } from '../../../../src/insight/recording/json-format.js';
import { readChrome } from '../../../../src/insight/view/chrome-timeline.js';
import { hintsOf } from '../../../../src/insight/view/hints.js';
import { merged, offsetAt } from '../../../../src/insight/view/merging.js';
import { nestingOf } from '../../../../src/insight/view/nesting.js';
import { rewrite } from '../../../../src/insight/view/rewrite.js';
import type { TimelineTable } from '../../../../src/insight/view/timeline-table.js';
import { type Drawn, drawnTimeline } from '../../../helpers/drawn-timelines.js';
import { timelineOf } from '../../../helpers/timeline.js';

type Clock = TimelineTable['processes'][number]['clocks'][number];

const timeline = (
  name: string,
  startUs: number,
  clocks: readonly Clock[],
  events: readonly Drawn[],
): TimelineTable => ({
  ...drawnTimeline(['caller', 'worker 1', 'worker 2'], events),
  processes: [{ name, startUs, clocks }],
});
const clock = (atUs: number, offsetUs: number): Clock => ({ atUs, offsetUs, errorUs: 40 });

test('between two comparisons of clocks the difference goes from one to the other, and beyond them it stays', () => {
  const clocks = [clock(100, 10), clock(200, 30), clock(400, 0)];
  expect([0, 100, 150, 200, 300, 400, 900].map((us) => offsetAt(clocks, us))).toEqual([10, 10, 20, 30, 15, 0, 0]);
  expect([offsetAt([], 5), offsetAt([clock(7, 3)], 5)]).toEqual([0, 3]);
});

/** A client whose clock is right, and a host whose clock is 4 s behind, and slower by a fifth. */
const client = timeline(
  'client',
  1e15,
  [clock(0, 0)],
  [
    [0, 'job', 'fib', 100, 1000, 77],
    [1, 'root', 'own', 0, 50],
  ],
);
const host = timeline(
  'host A',
  1e15 - 4e6,
  [clock(0, 4e6 + 200), clock(500, 4e6 + 300)],
  [
    [2, 'stolen', 'leaf', 100, 200, 1],
    [1, 'root', 'fib', 50, 500],
    [0, 'job', 'fib', 0, 500, 77],
  ],
);

test('events of several processes are put on one timeline by their clocks', () => {
  const all = merged([client, host]);
  const told = Array.from({ length: all.length }, (_, row) => [
    all.threads[all.thread[row]].name,
    all.names[all.name[row]].name,
    Math.round(all.start[row]),
    Math.round(all.start[row] + all.amount[row]),
  ]);
  expect(told).toEqual([
    ['client: caller', 'fib', 100, 1000],
    ['client: worker 1', 'own', 0, 50],
    ['host A: worker 2', 'leaf', 320, 440],
    ['host A: worker 1', 'fib', 260, 800],
    ['host A: caller', 'fib', 200, 800],
  ]);
  expect(all.threads[all.about[2]].name).toBe('host A: worker 1');
  expect(hintsOf(nestingOf(all)).map(({ id, text }) => [id, text])).toContainEqual([
    'clocks',
    'Their clocks: 2 processes by comparisons with the server of the cluster, to within 40 \u00b5s.',
  ]);
});

test('they are processes of their own in a file, which can be read again', () => {
  const pieces: Uint8Array[] = [];
  rewrite(merged([client, host]), new JsonFormat(0), (piece) => pieces.push(piece));
  const text = new TextDecoder().decode(Buffer.concat(pieces));
  const { events, problems } = timelineOf(text);
  expect(problems).toEqual([]);
  expect(events.filter(({ name }) => name === 'process_name').map(({ pid, args }) => [pid, args?.['name']])).toEqual([
    [1, 'client'],
    [2, 'host A'],
  ]);
  expect(events.filter(({ ph, cat }) => ph === 'b' && cat === 'job').map(({ pid, args }) => [pid, args])).toEqual([
    [1, { job: 77 }],
    [2, { job: 77 }],
  ]);
  const again = readChrome(text);
  expect([again.length, again.processes.map(({ name }) => name)]).toEqual([5, ['client', 'host A']]);
  expect(again.threads.map(({ name, process }) => [name, process])).toContainEqual(['host A: worker 2', 1]);
});

test('one timeline stays as it is, and one without a begin cannot be put beside others', () => {
  expect(merged([client])).toBe(client);
  expect(() => merged([client, timeline('old', 0, [], [])])).toThrow(
    /^furcate: one of these timelines does not say when/,
  );
});
