/**
 * Every way to run a task, with every way to end, in every form: the matrix that the tests of java.util.concurrent
 * (JSR-166 TCK: ForkJoinTask, RecursiveTask, RecursiveAction, ForkJoinPool) spell out method by method.
 */
import { CancellationError, type ForkJoinTask, NotShareableError } from 'furcate';
import { describe, expect, test } from 'vitest';
import { type Executor, executors, fixture, type Scenario } from '../helpers/executors.js';

interface Endings extends Record<string, unknown> {
  readonly Fib: new (n: number, way: string, fails: boolean) => ForkJoinTask<number>;
  readonly Unshareable: new () => ForkJoinTask<string>;
  stateOf(task: ForkJoinTask<unknown>): unknown;
}

interface Seen {
  readonly result: unknown;
  readonly thrown: unknown;
  readonly thrownIsItsException: boolean;
  readonly states: unknown[];
  readonly runs: unknown[];
  readonly queued: number;
}

const endings = await fixture<Endings>('endings.mjs');

const FORMS = ['RecursiveTask', 'RecursiveAction', 'task of a function'] as const;
type Form = (typeof FORMS)[number];
type End = 'returns' | 'fails' | 'was cancelled';

/** Every way, and how many tasks it runs. */
const WAYS: readonly (readonly [way: string, count: number])[] = [
  ['invoke', 1],
  ['fork and join', 1],
  ['fork and quietlyJoin', 1],
  ['invokeAll of 1', 1],
  ['invokeAll of 2', 2],
  ['invokeAll of 3', 3],
  ['invokeAll of many', 40],
];

const FIB_6 = 8;
const FAILURE = {
  name: 'FibError',
  message: 'deep down',
  code: 77,
  isItsClass: true,
  cause: 'RangeError: its cause',
};
const CANCELLED = {
  name: 'CancellationError',
  message: expect.stringContaining('was cancelled'),
  code: undefined,
  isItsClass: false,
  cause: undefined,
};
const EXCEPTIONS = { returns: undefined, fails: FAILURE, 'was cancelled': CANCELLED };

/** What a task says of itself once it has ended so. */
const stateAfter = (form: Form, end: End): object => ({
  done: true,
  normally: end === 'returns',
  abnormally: end !== 'returns',
  cancelled: end === 'was cancelled',
  result: end === 'returns' ? FIB_6 : form === 'RecursiveAction' ? -1 : undefined,
  exception: EXCEPTIONS[end],
});

const PROPERTIES: Record<End, (way: string) => string> = {
  returns: (way) =>
    /^invokeAll|quietly/.test(way) ? 'returns when all are done normally' : 'gives its result, and it is done normally',
  fails: (way) =>
    way.includes('quietly')
      ? 'throws nothing, and it is done abnormally'
      : 'throws what it threw, with class, message, properties and cause, and it is done abnormally',
  'was cancelled': (way) =>
    way.includes('quietly')
      ? 'throws nothing, and it has not run'
      : 'throws its CancellationError, and it has not run; others have',
};

const CELLS = WAYS.flatMap(([way, count]) =>
  FORMS.flatMap((form) =>
    (['returns', 'fails', 'was cancelled'] as const).map((end) => ({
      way,
      count,
      form,
      end,
      property: PROPERTIES[end](way),
    })),
  ),
);

/** The places of the one that ends differently: all of few, some of many, and one where a run costs a new pool. */
const placesOf = (count: number, end: End, cold: boolean): number[] => {
  if (end === 'returns') return [0];
  if (cold) return [count >> 1];
  return count <= 3 ? [...Array(count).keys()] : [0, count >> 1, count - 1];
};

