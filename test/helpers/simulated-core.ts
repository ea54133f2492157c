/**
 * A core for tests of algorithms: no threads, but thefts, realms, hunger and cancellation decided by a seed.
 *
 * A forked task runs at once in another realm (as if stolen) or at its join; each realm opens a job from a clone of its
 * specification, and what a stolen task returns is a clone too. Used with `vi.mock` in the place of the core's modules:
 *
 *     vi.mock('../../../src/core/pool/call.js', async () => (await import('../../helpers/simulated-core.js')).call);
 */

import type { JobKind } from '../../src/core/call/job.js';
import { CancellationError } from '../../src/core/errors.js';
import type { Fork, Forkable } from '../../src/core/task/function-task.js';

type Progress = (done: number, total: number) => void;
interface Call {
  readonly pool?: unknown;
  readonly signal?: AbortSignal;
  readonly onProgress?: Progress;
}

/** What a test can set, and see. */
export const simulation = {
  parallelism: 4,
  /** Seeds the choices below. */
  seed: 1,
  /** How often a fork is stolen, and how often a thief is hungry (0 to 1). */
  stealing: 0.5,
  hunger: 0.5,
  /** The fork, join or checkpoint at which the invocation is cancelled. */
  cancelAt: Number.POSITIVE_INFINITY,
  /** Whether an invocation may leave elements undone: a search does. */
  stopsEarly: false,
  /** Counted since the last `reset`. */
  jobs: 0,
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

function steal(body: () => unknown): () => unknown {
  simulation.steals++;
  try {
    const result = structuredClone(inRealm(1 + Math.floor(random() * simulation.parallelism), body));
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Forks, joins and checkpoints are where a task sees that it was cancelled. */
function seeCancellation(): void {
  if (++simulation.checkpoints >= simulation.cancelAt) throw new CancellationError('cancelled by the simulation');
}

export const functionTask = {
  fork<A extends unknown[], R>(task: Forkable<A, R>, ...args: A): Fork<R> {
    seeCancellation();
    if (args.length > 4 || args.some((arg) => typeof arg !== 'number')) throw new Error('not the fast path of fork');
    simulation.forks++;
    const body = (): unknown => task(...args);
    const handle = ++handles;
    forked.set(handle, random() < simulation.stealing ? steal(body) : body);
    return handle as Fork<R>;
  },
  join<R>(handle: Fork<R>): R {
    seeCancellation();
    const body = forked.get(handle);
    if (body === undefined) throw new Error(`stale handle ${handle}`);
    forked.delete(handle);
    return body() as R;
  },
};

export const checkpoints = {
  checkpoint: seeCancellation,
  someoneIsHungry: (): boolean => random() < simulation.hunger,
};

export const job = {
  jobKind: <Spec, State>(name: string, open: (spec: Spec) => State): JobKind<Spec, State> => ({
    kind: 'job',
    url: '',
    name,
    open,
  }),
  jobState<Spec, State>(_kind: JobKind<Spec, State>, id: number): State {
    const { kind, spec, states } = jobs.get(id) as OpenCall;
    if (!states.has(realm)) states.set(realm, kind.open(structuredClone(spec) as never));
    return states.get(realm) as State;
  },
  addProgress: (id: number, elements: number): void => (jobs.get(id) as OpenCall).report(elements),
};

class SimulatedPool {}

/** What the algorithms take for a pool. */
export const pool: unknown = new SimulatedPool();

/** Reports all elements but the last at once, and the end when it has come, as pools do. */
function runJobSync<Spec, State, R>(
  { onProgress }: Call,
  total: number,
  kind: JobKind<Spec, State>,
  spec: Spec,
  root: Forkable<[job: number, lo: number, hi: number], R>,
  lo: number,
  hi: number,
): R {
  simulation.jobs++;
  const id = ++serial;
  let done = 0;
  const report = (elements: number): void => {
    done += elements;
    if (done > total) throw new Error(`${done} of ${total} elements are done`);
    if (done < total) onProgress?.(done, total);
  };
  jobs.set(id, { kind: kind as unknown as JobKind<never, unknown>, spec, states: new Map(), report });
  try {
    const result = inRealm(1, () => root(id, lo, hi));
    if (done !== total && !simulation.stopsEarly) throw new Error(`${done} of ${total} elements are done at the end`);
    onProgress?.(total, total);
    return structuredClone(result);
  } finally {
    jobs.delete(id);
    forked.clear();
  }
}

export const call = {
  stalled: () => undefined,
  canBeEnded: (): boolean => false,
  isForkJoinPool: (value: unknown): boolean => value instanceof SimulatedPool,
  admit({ signal }: Call): void {
    if (signal?.aborted === true) throw new CancellationError('aborted', { aborted: true, cause: signal.reason });
  },
  parallelismOf: (): number => simulation.parallelism,
  runJobSync,
  async runJob(...args: Parameters<typeof runJobSync>): Promise<unknown> {
    await undefined; // the call returns before anything runs
    return runJobSync(...args);
  },
};
