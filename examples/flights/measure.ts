/** Asks one question both ways, several times in turn, and compares every pair of answers. */
import type { Fact, Question } from './questions/question.js';

export interface Measurement {
  readonly title: string;
  readonly calls: string;
  readonly criterion: string;
  readonly note: string | undefined;
  /** Whether every run's parallel answer equalled the sequential one. */
  readonly equal: boolean;
  readonly sequentialFacts: readonly Fact[];
  readonly parallelFacts: readonly Fact[];
  /** Medians of the runs. */
  readonly sequentialMs: number;
  readonly parallelMs: number;
}

/**
 * Times `runs` sequential and as many parallel answers, alternating, so that a machine that slows down or speeds up
 * meanwhile does so for both. Comparing the answers is not timed.
 *
 * @param onProgress - told the share that is done, from 0 to 1
 */
export async function measure<Answer>(
  question: Question<Answer>,
  runs: number,
  onProgress?: (share: number) => void,
): Promise<Measurement> {
  const sequentialMs: number[] = [];
  const parallelMs: number[] = [];
  let equal = true;
  let facts: Pick<Measurement, 'sequentialFacts' | 'parallelFacts'> = { sequentialFacts: [], parallelFacts: [] };

  for (let run = 0; run < runs; run++) {
    onProgress?.(run / runs);
    const start = performance.now();
    const sequential = question.sequential();
    sequentialMs.push(performance.now() - start);

    const halfDone = (run + 0.5) / runs;
    onProgress?.(halfDone);
    const parallelProgress =
      onProgress && ((done: number, all: number) => onProgress(halfDone + (0.5 * done) / all / runs));
    const parallelStart = performance.now();
    const parallel = await question.parallel(parallelProgress);
    parallelMs.push(performance.now() - parallelStart);

    equal &&= question.equal(sequential, parallel);
    if (run === runs - 1 || !equal) {
      facts = { sequentialFacts: question.facts(sequential), parallelFacts: question.facts(parallel) };
    }
    if (!equal) break; // show the answers that differ, not later ones that happen to agree
  }
  const { title, calls, criterion, note } = question;
  return {
    title,
    calls,
    criterion,
    note,
    equal,
    ...facts,
    sequentialMs: median(sequentialMs),
    parallelMs: median(parallelMs),
  };
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('The median of no values is not defined: give at least one.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
