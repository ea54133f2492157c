/** A run of a graph some of whose nodes wait, as the calling thread has it. */
import {
  type AsyncForkable,
  type Call,
  CallSignal,
  type Forkable,
  type JobKind,
  observerHere,
} from '../../core/engine.js';
import { load } from '../../core/memory/atomics.js';
import type { Admission } from '../limit/admission.js';
import { dispatch } from './dispatch.js';
import { GRAPH, runOf } from './lane.js';
import { link, NO_CHAIN } from './ready.js';
import { freeResults } from './results.js';
import { isStopped, type RunSpec, RunWords, W_BLOBS, wordsOf } from './run.js';
import { graphFree, graphNodeAsync, graphOutcome, graphRootAsync, graphSome } from './tasks.js';
import { edgesIn, sizeOf, workOf } from './topology.js';

/** Permits that nodes wait for, by their functions. */
export type Admissions = readonly (Admission | undefined)[];

/** The tasks of one run. */
class NodeTasks {
  readonly #call: Call;
  readonly #dependencies: number;
  /** The job of the run. */
  readonly job: number;
  /** Cancels all that are in flight. */
  readonly signal: CallSignal;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(call: Call, job: number, dependencies: number) {
    this.#call = call;
    this.signal = call.signal;
    this.job = job;
    this.#dependencies = dependencies;
  }

  run<A extends unknown[], R>(
    task: Forkable<[number, ...A], R> | AsyncForkable<[number, ...A], R>,
    args: A,
    signal: CallSignal = this.signal,
  ): Promise<R> {
    const how = { dependencies: this.#dependencies, signal };
    return this.until(this.#call.run(task as unknown as Forkable<never[], R>, [this.job, ...args], how));
  }

  /** Notes what is in flight until it has settled. */
  until<R>(promise: Promise<R>): Promise<R> {
    this.#pending.add(promise);
    const settled = (): void => void this.#pending.delete(promise);
    promise.then(settled, settled);
    return promise;
  }

  /** Cancels what is in flight, and waits for its end. */
  async stop(error: unknown): Promise<void> {
    this.signal.abort(error);
    await Promise.allSettled(this.#pending);
  }
}

/** Reason why a node that is not to run does not wait for permits any more. */
const STOPPED: unique symbol = Symbol('furcate.stopped');

/** Runs the nodes of a graph with limits. The permits are on this thread, so this is where the dispatcher is. */
async function runLimited(tasks: NodeTasks, run: RunWords, admissions: Admissions): Promise<unknown> {
  const watch = observerHere()?.flows?.();
  const { topology, spec } = run;
  const { signal } = tasks;
  /** Aborted when nothing is to wait for permits any more. */
  const waits = signal.child();
  const check = (): void => {
    if (signal.aborted) throw signal.reason;
    if (isStopped(run)) waits.abort(STOPPED);
  };
  const alone = (node: number): Promise<number> => tasks.run(graphSome, [link(run, node, NO_CHAIN), true]);
  const start = (node: number): Promise<number> => {
    const isAsync = !isStopped(run) && spec.works[workOf(topology, node)]?.waits === true;
    return isAsync ? tasks.run(graphNodeAsync, [node]) : alone(node);
  };
  const first = topology.starts.reduceRight((chain, node) => link(run, node, chain), NO_CHAIN);
  await dispatch(run, first, {
    parallelism: spec.parallelism,
    share: (chain) => {
      const ran = tasks.run(graphSome, [chain, false]);
      return () => ran;
    },
    apart: (node) => {
      const admission = admissions[workOf(topology, node)];
      if (admission === undefined) return start(node);
      const waited = admission
        .run(async () => start(node), waits)
        .catch((error: unknown) => {
          if (error === STOPPED) return alone(node);
          throw error;
        });
      return tasks.until(waited);
    },
    check,
  });
  watch?.ended([], tasks.job, edgesIn(topology));
  return tasks.run(graphOutcome, []);
}

/** Runs a graph; the promise settles when nothing of the run is left. */
export function runWaiting(call: Call, spec: RunSpec, admissions: Admissions, steps: number): Promise<unknown> {
  return call.during(async () => {
    const job = call.open(GRAPH as JobKind<RunSpec, unknown>, spec, wordsOf(sizeOf(spec.topology)), steps);
    try {
      const run = new RunWords(spec, job.id);
      run.begin();
      const tasks = new NodeTasks(call, job.id, job.dependenciesWith([]));
      try {
        const isLimited = admissions.some((admission) => admission !== undefined);
        const result = await (isLimited ? runLimited(tasks, run, admissions) : tasks.run(graphRootAsync, []));
        job.completed();
        return result;
      } catch (error) {
        await tasks.stop(error);
        // The memory is that of the workers, so that one of them frees it. If there are none any more, it has ended with them.
        if (load(run.words, W_BLOBS) === 0) throw error;
        if (call.scope !== undefined) freeResults(runOf(job.id));
        else await tasks.run(graphFree, [], new CallSignal()).catch(() => {});
        throw error;
      }
    } finally {
      job.close();
    }
  });
}
