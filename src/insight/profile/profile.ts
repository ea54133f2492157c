/** `profile`, `charge` and `region`: what a program calls; `profile` on the thread that owns the pools, the others on every thread. */
import { builtin, isComputing, isPromise, observeHere, observerHere } from '../../core/engine.js';
import { isRevoked, show } from '../../core/errors.js';
import { mustBe, numberOf, readOptions } from '../../core/options.js';
import { ProfiledRuns } from './estimate.js';
import { CHARGED, ProfileObserver, TIMED } from './observer.js';
import { labelOf } from './point.js';
import { Profile } from './report.js';
import { CollectedGarbage, type Usage, UsedPools } from './usage.js';

/** Options of `profile`. */
export interface ProfileOptions {
  /** `'time'`, the default, counts microseconds; `'charged'` what the tasks say themselves by `charge`. */
  readonly cost?: 'time' | 'charged' | undefined;
  /**
   * Number of calls of `fn`, so that the least time of each strand counts, an integer from 1 up. Default 15, and up to 60 while more of them make the span
   * shorter, as on a machine that is busy with something else. With `cost: 'charged'` the default is 1.
   */
  readonly runs?: number | undefined;
}

const RUNS = 15;
/** So many more at a time, as long as they are worth it. */
const MORE_RUNS = 5;
/** Calls before the first one that counts: engines compile what is called often. */
const WARM_UP_RUNS = 2;

const CALL = 'profile(fn, options)';
const OPTIONS = {
  cost: mustBe<'time' | 'charged'>((value) => value === 'time' || value === 'charged', "'time' or 'charged'"),
  runs: numberOf((value) => Number.isSafeInteger(value) && value >= 1, 'an integer from 1 up'),
};

/** The observer of this thread, if `profile` has made it. */
const here = (): ProfileObserver | undefined => {
  const observer = observerHere();
  return observer instanceof ProfileObserver ? observer : undefined;
};

/**
 * Tells how parallel a program is: what its tasks cost together (work, T1), and what the costliest chain of tasks costs that depend on each
 * other (*span*, T-infinity). No number of threads is faster than the span, and work / span threads are as many as the program can use.
 *
 * Everything that `fn` hands to pools counts: tasks, what they fork, algorithms. A call that `fn` submits depends on those that had ended by
 * then. An algorithm counts as if it were cut as finely as it can be. The result does not depend on which thread ran what.
 *
 * With `cost: 'charged'`, the result is exact, and the same for every number of threads: the cost of a task is what it gives to `charge`.
 * Otherwise it is time, and of several runs the least time counts of each strand: of what a task does between two forks or joins.
 *
 * @param fn called once or several times; it may return a promise
 * @param options `{ cost, runs }`
 * @returns a report: print it, or read `work`, `span`, `parallelism`, `byTask`, `path`, `regions`
 * @throws what `fn` throws; TypeError or RangeError naming the argument; Error inside a task, or while another `profile` runs
 * @example
 * const report = await profile(() => pool.invoke(new Fib(20)), { cost: 'charged' });
 * console.log(report.toString());
 */
