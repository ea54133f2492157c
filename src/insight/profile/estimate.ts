/** Estimate of a program's costs from several timed runs together; on the thread that called `profile`. */
import type { CallPlaces } from './call-places.js';
import { nowUs } from './clock.js';
import { betweenIn, type Course, merged, type StrandKind, strandsOf } from './course.js';
import { courseOf } from './course-of.js';
import { type Assumptions, type Evaluation, evaluate } from './evaluation.js';
import { type Inflated, inflationOf, isAloneDue } from './inflation.js';
import type { JournalData } from './journal.js';
import type { Precision } from './numbers.js';
import type { Label } from './point.js';
import { replaysOf } from './replay.js';
import type { ProfileAccount } from './totals.js';
import type { StageUsed, Usage } from './usage.js';

/** Most time that the observer adds to a strand, beside reading the clock (us, Node 20 on an AMD EPYC: 0.2 to 0.35). */
const MOST_ADDED_US = 0.5;
/** This part of the strands of a kind is taken to do nothing: of what stands between two forks, or between a fork and the end of a task. */
const EMPTY_STRANDS = 0.1;
/** By how much strands differ in what the observer adds (us). */
const ADDED_ERROR_US = 0.1;
/**
 * Time that a thread that looks for work takes to begin a task from its fork, and from its end to a join that waits (us), if no task was stolen while it was
 * measured.
 */
const STEAL_US = 12;
const RETURN_US = 8;
/** Up to these parts of work and span, what the clock adds is an error that does not matter. */
const WORK_ERROR = 0.07;
const SPAN_ERROR = 0.05;
/** From this part of the work on, the clock dominates. */
const DOMINATES = 0.5;

/** Number of runs between two looks at the span. */
const RUNS_PER_LOOK = 5;
/** Most runs, if their number is not given. */
const MOST_RUNS = 60;
/** Runs are worth it if they make the span less than this part of what it was. */
const SHORTER = 0.99;

/** A run on one thread may take so many times as long as those on all threads, times their number, and so much longer (milliseconds). */
const PATIENCE = 4;
const LEAST_PATIENCE_MS = 1000;

export type Bounds = readonly [atLeast: number, atMost: number];

interface ProfiledRun {
  readonly account: ProfileAccount;
  readonly usage: Usage;
  readonly stages: readonly StageUsed[];
  readonly calls: CallPlaces;
}

export interface Estimate {
  readonly precision: Precision;
  /** The runs merged; undefined if there were too many tasks to note. */
  readonly evaluation: Evaluation | undefined;
  readonly burdenedSpan: number;
  readonly workBounds: Bounds;
  readonly spanBounds: Bounds;
  readonly stealUs: number;
  readonly returnUs: number;
  /** Time between calls. */
  readonly betweenUs: number;
  /** Costs of tasks on all threads and on one, where there were runs on one. */
  readonly inflation: ReadonlyMap<Label, Inflated>;
  /**
   * Time that the program takes on so many threads (us), by a replay of its course. Undefined if there is no course, or a long one.
   */
  readonly replay: ((threads: number) => number) | undefined;
}

/** The value below which a part of the values lies. */
function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = values.filter((value) => value >= 0).sort((a, b) => a - b);
  return sorted[Math.floor(part * sorted.length)];
}

