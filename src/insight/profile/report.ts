/** What `profile` reports: the numbers, as an object, a table or a picture; on the thread that called it. */
import { show } from '../../core/errors.js';
import type { Bounds, Estimate, ProfiledRuns } from './estimate.js';
import type {
  MeasuredSpeedUp,
  Precision,
  ProfileNumbers,
  RegionProfile,
  ScheduleCounts,
  SpanStep,
  SpeedUp,
  TaskProfile,
  TimeProfile,
} from './numbers.js';
import { plotOf } from './plot.js';
import { labelOf, stepsOf } from './point.js';
import { tableOf } from './table.js';
import type { ProfileAccount } from './totals.js';
import { splitTime } from './usage.js';

const ratio = (work: number, span: number): number => (span === 0 ? 1 : work / span);

const moduleOf = (module: string): string | undefined => (module === '' ? undefined : module);

/** The account whose value is the least. */
const leastBy = (accounts: readonly ProfileAccount[], value: (account: ProfileAccount) => number): ProfileAccount =>
  accounts.reduce((least, account) => (value(account) < value(least) ? account : least));

/** What `profile` has counted. All costs are in `unit`. */
export class Profile<R = unknown> implements ProfileNumbers {
  /** Microseconds, or what `charge` was given. */
  readonly unit: 'us' | 'units';
  /** What `fn` returned at its last call. */
  readonly result: R;
  /** How well the clock tells work and span: `'exact'` if they were charged. */
  readonly precision: Precision;
  /** T1: the cost of everything together; of several runs, the least of each strand. */
  readonly work: number;
  /** T-infinity: the cost of the costliest chain of what depends on each other; of several runs, the least of each strand. */
  readonly span: number;
  /** Work / span: with more threads than that, a program gets no faster. */
  readonly parallelism: number;
  /** Between which bounds the work lies, as far as that depends on the clock. */
  readonly workBounds: Bounds;
  /** Between which bounds the span lies, as far as that depends on the clock. */
  readonly spanBounds: Bounds;
  /** The span if another thread had to take every task: each fork and each join costs what was measured of steals. As the span, if costs were charged. */
  readonly burdenedSpan: number;
  /** Work / burdened span: so many threads pay on this machine. */
  readonly burdenedParallelism: number;
  /** What a steal costs, from the fork to the begin of the task and from its end to the join; 0 if costs were charged. */
  readonly stealCost: number;
  /** Burdened span / span: on P threads, the program takes work / P + c * span at most. */
  readonly c: number;
  /** Where the time of all threads went; undefined if costs were charged. */
  readonly time: TimeProfile | undefined;
  /** What the scheduler did. */
  readonly schedule: ScheduleCounts;
  /** Tasks that have run, without those of the library. */
  readonly tasks: number;
  /** Forks, with those of the library. */
  readonly forks: number;
  /** How many tasks ran apart from their forker: thieves took them, or a join that waited ran them. Unlike the rest, this depends on the schedule. */
  readonly apart: number;
  /** The costliest first. */
  readonly byTask: readonly TaskProfile[];
  /** The costliest chain, in order. Chains of more than 1,000 parts are summed up by task. */
  readonly path: readonly SpanStep[];
  /** In the order of their names. */
  readonly regions: readonly RegionProfile[];

  /** @internal @param estimate undefined if costs were charged */
  constructor({ accounts, shortest }: ProfiledRuns, estimate: Estimate | undefined, result: R) {
    const account = leastBy(accounts, ({ work }) => work);
    const longest = leastBy(accounts, ({ span }) => span);
    const evaluation = estimate?.evaluation;
    const { work, span } = evaluation ?? { work: account.work, span: longest.span };
    const steps = evaluation && stepsOf(evaluation.way);
    const way = steps?.map(({ label, units }) => [label.name, label.module, units] as const) ?? longest.way;
    this.unit = estimate === undefined ? 'units' : 'us';
    this.result = result;
    this.precision = estimate?.precision ?? 'exact';
    this.work = work;
    this.span = span;
    this.parallelism = ratio(work, span);
    this.workBounds = estimate?.workBounds ?? [work, work];
    this.spanBounds = estimate?.spanBounds ?? [span, span];
    this.burdenedSpan = estimate?.burdenedSpan ?? span;
    this.burdenedParallelism = ratio(work, this.burdenedSpan);
    this.stealCost = estimate === undefined ? 0 : estimate.stealUs + estimate.returnUs;
    this.c = ratio(this.burdenedSpan, span);
    this.time = estimate && splitTime(shortest.usage, work, shortest.account.work, shortest.account.times.waitUs);
    this.schedule = shortest.usage.counts;
    this.tasks = account.tasks;
    this.forks = account.forks;
    this.apart = account.apart;
    this.path = way.map(([name, module, cost]) => ({ name, module: moduleOf(module), cost }));
    this.byTask = account.rows
      .map(([name, module, tasks, cost]) => {
        const work = evaluation === undefined ? cost : (evaluation.byLabel.get(labelOf(name, module)) ?? 0);
        const onSpan = way.reduce((sum, [other, of, cost]) => (other === name && of === module ? sum + cost : sum), 0);
        return { name, module: moduleOf(module), tasks, work, onSpan };
      })
      .filter(({ tasks, work }) => tasks > 0 || work > 0)
      .sort((a, b) => b.work - a.work || (a.name < b.name ? -1 : 1));
    this.regions = account.regions
      .map(([name, region]) => {
        const { calls, work, span } = evaluation?.regions.get(name) ?? region;
        return { name, calls, work, span, parallelism: ratio(work, span) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Predicts the speed-up over one thread, and between which bounds it lies, for a scheduler that leaves no thread idle while there is a task.
   *
   * `atMost` is the least of the number of threads and the parallelism: no schedule is faster. `atLeast` follows from the time
   * work / threads + c * span, which such a scheduler takes at most (Brent 1974, Blumofe and Leiserson 1999); c tells what steals cost (Cilkview 2010).
   * `expected` is that of a program that keeps all threads busy but for its burdened span.
   *
   * @param threads an integer from 1 up
   * @throws RangeError for another number
   */
  speedUp(threads: number): SpeedUp {
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw new RangeError(`furcate: speedUp(threads) takes an integer from 1 up; it was given ${show(threads)}.`);
    const { work, burdenedSpan, workBounds, spanBounds } = this;
    if (work === 0 || threads === 1) return { atLeast: 1, expected: 1, atMost: 1 };
    const within = (speedUp: number): number => Math.min(atMost, Math.max(1, speedUp));
    const atMost = Math.max(1, Math.min(threads, ratio(workBounds[1], spanBounds[0])));
    const inTurn = Math.min(work, burdenedSpan);
    return {
      atLeast: within(workBounds[0] / (workBounds[0] / threads + burdenedSpan)),
      expected: within(work / ((work - inTurn) / threads + inTurn)),
      atMost,
    };
  }

  /** A table of one screen. */
  toString(): string {
    return tableOf(this);
  }

  /** All numbers, for `JSON.stringify`; without `result`. */
  toJSON(): object {
    const { result: _, ...numbers } = this;
    return { ...numbers };
  }

  /**
   * A plot of the speed-up for 1 to 64 threads, between its bounds.
   *
   * @param measured points that are drawn in it
   * @returns the text of an SVG image, which follows the reader's choice of light or dark
   */
  toSvg(measured: readonly MeasuredSpeedUp[] = []): string {
    return plotOf(this, measured);
  }
}