export async function profile<R>(fn: () => R, options: ProfileOptions = {}): Promise<Profile<Awaited<R>>> {
  if (typeof fn !== 'function' || isRevoked(fn))
    throw new TypeError(`furcate: ${CALL} takes a function, and calls it; it was given ${show(fn)}.`);
  const { cost = 'time', runs } = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
  if (isComputing()) throw new Error('furcate: profile() inside a task. Profile what invokes the task.');
  const before = observerHere(); // what records goes on afterwards
  if (before instanceof ProfileObserver)
    throw new Error('furcate: profile() while another profile() runs. Await the first one.');
  const measured = new ProfiledRuns();
  let result: Awaited<R> | undefined;
  const isCharged = cost === 'charged';
  const call = async (onUse?: ProfileObserver['uses']): Promise<ProfileObserver> => {
    const observer = new ProfileObserver(isCharged ? CHARGED : TIMED);
    observer.uses = onUse;
    observeHere(observer);
    try {
      result = await fn();
    } finally {
      observeHere(before);
    }
    return observer;
  };
  for (let k = 0; k < WARM_UP_RUNS && !isCharged; k++) await call();
  const garbage = new CollectedGarbage();
  const run = async (pools: UsedPools, add: (...run: Parameters<ProfiledRuns['add']>) => void): Promise<void> => {
    let observer: ProfileObserver | undefined;
    let usage: Usage;
    try {
      observer = await call((home) => {
        pools.add(home);
        garbage.add(home);
      });
    } finally {
      usage = pools.end(observer?.copiedBytes ?? 0);
    }
    add(observer.now.account(), usage, observer);
  };
  for (let left = runs ?? (isCharged ? 1 : RUNS); left > 0; left--) {
    await run(new UsedPools(!isCharged), (...run) => measured.add(...run));
    if (left === 1 && runs === undefined && !isCharged && measured.needsMore()) left += MORE_RUNS;
    if (isCharged || !measured.isAloneDue(left === 1)) continue;
    const one = new UsedPools(true, 1, measured.patienceMs);
    await run(one, (...run) => !one.isReleased && measured.addAlone(...run));
  }
  measured.garbageUs = garbage.us / measured.count;
  return new Profile(measured, isCharged ? undefined : measured.estimate(), result as Awaited<R>);
}

/**
 * Says what the running task has cost, for `profile(fn, { cost: 'charged' })`. Otherwise it does nothing. Call it for each operation that counts, such as a
 * comparison, or for many at once. An inline function of an algorithm gets it through its context: `{ context: { charge } }`.
 *
 * @param units a number from 0 up, 1 by default. The sums of integers are exact up to 2^53
 * @throws RangeError or TypeError for another value
 * @example
 * export const sumTo = forkable(import.meta.url, 'sumTo', (n: number): number => {
 *   charge(n); // n additions
 *   let sum = 0;
 *   for (let k = 1; k <= n; k++) sum += k;
 *   return sum;
 * });
 */
export function charge(units = 1): void {
  if (typeof units !== 'number')
    throw new TypeError(`furcate: charge(units) takes a number; it was given ${show(units)}.`);
  if (!(units >= 0 && units < Number.POSITIVE_INFINITY))
    throw new RangeError(`furcate: charge(units) takes a finite number from 0 up; it was given ${units}.`);
  const observer = here();
  if (observer?.mode === CHARGED) observer.strand('charge()').spend(units);
}

builtin('charge', charge); // so that it travels in a context

/**
 * Counts a part of a program by itself: `profile` reports the work and the span of each region. What the region forks should be joined in it.
 *
 * @param name of the region; regions of one name are added up
 * @param fn called once, at once; it may return a promise
 * @returns what `fn` returns
 * @throws what `fn` throws; TypeError for other arguments
 * @example
 * const sorted = region('sort', () => parallelSortSync(keys));
 */
export function region<R>(name: string, fn: () => R): R {
  if (typeof name !== 'string')
    throw new TypeError(`furcate: region(name, fn): name must be a string; it was ${show(name)}.`);
  if (typeof fn !== 'function' || isRevoked(fn))
    throw new TypeError(`furcate: region(name, fn) takes a function, and calls it; it was given ${show(fn)}.`);
  const observer = here();
  if (observer === undefined) return fn();
  observer.switched();
  const strand = observer.strand('region()');
  const [work, span] = [strand.totals.work, strand.point.cost];
  strand.journal?.region(labelOf(name, ''));
  const end = (): void => {
    observer.switched();
    strand.meet();
    const region = { calls: 1, work: strand.totals.work - work, span: strand.point.cost - span };
    strand.totals.addRegion(name, region);
    strand.journal?.regionEnds();
  };
  let isPending = false;
  try {
    const result = fn();
    isPending = isPromise(result);
    if (isPromise(result)) result.then(end, end);
    return result;
  } finally {
    if (!isPending) end();
  }
}
