/**
 * The tasks of a run that a dispatcher sends (dispatch.ts); run on any thread that computes.
 *
 * Each answers with the chain of the nodes that are ready then. Results travel through the words of the run, as in lane.ts.
 */
import {
  type AsyncForkable,
  builtin,
  builtinAsync,
  type Forkable,
  host,
  isAskedBy,
  isPromise,
  loopCheckpoint,
  observerHere,
  type Scope,
} from '../../core/engine.js';
import { WorkerCrashError } from '../../core/errors.js';
import { Returned } from '../../flow/returned.js';
import { dispatch } from './dispatch.js';
import { MANY, ONE, runOf } from './lane.js';
import { argumentsOf, fail, push, skip, succeed } from './node.js';
import { runNewest, takeFrom, unchain } from './ready.js';
import { areGone, freeResults, outcomeOf, ownCopy, takesFailed } from './results.js';
import { type GraphRun, isApart, RUNNING, setState } from './run.js';
import { edgesIn, workOf } from './topology.js';

/**
 * After how long a share gives its ready nodes back (ms) where its worker has asynchronous nodes, or the dispatcher, which should go on. A task takes some
 * 0.003 ms.
 */
const SHARE_MS = 1;

/** The run of a job, where its results are still there. */
function presentRun(job: number): GraphRun {
  const run = runOf(job);
  if (!areGone(run)) return run;
  throw new WorkerCrashError(
    `furcate: taskGraph ${run.spec.name}: a worker has died while the run waited, and results with it. Run the graph again.`,
  );
}

/** Checks whether there is a node that the dispatcher should have at once, from position `from` of the list on. */
function hasApart(run: GraphRun, from: number): boolean {
  for (let k = from; k < run.top; k++) {
    const entry = run.ready[k] as number;
    if (entry >= 0 && isApart(run, entry)) return true;
  }
  return false;
}

/**
 * Runs the nodes of a chain, and what they make ready: until a node is ready that runs apart, or others should have some of them. Runs one node, and
 * nothing of what it makes ready, if that is `alone`.
 */
export const graphSome = builtin(
  'graphSome',
  (job: number, chain: number, alone: boolean) => {
    const run = presentRun(job);
    const base = run.top;
    const endMs = isAskedBy('coroutines') ? host().nowMs() + SHARE_MS : Number.POSITIVE_INFINITY;
    try {
      unchain(run, chain);
      do {
        loopCheckpoint();
        const before = run.top - 1;
        runNewest(run);
        if (alone || hasApart(run, before)) break;
        if (run.top - base > 1 && isAskedBy('others')) break;
      } while (run.top > base && host().nowMs() < endMs);
      return takeFrom(run, base);
    } finally {
      run.top = base;
    }
  },
  MANY,
) as Forkable<[job: number, chain: number, alone: boolean], number>;

/** Calls the function of an asynchronous node. What it leaves unjoined is done when the task is. */
const graphCall = builtinAsync(
  'graphCall',
  async (scope: Scope, job: number, node: number) => {
    const run = runOf(job);
    const work = run.works[workOf(run.topology, node)] as GraphRun['works'][number];
    const { fn, context, takesScope } = work;
    const args = argumentsOf(run, node);
    if (context !== undefined) args.push(context);
    try {
      const returned = new Returned((value) => ownCopy(run, node, value));
      const call = (): unknown => (takesScope ? fn(scope, ...args) : fn(...args));
      const observer = observerHere();
      const observed = (): unknown => observer?.node({ job, spec: run.spec }, node, run.functionOf(node), call);
      const made = returned.by(observer === undefined ? call : observed);
      const own = (value: unknown): unknown => returned.copyOf(value);
      // Not awaited first: other calls of the thread may write to what it has returned, and go on before what follows an `await`.
      const result = await (isPromise(made) ? Promise.resolve(made).then(own) : own(made));
      run.endPiece(work);
      return result;
    } catch (error) {
      throw run.explain(error, work);
    }
  },
  ONE,
) as unknown as AsyncForkable<[number, number], unknown>;

/**
 * Runs an asynchronous node in a scope: its result is that of a fork, or the fork's failure.
 *
 * @param check throws once the words of the run may be gone
 */
function callIn(scope: Scope, job: number, node: number, check: () => void): Promise<number> {
  const run = runOf(job);
  const settled = (act: () => void): number => {
    check();
    const base = run.top;
    act();
    return takeFrom(run, base);
  };
  if (takesFailed(run, node)) return Promise.resolve(settled(() => skip(run, node)));
  setState(run, node, RUNNING);
  return scope.join(scope.fork(graphCall, job, node)).then(
    (value) => settled(() => succeed(run, node, value, true)),
    (error: unknown) => settled(() => fail(run, node, error)),
  );
}

/** Runs one asynchronous node, and nothing of what it makes ready. */
export const graphNodeAsync = builtinAsync(
  'graphNodeAsync',
  (scope: Scope, job: number, node: number) => {
    presentRun(job);
    return callIn(scope, job, node, () => scope.signal.throwIfAborted());
  },
  ONE,
) as unknown as AsyncForkable<[number, number], number>;

/** The result of a run whose nodes are done. */
export const graphOutcome = builtin(
  'graphOutcome',
  (job: number): unknown => {
    const run = presentRun(job);
    try {
      return outcomeOf(run);
    } finally {
      freeResults(run);
    }
  },
  MANY,
) as Forkable<[number], unknown>;

/** Frees the results of a run that has ended otherwise. */
export const graphFree = builtin('graphFree', (job: number): void => freeResults(runOf(job)), MANY);

/** Runs a whole graph without limits, and gives its result. */
export const graphRootAsync = builtinAsync(
  'graphRootAsync',
  async (scope: Scope, job: number) => {
    const run = runOf(job);
    const watch = observerHere()?.flows?.();
    for (const node of run.topology.starts) push(run, node);
    let failure: { readonly error: unknown } | undefined;
    const check = (): void => {
      if (failure !== undefined) throw failure.error;
      scope.signal.throwIfAborted();
    };
    const share = (chain: number): (() => Promise<number>) => {
      const fork = scope.fork(graphSome, job, chain, false);
      return () => scope.join(fork);
    };
    await dispatch(run, takeFrom(run, 0), {
      parallelism: run.spec.parallelism,
      share,
      apart: (node) => callIn(scope, job, node, check),
      check,
    }).catch((error: unknown) => {
      failure = { error }; // this task ends with its forks, and what follows from their joins comes after
      throw error;
    });
    watch?.ended([], job, edgesIn(run.topology));
    try {
      return outcomeOf(run);
    } finally {
      freeResults(run);
    }
  },
  MANY,
) as unknown as AsyncForkable<[number], unknown>;
