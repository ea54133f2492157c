/** Reports, and what `onReport` may do: abort, throw, call the pool; also after the task has ended. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ForkJoinPool, type ForkJoinTask, free, task as taskOf } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { sharedWords, tell, whenSet } from '../../helpers/words.js';
import { type Command, choosing } from './command.js';
import { endingOf, expectError, isIdle, type Model } from './model.js';

const commands = await fixture<Record<string, never>>('commands.mjs');
const task = (name: string, ...args: unknown[]): ForkJoinTask<unknown> =>
  taskOf(commands[name] as never, ...(args as []));

type Act = 'abort' | 'throw' | 'call the pool' | 'nothing';

interface Choice {
  readonly name: string;
  readonly reports: number;
  readonly act: Act;
  readonly at: number;
  readonly graceMs: number | undefined;
  /** The owner is busy for longer than workers have after a grace, while reports are left. */
  readonly isSlow: boolean;
}

/** Longer than workers have for abandoning coroutines. */
const BUSY_MS = 600;

const choice: fc.Arbitrary<Choice> = fc.record({
  name: fc.constantFrom('reportsAndEnds', 'asyncReportsAndEnds', 'asyncReportsAndWaits'),
  reports: fc.constantFrom(1, 3, 2000, 20_000),
  act: fc.constantFrom<Act>('abort', 'throw', 'call the pool', 'nothing'),
  at: fc.nat(2),
  graceMs: fc.constantFrom(0, 1, undefined),
  isSlow: fc.constant(false),
});

/** Computes on this thread, as a program may that is busy. */
function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

async function reports(pool: ForkJoinPool, { name, reports, act, at, graceMs, isSlow }: Choice): Promise<void> {
  const words = sharedWords();
  const innocents = sharedWords();
  const innocent = pool.invoke(task('waits', innocents));
  await whenSet(innocents);
  const controller = new AbortController();
  const heard: unknown[] = [];
  const calls: Promise<unknown>[] = [];
  let isGraceOver = false;
  const onReport = (value: unknown): void => {
    heard.push(value);
    if (isGraceOver && isSlow) {
      isGraceOver = false;
      compute(BUSY_MS);
    }
    if (heard.length !== at + 1) return;
    // The task ends, while the owner still hands over what it has reported.
    if (name !== 'asyncReportsAndWaits') while (Atomics.load(words, 0) === 0);
    else tell(words, 1);
    if (act === 'abort') {
      controller.abort('heard');
      setTimeout(() => {
        isGraceOver = graceMs !== undefined;
      }, 2);
    }
    if (act === 'throw') throw new Error('heard');
    if (act === 'call the pool') calls.push(pool.invoke(commands['noop'] as never));
  };
  const options = { signal: controller.signal, onReport, ...(graceMs !== undefined && { graceMs }) };
  const running = endingOf(pool.invoke(task(name, words, reports), options));
  if (reports <= at && name === 'asyncReportsAndWaits') tell(words, 1);
  const ending = await running;
  await Promise.all(calls);
  assert.deepEqual(heard, Array.from(heard.keys()), 'reports arrive in their order');
  const hasActed = heard.length > at;
  const isComplete = 'value' in ending;
  if (hasActed && act === 'throw') expectError(ending, { message: 'heard' });
  else if (hasActed && act === 'abort') {
    // The task may have ended and been settled before the abort.
    if (!isComplete) expectError(ending, { name: 'AbortError', cause: 'heard' });
  } else assert.deepEqual(ending, { value: reports });
  if (isComplete) assert.equal(heard.length, reports);
  tell(innocents, 1);
  assert.equal(await innocent, 'told');
  free(words);
  free(innocents);
}

/** The time of abandoning is over before the owner has heard all reports of a task that has long ended. */
const leftReports: fc.Arbitrary<Choice> = fc.record({
  name: fc.constantFrom('reportsAndEnds', 'asyncReportsAndEnds', 'asyncReportsAndWaits'),
  reports: fc.constant(20_000),
  act: fc.constant<Act>('abort'),
  at: fc.nat(2),
  graceMs: fc.constantFrom(0, 1),
  isSlow: fc.constant(true),
});

const hasRoomForTwo = (model: Model): boolean => isIdle(model) && model.maxQueue > 0;

export const REPORTING: readonly fc.Arbitrary<Command>[] = [
  choosing('reports', choice, hasRoomForTwo, (_, { pool }, choice) => reports(pool, choice)),
  choosing('an abort while reports are left', leftReports, hasRoomForTwo, (_, { pool }, choice) =>
    reports(pool, choice),
  ),
];