async function expectEnding(executor: Executor, { way, count, form, end }: (typeof CELLS)[number]): Promise<void> {
  for (const at of placesOf(count, end, executor.cold)) {
    const seen = (await executor.run(endings['ending'] as Scenario, form, way, end, count, at)) as Seen;
    const throws = end !== 'returns' && !way.includes('quietly');
    const givesResult = end === 'returns' && (way === 'invoke' || way === 'fork and join');
    expect(seen.thrown).toEqual(throws ? EXCEPTIONS[end] : undefined);
    expect(seen.thrownIsItsException).toBe(true);
    expect(seen.result).toBe(givesResult && form !== 'RecursiveAction' ? FIB_6 : undefined);
    expect(seen.states).toEqual(Array.from({ length: count }, (_, i) => stateAfter(form, i === at ? end : 'returns')));
    if (form !== 'task of a function') {
      expect(seen.runs).toEqual(Array.from({ length: count }, (_, i) => (end === 'was cancelled' && i === at ? 0 : 1)));
    }
    expect(seen.queued).toBe(0);
  }
}

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(endings[name] as Scenario, ...args);

  test.each(CELLS.map((cell) => [`${cell.way}, of a ${cell.form} that ${cell.end}, ${cell.property}`, cell] as const))(
    '%s',
    (_, cell) => expectEnding(executor, cell),
  );

  test('join of a handle gives what the call returned, or throws what it threw', async () => {
    expect(await run('endingOfHandle', false)).toEqual({ result: FIB_6 });
    expect(await run('endingOfHandle', true)).toEqual({ thrown: FAILURE });
  });

  test.each(FORMS)('a %s that failed or was cancelled runs again after reinitialize()', async (form) => {
    for (const end of ['fails', 'was cancelled'] as const) {
      const { before, fresh, after } = (await run('renewed', form, end)) as Record<string, unknown>;
      expect(before).toEqual(stateAfter(form, end));
      expect(fresh).toEqual({ done: false, cancelled: false, exception: undefined });
      // The arguments of a call stay as they were, the fields of a task are its owner's to change.
      expect(after).toBe(form === 'task of a function' && end === 'fails' ? 'FibError' : FIB_6);
    }
  });

  test('tryUnfork() and cancel() are too late for a task that is done, and tryUnfork() too early for one never forked', async () => {
    expect(await run('tooLate')).toEqual({
      tryUnfork: [false, false, false],
      cancel: [true, true, false, false],
      states: [
        [false, false],
        [true, false],
        [true, false],
        [true, true],
      ],
    });
  });

  test('after helpQuiesce() all that was forked is done, and nothing is queued', async () => {
    const { queued, quiet, results } = (await run('counted', 30)) as Record<string, unknown>;
    expect(queued).toBeLessThanOrEqual(30);
    expect(quiet).toEqual([0, 0]);
    expect(results).toEqual(Array(30).fill(1));
  });

  test('the task that was invoked tells its owner how it ended', async () => {
    const fails = new endings.Fib(6, 'fork and join', true);
    await expect(executor.run(fails)).rejects.toThrow('deep down');
    expect(endings.stateOf(fails)).toEqual(stateAfter('RecursiveTask', 'fails'));
    const returns = new endings.Fib(6, 'fork and join', false);
    expect(await executor.run(returns)).toBe(FIB_6);
    expect(endings.stateOf(returns)).toEqual(stateAfter('RecursiveTask', 'returns'));
  });

  test('a task that was cancelled before its invocation rejects with its CancellationError, and does not run', async () => {
    const task = new endings.Fib(6, 'invoke', false);
    expect(task.cancel()).toBe(true);
    const error = await executor.run(task).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CancellationError);
    expect(error).toBe(task.getException());
    expect(endings.stateOf(task)).toEqual(stateAfter('RecursiveTask', 'was cancelled'));
  });

  test('a root that cannot be shared is refused by whoever has to carry it: invoke, and in checked mode all', async () => {
    const outcome = await executor.run(new endings.Unshareable()).catch((error: unknown) => error);
    if (executor.checked || executor.name.startsWith('invoke,')) expect(outcome).toBeInstanceOf(NotShareableError);
    else expect(outcome).toBe('ran');
  });
});
