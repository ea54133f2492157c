import { describe, expect, test } from 'vitest';
import { type Hint, hintsOf } from '../../../../src/insight/view/hints.js';
import { nestingOf } from '../../../../src/insight/view/nesting.js';
import { type Drawn, drawnTimeline } from '../../../helpers/drawn-timelines.js';

const THREADS = ['caller', 'worker 1', 'worker 2'];

const hints = (events: readonly Drawn[], dropped = 0): Hint[] =>
  hintsOf(nestingOf(drawnTimeline(THREADS, events, dropped)));
const idsOf = (found: readonly Hint[]): string[] => found.map(({ id }) => id);
const textOf = (found: readonly Hint[], id: string): string => {
  const hint = found.find((one) => one.id === id);
  return `${hint?.text} ${hint?.cure}`;
};

/** Both workers run one task after the other. @param us how long each is @param tasks of each worker */
const busyWith = (us: number, tasks: number, gap = 0): Drawn[] => [
  ...Array.from({ length: tasks }, (_, k): Drawn[] => [
    [1, 'stolen', 'leaf', k * (us + gap), k * (us + gap) + us, 2],
    [2, 'stolen', 'leaf', k * (us + gap), k * (us + gap) + us, 1],
  ]).flat(),
  [0, 'invocation', 'root', 0, tasks * (us + gap)],
];

test('where all threads are busy with tasks of a good length, nothing stands out', () => {
  const found = hints(busyWith(500, 50));
  expect(found).toEqual([
    {
      id: 'busy',
      weight: 'good',
      title: 'Nothing stands out',
      text: 'While invocations were under way, 2 threads were busy for 100 % of their time.',
    },
  ]);
});

test('an empty timeline says so', () => {
  expect(idsOf(hints([]))).toEqual(['empty']);
  expect(idsOf(hints([[0, 'garbage', 'garbage collection', 0, 10]]))).toEqual(['empty']);
});

