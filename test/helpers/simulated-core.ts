/**
 * A core for tests of algorithms: no threads, but steals, realms, interleavings and cancellation decided by a seed.
 *
 * A forked task runs at its join or, as if stolen, in another realm: at the fork, at a later checkpoint in the middle of some
 * other task, or at its join. Each realm opens a job from a clone of its specification, and what a stolen task returns is a
 * clone too. A task that runs in the middle of another one may find nothing to steal though there is something, as if a third
 * thread had just taken it: so the task around it goes on with what was left. `import '../../helpers/in-simulated-core.js'` puts
 * it in the place of the core's modules.
 */

import type * as Ranges from '../../src/algorithms/schedule/ranges.js';
import { CancellationError } from '../../src/core/errors.js';
import type { JobKind } from '../../src/core/job/job.js';
import type { Call } from '../../src/core/pool/call.js';
import type { CallJob, JobPlan } from '../../src/core/pool/call-job.js';
import { type Callee, type CallOptions, checkCall } from '../../src/core/pool/call-options.js';
import { provideCore } from '../../src/core/pool/executor.js';
import type { Fork, Forkable } from '../../src/core/task/function-task.js';

/** What a test can set, and see. */
export const simulation = {
  parallelism: 4,
  /** Seeds the choices below. */
  seed: 1,
  /** How often a fork is stolen (0 to 1). */
  stealing: 0.5,
  /** How often a thief begins at once, and how often one that begins later does so at a checkpoint (0 to 1). */
  requests: 0.5,
  /** The fork, join or checkpoint at which the invocation is cancelled. */
  cancelAt: Number.POSITIVE_INFINITY,
  /** Whether an invocation may leave elements undone: a search does. */
  stopsEarly: false,
  /** Counted since the last `reset`; steals are of tasks, and of ranges. */
  jobs: 0,
  /** How often a call started its pool's workers. */
  starts: 0,
  forks: 0,
  steals: 0,
  checkpoints: 0,
};

const DEFAULTS = { ...simulation };

