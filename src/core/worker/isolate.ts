/**
 * `isolate`: a section of a synchronous task whose joins run nothing but what was forked in it; runs on every thread that computes.
 *
 * Source: oneTBB's `this_task_arena::isolate`. An isolation is to joins what a race is: a record stands for it, all tasks that are forked in it name
 * that record (`setRace`), and a join takes only tasks of the isolation that it is in (`forJoin`), on whatever thread. What the thread has forked
 * before stays below `local.floor`, and is published as what it is (`raceAt`). A join waits for what was forked in the same isolation, or in one
 * within it, and whoever has taken that waits for nothing else: so no two isolations wait for each other.
 */
import { local } from '../deque/private-stack.js';
import { refuseRevoked, show } from '../errors.js';
import { openIsolation } from '../memory/record-kinds.js';
import { NO_RECORD } from '../memory/records.js';
import { inFrame } from '../task/frame.js';
import { inspect } from '../task/slow-paths.js';
import type { Synchronous } from '../task/synchronous.js';
import { isAwaiting, isComputing } from './place.js';
import { outsideError } from './requests.js';
import { thread } from './worker-slot.js';

const WHAT = 'the function given to isolate()';

/**
 * Runs a function whose joins run only what it has forked itself, and what that forks. Elsewhere a join that waits may run any other task of the
 * invocation meanwhile: it could enter again what this task is in the middle of, such as a value of `workerLocal`, a module variable, or a lock that
 * the thread holds. Roots of high priority wait until it returns.
 *
 * The function is as a task of its own: what it forks and does not join is completed when it returns, and it cannot join what was forked before.
 * For synchronous tasks. Outside of tasks it only calls the function.
 *
 * @param fn called once, at once; synchronous
 * @returns what `fn` returns
 * @throws what `fn` throws; TypeError if it returns a promise, or is no function; Error in an asynchronous task; RangeError when as many tasks are
 *   public as can be
 * @example
 * const seen = new Set<number>(); // of this thread
 * export const visit = forkable(import.meta.url, 'visit', (node: number): number => {
 *   seen.add(node);
 *   const sum = isolate(() => parallelReduceSync(weights, 'sum'));
 *   seen.delete(node); // no other task of this thread has seen the set meanwhile, but those of the sum
 *   return sum;
 * });
 */
export function isolate<R>(fn: () => Synchronous<R>): R {
  refuseRevoked(fn, 'fn of isolate()');
  if (typeof fn !== 'function')
    throw new TypeError(`furcate: isolate() takes a function, and calls it; it was given ${show(fn)}.`);
  if (isAwaiting()) throw outsideError('isolate()');
  if (!isComputing()) {
    const result = fn();
    inspect(result, () => WHAT);
    return result as R;
  }
  const { own, race, isolated } = thread;
  const { floor } = local;
  const entry = own === null ? NO_RECORD : own.records.allocate();
  if (own !== null) {
    if (entry === NO_RECORD)
      throw new RangeError(
        'furcate: isolate(): as many tasks are public as can be. Call it before the task forks so many.',
      );
    const word = own.records.wordOf(entry);
    openIsolation(own.words, word, race);
    thread.race = word;
  }
  thread.isolated = { base: local.sp, race, below: isolated };
  local.floor = local.sp;
  try {
    return inFrame(
      () => fn(),
      0,
      () => WHAT,
      'Await outside of it.',
    ) as R;
  } finally {
    local.floor = floor;
    thread.isolated = isolated;
    thread.race = race;
    own?.records.release(entry); // all that was forked in it has ended
  }
}
