/**
 * Runs of graphs with asynchronous nodes: one coroutine counts the nodes down, and forks each ready node as a task; runs on a worker.
 *
 * Results travel through the words of the run, as in lane.ts, and are packed at once. A node costs as much as a fork of a scope.
 */
import {
  type AsyncForkable,
  builtin,
  builtinAsync,
  type Forkable,
  loopCheckpoint,
  type Scope,
} from '../../core/engine.js';
import { load } from '../../core/memory/atomics.js';
import { runOf } from './lane.js';
import { argumentsOf, fail, push, runOwn, skip, succeed } from './node.js';
import { freeResults, outcomeOf } from './results.js';
import { type Run, W_STOPPED } from './run.js';

/** The function of a node, its arguments, and its name. */
function callOf(job: number, node: number): { fn: (...args: unknown[]) => unknown; args: unknown[]; run: Run } {
  const run = runOf(job);
  const { fn, context } = run.works[run.topology.work[node] as number] as Run['works'][number];
  const args = argumentsOf(run, node);
  return { fn, args: context === undefined ? args : [...args, context], run };
}

const workOf = (run: Run, node: number): Run['works'][number] =>
  run.works[run.topology.work[node] as number] as Run['works'][number];

const graphCall = builtin('graphCall', (job: number, node: number): unknown => {
  const { fn, args, run } = callOf(job, node);
  try {
    const result = fn(...args);
    run.checkContext(workOf(run, node));
    return result;
  } catch (error) {
    loopCheckpoint();
    throw run.explain(error, workOf(run, node));
  }
}) as Forkable<[number, number], unknown>;

const graphCallAsync = builtinAsync('graphCallAsync', async (scope: Scope, job: number, node: number) => {
  const { fn, args } = callOf(job, node);
  return fn(scope, ...args);
}) as unknown as AsyncForkable<[number, number], unknown>;

/** Runs the whole graph, and gives its result. */
export const graphRootAsync = builtinAsync('graphRootAsync', async (scope: Scope, job: number, _from: number) => {
  const run = runOf(job);
  run.begin();
  run.packsAll = true; // nodes run anywhere
  for (const node of run.topology.starts) push(run, node);
  let inFlight = 0;
  let wake = (): void => {};
  const settle = (act: () => void): void => {
    inFlight--;
    if (!scope.signal.aborted) act(); // else the words may be gone
    wake();
  };
  scope.signal.addEventListener('abort', () => wake());
  try {
    while (run.top > 0 || inFlight > 0) {
      scope.signal.throwIfAborted();
      if (run.top === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const node = run.ready[--run.top] as number;
      if (node < 0) skip(run, ~node);
      else if (load(run.words, W_STOPPED) !== 0) skip(run, node);
      else if ((run.topology.work[node] as number) < 0) runHere(run, node);
      else {
        const fork = workOf(run, node).waits ? scope.fork(graphCallAsync, job, node) : scope.fork(graphCall, job, node);
        inFlight++;
        scope.join(fork).then(
          (value) => settle(() => succeed(run, node, value)),
          (error: unknown) => settle(() => fail(run, node, error)),
        );
      }
    }
    return outcomeOf(run);
  } finally {
    // Of a run that was cancelled, results stay until the pool ends: nodes may read them still.
    if (!scope.signal.aborted) freeResults(run);
  }
});

function runHere(run: Run, node: number): void {
  let value: unknown;
  try {
    value = runOwn(run, node, run.topology.work[node] as number);
  } catch (error) {
    fail(run, node, error);
    return;
  }
  succeed(run, node, value);
}
