/** Error with which a run with `partial: true` rejects; on the thread that calls. */
import { isRevoked } from '../../core/errors.js';

/** Error with which a run with the option `partial` rejects when nodes have failed: `isGraphFailure` tells it. */
export interface GraphFailure extends Error {
  readonly name: 'GraphFailure';
  /** The name of the node that was made first of those that have failed. Its failure is the `cause`. */
  readonly node: string;
  /** All failures, in the order of their nodes. */
  readonly errors: readonly unknown[];
  /** The results of the nodes that call functions and have succeeded, by their names; of nodes with one name, that of the last. */
  readonly results: ReadonlyMap<string, unknown>;
}

/** The failure of a run of a graph of that name. */
export const graphFailure = (graph: string, { node, errors, results }: Omit<GraphFailure, keyof Error>): Error =>
  Object.assign(
    new Error(`furcate: taskGraph ${graph}: ${errors.length} of its nodes failed, the first of them '${node}'.`, {
      cause: errors[0],
    }),
    { name: 'GraphFailure', node, errors, results },
  );

/**
 * Checks whether an error is what a run with `partial: true` rejects with: it has the `results` of all nodes that have succeeded.
 *
 * @param error what was caught
 * @example
 * const build = taskGraph((g) => g.all([g.with({ name: 'a' }).task(() => 1), g.with({ name: 'b' }).task(() => { throw new Error('no'); })]));
 * const error = await build.with({ partial: true }).run().catch((thrown) => thrown);
 * if (isGraphFailure(error)) console.log(error.node, error.results.get('a')); // b 1
 */
export const isGraphFailure = (error: unknown): error is GraphFailure =>
  !isRevoked(error) && error instanceof Error && error.name === 'GraphFailure' && 'results' in error;
