/** Report of `profile`: the numbers, as an object, a table or a picture; on the thread that called it. */
import { linesOf } from '../../core/engine.js';
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
  StageProfile,
  TaskProfile,
  TimeProfile,
} from './numbers.js';
import { plotOf } from './plot.js';
import { labelOf, stepsOf } from './point.js';
import { type InflatedTask, suspicionsOf } from './suspicions.js';
import { tableOf } from './table.js';
import type { ProfileAccount } from './totals.js';
import { type StageUsed, splitTime } from './usage.js';

const ratio = (work: number, span: number): number => (span === 0 ? 1 : work / span);

const moduleOf = (module: string): string | undefined => (module === '' ? undefined : module);

/** The account whose value is the least. */
const leastBy = (accounts: readonly ProfileAccount[], value: (account: ProfileAccount) => number): ProfileAccount =>
  accounts.reduce((least, account) => (value(account) < value(least) ? account : least));

/** Stages of one name together. @param workOf what the functions of a stage have cost, if that was counted */
function stagesOf(uses: readonly StageUsed[], workOf: (stage: string) => number | undefined): StageProfile[] {
  const all = new Map<string, StageUsed>();
  for (const use of uses) {
    const sum = all.get(use.stage);
    all.set(
      use.stage,
      sum === undefined
        ? use
        : {
            stage: use.stage,
            items: sum.items + use.items,
            calls: sum.calls + use.calls,
            us: sum.us + use.us,
            waitUs: sum.waitUs + use.waitUs,
            meanQueue: Math.max(sum.meanQueue, use.meanQueue),
            mostQueue: Math.max(sum.mostQueue, use.mostQueue),
            encodedBytes: sum.encodedBytes + use.encodedBytes,
          },
    );
  }
  return [...all.values()].map(({ us, waitUs, ...use }) => ({
    ...use,
    work: workOf(use.stage) ?? us,
    wait: use.items === 0 ? 0 : waitUs / use.items,
  }));
}

/** No fields, which `toJSON` would show. */
const replays = new WeakMap<object, Estimate['replay']>();

/** Report of what `profile` has counted. All costs are in `unit`. */
export class Profile<R = unknown> implements ProfileNumbers {
  /** Microseconds, or what `charge` was given. */
  readonly unit: 'us' | 'units';
  /** Result of `fn` at its last call. */
  readonly result: R;
  /** Precision with which the clock tells work and span: `'exact'` if they were charged. */
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
  /** Cost of a steal, from the fork to the begin of the task and from its end to the join; 0 if costs were charged. */
  readonly stealCost: number;
  /** Burdened span / span: on P threads, the program takes work / P + c * span at most. */
  readonly c: number;
  /**
   * Time between calls, in which nothing ran that `fn` has handed to pools: its own code, and the way of answers and of the next call. It is in no task, so not in the work,
   * but no thread makes it shorter: `speedUp` counts it. 0 if costs were charged.
   */
  readonly between: number;
  /** The least and the most tasks in a run. If they differ, the program does not do the same work each time, and may do other work on more threads. */
  readonly taskBounds: Bounds;
  /** Breakdown of the time of all threads; undefined if costs were charged. */
  readonly time: TimeProfile | undefined;
  /** Counts of what the scheduler did. */
  readonly schedule: ScheduleCounts;
  /** Tasks that have run, without those of the library. */
  readonly tasks: number;
  /** Forks, with those of the library. */
  readonly forks: number;
  /**
   * Number of tasks that ran apart from their forker: thieves took them, or a join that waited ran them. Unlike the rest, this depends on the
   * schedule.
   */
  readonly apart: number;
  /** The costliest first. */
  readonly byTask: readonly TaskProfile[];
  /** The costliest chain, in order. Chains of more than 1,000 parts are summed up by task. */
  readonly path: readonly SpanStep[];
  /** In the order of their names. */
  readonly regions: readonly RegionProfile[];
  /** Of pipelines, from the source on. This depends on the schedule. */
  readonly stages: readonly StageProfile[];
  /** Tasks that take much longer with all threads than on one, in words: the worst first. Each is told with its numbers. */
  readonly suspicions: readonly string[];