describe('a hint', () => {
  test('tells of tasks that are shorter than a steal, of which share, and of what a steal costs', () => {
    const found = hints(busyWith(3, 100));
    expect(idsOf(found)).toEqual(['too-fine']);
    expect(textOf(found, 'too-fine')).toMatch(
      /^100 % of the stolen tasks \(200 of 200\) are shorter than a steal, which takes 20 \u00b5s \(as measured elsewhere; .*Raise the threshold/,
    );
    expect(idsOf(hints(busyWith(25, 100)))).toEqual(['busy']);
  });

  test('takes the cost of a steal from the timeline where it can', () => {
    const events = Array.from({ length: 30 }, (_, k): Drawn[] => [
      [1, 'published', 'published', 200 * k, 200 * k],
      [1, 'root', 'root', 200 * k, 200 * k + 199],
      [2, 'stolen', 'leaf', 200 * k + 60, 200 * k + 199, 1],
    ]).flat();
    const fine = events.map(
      ([thread, kind, name, from, to, about]): Drawn =>
        kind === 'stolen' ? [thread, kind, name, from, from + 50, about] : [thread, kind, name, from, to, about],
    );
    expect(idsOf(hints(events))).not.toContain('too-fine');
    expect(textOf(hints(fine), 'too-fine')).toContain(
      'than a steal, which takes 60 \u00b5s (the lower quartile of 30 steals here)',
    );
  });

  test('tells of the leaf that keeps one thread busy while the others sleep, and where it is', () => {
    const found = hints([
      [1, 'root', 'whole', 0, 100_000],
      [2, 'stolen', 'leaf', 50_000, 900_000, 1],
      [2, 'sleep', 'sleeping', 0, 50_000],
      [1, 'sleep', 'sleeping', 100_000, 900_000],
      [0, 'invocation', 'whole', 0, 900_000],
    ]);
    expect(idsOf(found)).toContain('one-thread');
    expect(textOf(found, 'one-thread')).toMatch(
      /^For 850 ms of 900 ms only one of 2 threads was busy; the longest stretch is 800 ms, in 'leaf' on worker 2, which took 850 ms\. Fork smaller tasks/,
    );
    expect(found[0].at).toEqual({ thread: 2, from: 50_000, to: 900_000 });
  });

  test('names the task that was long, not one of its many parts', () => {
    const parts = Array.from({ length: 100 }, (_, k): Drawn => [1, 'units', 'part', 1000 * k, 1000 * k + 999]);
    const found = hints([
      ...parts,
      [1, 'root', 'whole', 0, 100_000],
      [2, 'sleep', 'sleeping', 0, 100_000],
      [0, 'invocation', 'whole', 0, 100_000],
    ]);
    expect(textOf(found, 'one-thread')).toContain(
      "the longest stretch is 100 ms, in 'whole' on worker 1, which took 100 ms",
    );
  });

  test('tells of too few tasks, and of idle threads that have enough', () => {
    const coarse = hints([
      [1, 'root', 'whole', 0, 1000],
      [2, 'stolen', 'leaf', 500, 1000, 1],
      [0, 'invocation', 'whole', 0, 1000],
    ]);
    expect(textOf(coarse, 'too-coarse')).toMatch(
      /2 threads had nothing to do for 25 % of their time: there were 2 tasks to take, 1\.0 for each/,
    );
    const idle = hints(busyWith(500, 20, 500));
    expect(idsOf(idle)).toEqual(['idle']);
    expect(textOf(idle, 'idle')).toContain('nothing to do for 50 % of their time, with 40 tasks in all');
  });

  test('does not count the time in which nothing was asked for', () => {
    const events = busyWith(500, 50);
    const later = events.map(
      ([thread, kind, name, from, to, about]): Drawn => [thread, kind, name, from + 1e6, to + 1e6, about],
    );
    expect(
      idsOf(hints([...events, ...later, [1, 'sleep', 'sleeping', 25_000, 1e6], [2, 'sleep', 'sleeping', 25_000, 1e6]])),
    ).toEqual(['busy']);
  });

  test('tells of joins that wait, and of garbage', () => {
    const found = hints([
      ...busyWith(500, 50),
      ...Array.from({ length: 50 }, (_, k): Drawn[] => [
        [1, 'wait', 'waiting', 500 * k + 100, 500 * k + 300],
        [2, 'garbage', 'garbage collection', 500 * k + 100, 500 * k + 250],
      ]).flat(),
    ]);
    expect(idsOf(found)).toEqual(['garbage', 'waits']);
    expect(textOf(found, 'garbage')).toContain('7.5 ms of tasks went into garbage collections');
    expect(textOf(found, 'waits')).toContain('20 % of their time');
  });

  /** Chunks of 1000 elements on worker 1, and then on both. */
  const chunks = (aloneUs: number, bothUs: number): Drawn[] => {
    const alone = Array.from(
      { length: 20 },
      (_, k): Drawn => [1, 'units', 'map', k * aloneUs, (k + 1) * aloneUs, 1000],
    );
    const from = 20 * aloneUs;
    const both = Array.from({ length: 40 }, (_, k): Drawn[] => [
      [1, 'units', 'map', from + k * bothUs, from + (k + 1) * bothUs, 1000],
      [2, 'units', 'map', from + k * bothUs, from + (k + 1) * bothUs, 1000],
    ]).flat();
    return [...alone, ...both, [0, 'invocation', 'map', 0, from + 40 * bothUs]];
  };

  test('tells of elements that take longer while more threads are busy', () => {
    expect(idsOf(hints(chunks(100, 110)))).not.toContain('memory-bound');
    expect(textOf(hints(chunks(100, 210)), 'memory-bound')).toMatch(
      /^An element of 'map' took 2\.1 times as long while 2 threads were busy as with one alone \(210 ns and 100 ns\)\. Threads wait for memory, write to neighbouring elements \(false sharing\)/,
    );
  });

  test('tells of code that is loaded and of first calls that are slow', () => {
    const slow = chunks(100, 100).map(
      ([thread, kind, name, from, to, about]): Drawn =>
        thread === 1 && from === 0 && kind === 'units'
          ? [1, 'units', name, -3000, to, about]
          : [thread, kind, name, from, to, about],
    );
    expect(textOf(hints([...slow, [1, 'code', 'loading map', -3500, -3000]]), 'first-calls')).toMatch(
      /^500 \u00b5s went into loading code, and first calls took 2\.9 ms longer than later ones/,
    );
    expect(idsOf(hints(chunks(100, 100)))).not.toContain('first-calls');
  });

  test('tells of copies, of short sleeps, of races for tasks, of invocations that wait, and of gaps', () => {
    expect(textOf(hints([...busyWith(500, 50), [0, 'copy', 'copying an array', -10_000, 0, 8e6]]), 'copies')).toMatch(
      /^The caller copied 8 MB into shared memory and back for 10 ms, 29 % of the time/,
    );
    const sleeps = Array.from(
      { length: 150 },
      (_, k): Drawn => [2, 'sleep', 'sleeping', 100_000 + 100 * k, 100_050 + 100 * k],
    );
    expect(textOf(hints([...busyWith(500, 50), ...sleeps]), 'short-sleeps')).toContain('100 % of 150 sleeps');
    const lost = Array.from({ length: 120 }, (_, k): Drawn => [2, 'lost', 'failedSteals', k, k]);
    expect(textOf(hints([...busyWith(500, 50), ...lost]), 'lost-steals')).toContain(
      '120 steals came too late, and 100 succeeded',
    );
    const queued = Array.from({ length: 10 }, (_, k): Drawn => [0, 'queued', 'waiting invocations', 1000 * k, k]);
    expect(textOf(hints([...busyWith(500, 50), ...queued]), 'queue')).toContain(
      'In 90 % of 10 looks, invocations waited that no thread had begun, at most 9',
    );
    expect(textOf(hints(busyWith(500, 50), 1234), 'dropped')).toContain('1,234 events found no room, of 1,335');
  });

  test('tells of forks that do little, where all tasks are there', () => {
    const fine = Array.from({ length: 100 }, (_, k): Drawn => [1, 'task', 'fib', k, k + 0.3]);
    expect(textOf(hints([...busyWith(500, 50), ...fine]), 'fine-forks')).toContain(
      '100 % of 100 tasks took less than 600 ns',
    );
  });
});