/** Puts everything back, with changes. */
export function reset(changes: Partial<typeof simulation> = {}): void {
  Object.assign(simulation, DEFAULTS, changes);
  random = mulberry32(simulation.seed);
  forked.clear();
  stolen.clear();
  depth = 0;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

let random = mulberry32(simulation.seed);

interface OpenCall {
  readonly kind: JobKind<never, unknown>;
  readonly spec: unknown;
  readonly states: Map<number, unknown>;
  readonly words: Int32Array;
  report(elements: number): void;
}

const jobs = new Map<number, OpenCall>();
const forked = new Map<number, () => unknown>();
let handles = 0;
let serial = 0;
let realm = 0;

function inRealm<R>(other: number, body: () => R): R {
  const before = realm;
  realm = other;
  try {
    return body();
  } finally {
    realm = before;
  }
}

/** Tasks that a thief has, but has not begun, by handle. */
const stolen = new Map<number, () => unknown>();
/** How many tasks run in the middle of others. */
let depth = 0;

/** Runs a stolen task now; its outcome awaits the join. */
function runStolen(handle: number, body: () => unknown): void {
  stolen.delete(handle);
  simulation.steals++;
  depth++;
  try {
    const result = structuredClone(inRealm(1 + Math.floor(random() * simulation.parallelism), body));
    forked.set(handle, () => result);
  } catch (error) {
    forked.set(handle, () => {
      throw error;
    });
  } finally {
    depth--;
  }
}

/** Forks, joins and checkpoints are where a task sees that it was cancelled, and where others may run in between. */
function seeCancellation(): void {
  if (++simulation.checkpoints >= simulation.cancelAt) throw new CancellationError('cancelled by the simulation');
  while (stolen.size > 0 && random() < simulation.requests) {
    const [handle, body] = [...stolen][Math.floor(random() * stolen.size)] as [number, () => unknown];
    runStolen(handle, body);
  }
}

export const functionTask = {
  fork<A extends unknown[], R>(task: Forkable<A, R>, ...args: A): Fork<R> {
    seeCancellation();
    if (args.length > 4 || args.some((arg) => typeof arg !== 'number')) throw new Error('not the fast path of fork');
    simulation.forks++;
    const body = (): unknown => task(...args);
    const handle = ++handles;
    forked.set(handle, body);
    if (random() < simulation.stealing) stolen.set(handle, body);
    if (stolen.has(handle) && random() < simulation.requests) runStolen(handle, body);
    return handle as Fork<R>;
  },
  join<R>(handle: Fork<R>): R {
    seeCancellation();
    const mine = stolen.get(handle);
    if (mine !== undefined) runStolen(handle, mine);
    const body = forked.get(handle);
    if (body === undefined) throw new Error(`stale handle ${handle}`);
    forked.delete(handle);
    return body() as R;
  },
};

export const checkpoints = { loopCheckpoint: seeCancellation };

/** Sorts go to the pool from 8193 elements on, and with a comparator from 1025, however fast the caller would be. */
export const shortSorts = async (original: () => Promise<object>): Promise<object> => ({
  ...(await original()),
  CALLER_SORT_ELEMENTS: 8192,
  CALLER_SAMPLED_ELEMENTS: 0,
});

/** The words of the lanes as they are, but for thieves that come just when another one has all. */
export async function ranges(original: () => Promise<typeof Ranges>): Promise<typeof Ranges> {
  const actual = await original();
  return {
    ...actual,
    steal(...args) {
      if (depth > 0 && random() >= 0.7) return actual.NONE;
      const claimed = actual.steal(...args);
      if (claimed !== actual.NONE) simulation.steals++;
      return claimed;
    },
  };
}

export const job = {
  jobKind: <Spec, State>(name: string, open: (spec: Spec) => State): JobKind<Spec, State> => ({
    kind: 'job',
    url: '',
    name,
    open,
  }),
  jobState<State>(id: number): State {
    const { kind, spec, states } = jobs.get(id) as OpenCall;
    if (!states.has(realm)) states.set(realm, kind.open(structuredClone(spec) as never));
    return states.get(realm) as State;
  },
  jobWords: (id: number): Int32Array => (jobs.get(id) as OpenCall).words,
  addProgress: (id: number, elements: number): void => (jobs.get(id) as OpenCall).report(elements),
  forgetEndedJobs(): void {},
};

class SimulatedPool {}

/** What the algorithms take for a pool. */
export const pool: unknown = new SimulatedPool();
provideCore(pool as never, undefined as never); // nobody asks it for anything

/** The part of a call that algorithms use, without threads. */
class SimulatedCall {
  readonly parallelism = simulation.parallelism;
  readonly chunkElements = 0;
  readonly onlyInTasks = false;
  readonly options: CallOptions;

  constructor(options: CallOptions) {
    this.options = options;
  }

  static admit(given: CallOptions, callee: Callee): SimulatedCall {
    checkCall(given, callee);
    const call = new SimulatedCall(given);
    call.checkAgain();
    return call;
  }

  checkAgain(): void {
    const { signal } = this.options;
    if (signal?.aborted === true) throw new CancellationError('aborted', { reason: 'signal', cause: signal.reason });
  }

  get onProgress(): CallOptions['onProgress'] {
    return this.options.onProgress;
  }

  with(changes: CallOptions): SimulatedCall {
    return new SimulatedCall({ ...this.options, ...changes });
  }

  startEarly(): void {
    simulation.starts++;
  }

  job<R, Spec extends object>(plan: JobPlan<R, Spec>): CallJob<R> {
    return {
      runSync: () => this.#run(plan),
      run: async () => {
        await undefined; // the call returns before anything runs
        return this.#run(plan);
      },
    };
  }

  /** Reports all elements but the last at once, and the end when it has come, as pools do. */
  #run<R, Spec extends object>({ total, kind, spec, root, from, sharedWords }: JobPlan<R, Spec>): R {
    const { onProgress } = this;
    simulation.jobs++;
    const id = ++serial;
    let done = 0;
    const report = (elements: number): void => {
      done += elements;
      if (done > total) throw new Error(`${done} of ${total} elements are done`);
      if (done < total) onProgress?.(done, total);
    };
    const words = new Int32Array(sharedWords).fill(random() * 2 ** 31);
    jobs.set(id, { kind: kind as unknown as JobKind<never, unknown>, spec, states: new Map(), words, report });
    try {
      const result = inRealm(1, () => root(id, from));
      if (done !== total && !simulation.stopsEarly) throw new Error(`${done} of ${total} elements are done at the end`);
      onProgress?.(total, total);
      return structuredClone(result);
    } finally {
      jobs.delete(id);
      forked.clear();
      stolen.clear();
    }
  }
}

/** A call that was admitted. */
export const callWith = (options: CallOptions = {}): Call => new SimulatedCall(options) as unknown as Call;

/** The alias of src/core/pool/call.ts in tests of algorithms. */
export const call = { Call: SimulatedCall, within: <R>(_: unknown, act: () => R): R => act() };
