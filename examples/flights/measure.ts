/** Answers a question sequentially and in parallel, several times in turn, and compares every pair of answers. */
import type { Fact, Question } from './questions/question.js';

export interface Measurement {
  readonly title: string;
  readonly calls: string;
  readonly criterion: string;
  readonly note: string | undefined;
  /** Whether the parallel answer equalled the sequential answer in every run. */
  readonly equal: boolean;
  readonly sequentialFacts: readonly Fact[];
  readonly parallelFacts: readonly Fact[];
  readonly sequential: Timing;
  readonly parallel: Timing;
}

export interface Timing {
  /** The first run, with code that V8 has not compiled yet. */
  readonly firstMs: number;
  readonly medianMs: number;
  readonly runs: number;
}

/** How long to measure: until both numbers are reached, or after `MAX_RUNS` runs. */
export interface Effort {
  readonly runs: number;
  /** Milliseconds spent on answers. Short answers, whose times vary more, run more often. */
  readonly ms: number;
}

export const MAX_RUNS = 50;

/**
 * Times sequential and parallel answers in turn, so that a change of the machine's speed affects both. Comparing the answers is not
 * timed.
 *
 * @param onProgress - called with the share that is done, from 0 to 1
 */
export async function measure<Answer>(
  question: Question<Answer>,
  effort: Effort,
  onProgress?: (share: number) => void,
): Promise<Measurement> {
  const sequentialMs: number[] = [];
  const parallelMs: number[] = [];
  let measuredMs = 0;
  let equal = true;
  let facts: Pick<Measurement, 'sequentialFacts' | 'parallelFacts'>;

  do {
    const run = sequentialMs.length;
    const progressAt = (partOfRun: number): void =>
      onProgress?.(Math.min(1, (run + partOfRun) / effort.runs, effort.ms > 0 ? measuredMs / effort.ms : 1));

    progressAt(0);
    const start = performance.now();
    const sequential = question.sequential();
    sequentialMs.push(performance.now() - start);
    measuredMs += sequentialMs[run];

    progressAt(0.5);
    const parallelProgress = onProgress && ((done: number, all: number) => progressAt(0.5 + (0.5 * done) / all));
    const parallelStart = performance.now();
    const parallel = await question.parallel(parallelProgress);
    parallelMs.push(performance.now() - parallelStart);
    measuredMs += parallelMs[run];

    equal = question.equal(sequential, parallel); // if not: stop, and show the answers that differ
    facts = { sequentialFacts: question.facts(sequential), parallelFacts: question.facts(parallel) };
  } while (equal && parallelMs.length < MAX_RUNS && (parallelMs.length < effort.runs || measuredMs < effort.ms));

  const { title, calls, criterion, note } = question;
  return {
    title,
    calls,
    criterion,
    note,
    equal,
    ...facts,
    sequential: timing(sequentialMs),
    parallel: timing(parallelMs),
  };
}

function timing(times: readonly number[]): Timing {
  return { firstMs: times[0], medianMs: median(times), runs: times.length };
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('The median of no values is not defined: give at least one.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