  /** @internal @param estimate undefined if costs were charged */
  constructor({ accounts, shortest, garbageUs }: ProfiledRuns, estimate: Estimate | undefined, result: R) {
    const account = leastBy(accounts, ({ work }) => work);
    const longest = leastBy(accounts, ({ span }) => span);
    const evaluation = estimate?.evaluation;
    const { work, span } = evaluation ?? { work: account.work, span: longest.span };
    const steps = evaluation && stepsOf(evaluation.way);
    const way = steps?.map(({ label, units }) => [label.name, label.module, units] as const) ?? longest.way;
    replays.set(this, estimate?.replay);
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
    this.between = estimate?.betweenUs ?? 0;
    const counts = accounts.map(({ tasks }) => tasks);
    this.taskBounds = [Math.min(...counts), Math.max(...counts)];
    const { work: ranUs, times } = shortest.account;
    this.time = estimate && splitTime(shortest.usage, { work, ranUs, waitUs: times.waitUs, garbageUs });
    this.schedule = shortest.usage.counts;
    this.tasks = account.tasks;
    this.forks = account.forks;
    this.apart = account.apart;
    this.path = way.map(([name, module, cost]) => ({ name, module: moduleOf(module), cost }));
    const lines = linesOf(account.rows.map(([name, url]) => ({ name, url })));
    const inflated: InflatedTask[] = [];
    this.byTask = account.rows
      .map(([name, module, tasks, cost], k) => {
        const work = evaluation === undefined ? cost : (evaluation.byLabel.get(labelOf(name, module)) ?? 0);
        const onSpan = way.reduce((sum, [other, of, cost]) => (other === name && of === module ? sum + cost : sum), 0);
        const place = module === '' ? shortest.calls.of(name) : { module, line: lines[k] };
        const costs = estimate?.inflation.get(labelOf(name, module));
        const inflation = costs && ratio(costs.together, costs.alone);
        const task = { name, module: place?.module, line: place?.line, tasks, work, onSpan, inflation };
        if (costs !== undefined) inflated.push({ task, costs, isOfAlgorithm: module === '' });
        return task;
      })
      .filter(({ tasks, work }) => tasks > 0 || work > 0)
      .sort((a, b) => b.work - a.work || (a.name < b.name ? -1 : 1));
    this.suspicions = this.precision === 'counts' ? [] : suspicionsOf(inflated, shortest.usage.threads);
    this.regions = account.regions
      .map(([name, region]) => {
        const { calls, work, span } = evaluation?.regions.get(name) ?? region;
        return { name, calls, work, span, parallelism: ratio(work, span) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    this.stages = stagesOf(shortest.stages, (stage) => this.byTask.find(({ name }) => name === stage)?.work);
  }

  /**
   * Predicts the speed-up over one thread, and between which bounds it lies, for a scheduler that leaves no thread idle while there is a task.
   *
   * `atMost` is the least of the number of threads and the parallelism, but for time between calls: no schedule is faster. `atLeast` follows from the time
   * work / threads + c * span, which such a scheduler takes at most (Brent 1974, Blumofe and Leiserson 1999); c tells what steals cost (Cilkview 2010).
   * Time between calls counts in full with any number of threads. `expected` is what a simulation of the scheduler gives, which replays the tasks as they were measured; of a program that is too large for that, or whose costs were
   * charged, it is that of one that keeps all threads busy but for its burdened span.
   *
   * @param threads an integer from 1 up
   * @throws RangeError for another number
   */
  speedUp(threads: number): SpeedUp {
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw new RangeError(`furcate: speedUp(threads) takes an integer from 1 up; it was given ${show(threads)}.`);
    const { work, burdenedSpan, workBounds, spanBounds, between } = this;
    if (work === 0 || threads === 1) return { atLeast: 1, expected: 1, atMost: 1 };
    const within = (speedUp: number): number => Math.min(atMost, Math.max(1, speedUp));
    const overOne = (work: number, inParallel: number): number => ratio(between + work, between + inParallel);
    const atMost = Math.max(1, overOne(workBounds[1], Math.max(workBounds[1] / threads, spanBounds[0])));
    const inTurn = Math.min(work, burdenedSpan);
    const replay = replays.get(this);
    const expected = within(replay ? replay(1) / replay(threads) : overOne(work, (work - inTurn) / threads + inTurn));
    const bound = within(overOne(workBounds[0], workBounds[0] / threads + burdenedSpan));
    return { atLeast: Math.min(bound, expected), expected, atMost }; // a replay knows of steals that wait for each other
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
   * @param measured points that are drawn in it; those of more than 64 threads are left out
   * @throws TypeError for other points
   * @returns the text of an SVG image, which follows the reader's choice of light or dark
   */
  toSvg(measured: readonly MeasuredSpeedUp[] = []): string {
    return plotOf(this, measured);
  }
}