/** By how much the clock steps (us): 5 or more in browsers. 0 if it stands still. The least of some steps, since the system may interrupt one. */
function clockStepUs(): number {
  let least = Number.POSITIVE_INFINITY;
  let us = nowUs();
  for (let reads = 0, steps = 0; reads < MOST_READS && steps < STEPS; reads++) {
    const next = nowUs();
    if (next <= us) continue;
    least = Math.min(least, next - us);
    us = next;
    steps++;
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}
const STEPS = 5;
const MOST_READS = 20_000;

const RAW: Assumptions = { lessUs: () => 0, stealUs: 0, returnUs: 0 };

/**
 * Time that the observer adds to the strands of each kind: the shortest of them do little else. Where all of a kind are long, what it adds to
 * others.
 */
function addedTo(course: Course): (kind: StrandKind) => number {
  const added = new Map<StrandKind, number>();
  for (const [kind, costs] of strandsOf(course)) {
    const us = quantile(costs, EMPTY_STRANDS) ?? 0;
    if (us <= MOST_ADDED_US) added.set(kind, us);
  }
  const usual = quantile([...added.values()], 0.5) ?? 0;
  return (kind) => added.get(kind) ?? usual;
}

/** Takes runs one by one, and keeps of them what counts. */
export class ProfiledRuns {
  readonly #runs: ProfiledRun[] = [];
  /** Runs on one thread. */
  readonly #alone: ProfiledRun[] = [];
  #course: Course | undefined;
  /** The span after every few runs. */
  readonly #spans: number[] = [];
  readonly #steals: number[] = [];
  readonly #returns: number[] = [];
  /** Time that the threads have collected garbage in a run, on average. */
  garbageUs = 0;

  add(
    { journal, ...account }: ProfileAccount,
    usage: Usage,
    { stages, calls }: Pick<ProfiledRun, 'stages' | 'calls'>,
  ): void {
    this.#merge(journal);
    this.#runs.push({ account: { ...account, journal: undefined }, usage, stages, calls });
    this.#steals.push(...account.times.steals);
    this.#returns.push(...account.times.returns);
    if (this.#runs.length % RUNS_PER_LOOK === 0 && this.#course !== undefined)
      this.#spans.push(evaluate(this.#course, RAW).span);
  }

  /** Takes a run on one thread: what slows all others alike does not count. */
  addAlone(
    { journal, ...account }: ProfileAccount,
    usage: Usage,
    { stages, calls }: Pick<ProfiledRun, 'stages' | 'calls'>,
  ): void {
    this.#merge(journal);
    this.#alone.push({ account: { ...account, journal: undefined }, usage, stages, calls });
  }

  #merge(journal: JournalData | undefined): void {
    const course = journal && courseOf(journal);
    if (this.count === 0) this.#course = course;
    else this.#course = this.#course && course && merged(this.#course, course);
  }

  /** Number of all runs. */
  get count(): number {
    return this.#runs.length + this.#alone.length;
  }

  /** Checks whether the next run should be one on one thread. @param isLast whether no other follows */
  isAloneDue(isLast: boolean): boolean {
    return (isLast || this.#runs.length % RUNS_PER_LOOK === 0) && isAloneDue(this.#runs, this.#alone);
  }

  /** Time for which a run on one thread is waited for (milliseconds). */
  get patienceMs(): number {
    const { wallUs, threads } = (this.#runs.at(-1) as ProfiledRun).usage;
    return LEAST_PATIENCE_MS + (PATIENCE * threads * wallUs) / 1000;
  }

  get accounts(): readonly ProfileAccount[] {
    return this.#runs.map(({ account }) => account);
  }

  get shortest(): ProfiledRun {
    return this.#runs.reduce((least, run) => (run.usage.wallUs < least.usage.wallUs ? run : least));
  }

  /** Checks whether the latest runs have made the span shorter. */
  needsMore(): boolean {
    const [before = 0, now = 0] = this.#spans.slice(-2);
    return this.#runs.length < MOST_RUNS && now < before * SHORTER;
  }

  estimate(): Estimate {
    // Most tasks are forked before a thief looks for one. The shortest time is that of a thief that was waiting.
    const stealUs = quantile(this.#steals, 0) ?? STEAL_US;
    const returnUs = quantile(this.#returns, 0) ?? RETURN_US;
    const course = this.#course;
    if (course === undefined) {
      const work = Math.min(...this.accounts.map((account) => account.work));
      const span = Math.min(...this.accounts.map((account) => account.span));
      const [workBounds, spanBounds] = [[0, work] as const, [0, span] as const];
      return {
        precision: 'counts',
        evaluation: undefined,
        burdenedSpan: span,
        workBounds,
        spanBounds,
        stealUs,
        returnUs,
        betweenUs: 0,
        inflation: new Map(),
        replay: undefined,
      };
    }
    const added = addedTo(course);
    const errorUs = Math.max(ADDED_ERROR_US, clockStepUs());
    const assuming = (moreUs: number): Evaluation =>
      evaluate(course, { lessUs: (kind) => Math.max(0, added(kind) + moreUs), stealUs: 0, returnUs: 0 });
    const [most, evaluation, least] = [assuming(-errorUs), assuming(0), assuming(errorUs)];
    const { span: burdenedSpan } = evaluate(course, { lessUs: added, stealUs, returnUs });
    const { work, span } = evaluation;
    const unsettled = Math.max(0, (this.#spans.at(-2) ?? 0) - (this.#spans.at(-1) ?? 0)); // more runs may go on like this
    const leastSpan = Math.max(0, least.span - unsettled);
    const isMeasured =
      most.work - least.work <= 2 * WORK_ERROR * work && most.span - leastSpan <= 2 * SPAN_ERROR * span;
    const isDominated = least.work < DOMINATES * evaluate(course, RAW).work;
    return {
      precision: isDominated ? 'counts' : isMeasured ? 'measured' : 'interval',
      evaluation,
      burdenedSpan,
      workBounds: [least.work, most.work],
      spanBounds: [leastSpan, most.span],
      stealUs,
      returnUs,
      betweenUs: betweenIn(course),
      inflation: inflationOf(this.#runs, this.#alone),
      replay: replaysOf(course, { lessUs: added, stealUs, returnUs }),
    };
  }
}
