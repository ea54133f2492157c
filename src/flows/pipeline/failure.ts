/** Error with which `toArray({ partial: true })` rejects; on the thread that calls. */
import { isRevoked } from '../../core/errors.js';

/** Error with which `toArray` of a pipeline rejects if it has the option `partial`: `isPipelineFailure` tells it. */
export interface PipelineFailure<T = unknown> extends Error {
  readonly name: 'PipelineFailure';
  /** The stage that has failed, as errors name it; undefined where the source has failed, or the run was cancelled. The failure itself is the `cause`. */
  readonly stage: string | undefined;
  /** The items that have left before: in an ordered pipeline all those before the one that has failed. */
  readonly results: readonly T[];
}

export function pipelineFailure(cause: unknown, results: readonly unknown[]): Error {
  const { stage } = Object(cause) as { stage?: unknown };
  const isStage = typeof stage === 'string';
  const what = isStage ? ` in ${stage}` : '';
  return Object.assign(
    new Error(`furcate: a pipeline failed${what}; ${results.length} items had left before.`, { cause }),
    { name: 'PipelineFailure', stage: isStage ? stage : undefined, results },
  );
}

/**
 * Checks whether an error is what `toArray({ partial: true })` rejects with: it has the items that have left before the failure, as its
 * `results`.
 *
 * @param error what was caught
 * @example
 * const halves = pipeline([2, 4, 5]).map((x) => { if (x % 2 !== 0) throw new RangeError('odd'); return x / 2; });
 * const error = await halves.toArray({ partial: true }).catch((thrown) => thrown);
 * if (isPipelineFailure(error)) console.log(error.results); // [1, 2]
 */
export const isPipelineFailure = <T = unknown>(error: unknown): error is PipelineFailure<T> =>
  !isRevoked(error) && error instanceof Error && error.name === 'PipelineFailure' && 'results' in error;
