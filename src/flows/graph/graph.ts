/** Users' view of graphs and of their runs; nothing of this file runs. */
import type { CallOptions, Scope } from '../../core/engine.js';

/** Options of a graph. */
export interface TaskGraphOptions {
  /** Name for error messages; the name of its function by default. */
  readonly name?: string | undefined;
}

/** Options of a run. */
export interface RunOptions extends CallOptions {
  /** In an asynchronous task: its scope. The run is a fork of the task. */
  readonly scope?: Scope | undefined;
  /**
   * True to stop when a node fails: nodes that have not begun do not run then, and not only those that come after it. Which of the others have run by then
   * differs from run to run.
   */
  readonly stopOnError?: boolean | undefined;
  /**
   * Called now and then, and at the end, with the number of steps that are done, and of all there are: nodes that call functions. Steps that are skipped
   * because of a failure count as done; those of arms that are not chosen do not. If it throws, the run is cancelled, and fails with what it threw.
   */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * True for a run that rejects with a `GraphFailure` if there are failures; it has the results of all nodes that succeeded. Results are kept
   * until then.
   */
  readonly partial?: boolean | undefined;
}

/** Runs a graph. */
export interface GraphRunner<A extends readonly unknown[], R> {
  /**
   * Runs the graph with these inputs. Runs may overlap; none sees anything of another.
   *
   * @param args the inputs, in the order in which `taskGraph` names them
   * @returns a promise of the graph's result, which settles when no node runs any more
   * @throws (rejects with) when all nodes that could run are done, the failure of the node that was made first of those that have failed: the error has the
   *   name of the `node`, and all `errors` in the order of their nodes, unless it has such properties of its own; TypeError for wrong inputs and options; CancellationError; WorkerCrashError
   */
  run(...args: A): Promise<R>;
  /**
   * As `run`, on this thread and those that steal from it. Inside a task it forks on the worker that calls.
   *
   * @param args as for `run`
   * @throws what the promise of `run` rejects with; Error, before anything starts, if a node of the graph is asynchronous or has a limit
   */
  runSync(...args: A): R;
}

/** A graph of tasks. It never changes: each run has a state of its own. */
export interface TaskGraph<A extends readonly unknown[], R> extends GraphRunner<A, R> {
  /** Name for error messages. */
  readonly name: string;
  /** Number of its nodes; choices, arms and graphs within graphs have some more than were built. */
  readonly size: number;
  /** True if a node is asynchronous or has a limit, so that `runSync` refuses it. */
  readonly isAsync: boolean;
  /**
   * Runs of the graph with options.
   *
   * @param options `pool`, or in an asynchronous task its `scope`; `signal`, `timeoutMs`, `graceMs`, `priority`, `carry`; `stopOnError`, `onProgress`, `partial`
   * @throws TypeError for an option that there is not
   */
  with(options: RunOptions): GraphRunner<A, R>;
  /** The graph as text in the language of Graphviz. */
  toDot(): string;
}
