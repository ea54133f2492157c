/**
 * `parallelFor` and `parallelForRange`: a loop whose iterations are independent; the calls run on the caller, the
 * iterations on every thread that computes.
 */

import { builtin } from '../core/code/registry.js';
import {
  compiled,
  explainReferenceError,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  shipContext,
  shipFunction,
} from '../core/code/source.js';
import { type Form, parallelismOf, runJob, runJobSync, stalled } from '../core/pool/call.js';
import { type Fork, type Forkable, fork } from '../core/task/function-task.js';
import { addProgress, jobKind, jobState } from '../core/worker/job.js';
import { type Cost, costOf } from './cost.js';
import { fresh } from './fresh.js';
import { type AlgorithmOptions, type Checked, checkFunction, checkRange, readOptions } from './options.js';
import { finished, progressFrom } from './progress.js';
import { type Block, Grain, runOnCaller, splitRange } from './split.js';
import { CALLER_LIMIT_US, CALLER_US } from './tuning.js';

/** A number of iterations, 0 to n - 1, or the two ends of the range, lo to hi - 1. */
export type LoopRange = number | readonly [lo: number, hi: number];

interface ForSpec {
  readonly body: ShippedFunction;
  readonly context: ShippedContext | undefined;
  /** Whether the body takes ranges rather than indices. */
  readonly ranged: boolean;
  readonly elements: number;
  readonly threshold: number;
  readonly parallelism: number;
}

interface ForState {
  readonly block: Block;
  readonly grain: Grain;
}

type Loop = (lo: number, hi: number, context: unknown) => unknown;
type Body = (i: number, context: unknown) => unknown;

/** A maker, see fresh.ts. */
const makeIndexLoop = (body: Body): Loop =>
  function indexLoop(lo: number, hi: number, context: unknown): void {
    for (let i = lo; i < hi; i++) body(i, context);
  };

/** A maker, see fresh.ts. */
const makeRangeLoop = (body: Loop): Loop =>
  function rangeLoop(lo: number, hi: number, context: unknown): void {
    body(lo, hi, context);
  };

function openFor(spec: ForSpec): ForState {
  const body = compiled(spec.body);
  const context = spec.context === undefined ? undefined : openContext(spec.context);
  const loopFor = (tag: string): Loop =>
    spec.ranged ? fresh(makeRangeLoop, tag, body as Loop) : fresh(makeIndexLoop, tag, body as Body);
  const loop = loopFor('int32');
  const grain = new Grain(costOf(body), 1, spec.elements, spec.threshold, spec.parallelism);
  return {
    grain,
    block(lo, hi) {
      try {
        // Numbers that went through a Float64Array are doubles to V8; `| 0` makes the loop an integer one again.
        if (lo >= -0x80000000 && hi <= 0x7fffffff) loop(lo | 0, hi | 0, context);
        else loopFor('wide')(lo, hi, context);
      } catch (error) {
        throw explainReferenceError(error, spec.ranged ? 'the body of parallelForRange' : 'the body of parallelFor');
      }
    },
  };
}

const FOR = jobKind<ForSpec, ForState>('for', openFor);

/** Runs iterations [lo, hi) and returns the milliseconds that were spent in them, on all threads together. */
const forTask: Forkable<[job: number, lo: number, hi: number], number> = builtin(
  'for',
  (job: number, lo: number, hi: number): number => {
    const { block, grain } = jobState(FOR, job);
    let stolenMs = 0;
    const forkPart = (from: number, to: number): Fork<number> => fork(forTask, job, from, to);
    const counted: Block = (from, to) => {
      block(from, to);
      addProgress(job, to - from);
    };
    const busyMs = splitRange(lo, hi, grain, forkPart, counted, (ms) => {
      stolenMs += ms;
    });
    return busyMs + stolenMs;
  },
);

/** A loop that was checked and is ready to run. */
interface Loopable {
  readonly options: Checked;
  readonly spec: ForSpec;
  readonly cost: Cost;
  /** Where the pool takes over: `hi` if the caller did it all. */
  readonly lo: number;
  readonly start: number;
  readonly hi: number;
}

/** Checks everything, and runs the loop here if it is known to be short. */
function begin(name: string, form: Form, ranged: boolean, range: unknown, body: unknown, rest: unknown): Loopable {
  const [lo, hi] = checkRange(name, range);
  checkFunction(name, 'body', body);
  const options = readOptions(name, form, rest);
  const { pool } = options.call;
  const spec: ForSpec = {
    body: shipFunction(body, 'body'),
    context: options.context === undefined ? undefined : shipContext(options.context, 'context'),
    ranged,
    elements: hi - lo,
    threshold: options.threshold,
    parallelism: parallelismOf(pool),
  };
  const cost = costOf(compiled(spec.body));
  const whole = options.threshold === 0 || options.threshold >= hi - lo;
  let start = lo;
  if (lo < hi && whole && cost.estimateUs(hi - lo) < CALLER_US) {
    const { grain, block } = openFor(spec);
    start = runOnCaller(lo, hi, grain, CALLER_LIMIT_US, block);
  }
  if (start === hi) finished(options.call, hi - lo);
  return { options, spec, cost, lo, start, hi };
}

async function runFor(name: string, ranged: boolean, range: unknown, body: unknown, rest: unknown): Promise<void> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const { options, spec, cost, lo, start, hi } = begin(name, 'promise', ranged, range, body, rest);
  if (start === hi) return;
  const call = progressFrom(options.call, start - lo, hi - lo, 1);
  cost.note(hi - start, await runJob(call, hi - start, FOR, spec, forTask, start, hi));
}

function runForSync(name: string, ranged: boolean, range: unknown, body: unknown, rest: unknown): void {
  const { options, spec, cost, lo, start, hi } = begin(name, 'sync', ranged, range, body, rest);
  if (start === hi) return;
  const call = progressFrom(options.call, start - lo, hi - lo, 1);
  cost.note(hi - start, runJobSync(call, hi - start, FOR, spec, forTask, start, hi));
}

/**
 * Calls a function for every index of a range, in any order and on any thread.
 *
 * @param range n for 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param body called as `body(i, context)`, synchronous. It travels as source text: what it needs besides its arguments
 *   goes through `context`, unless it is a `forkable`. What it writes goes to shared arrays
 * @param options `pool`, `threshold` (indices in a leaf), `context`, `signal`, `onProgress(done, total)` in indices
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `body` threw at the lowest
 *   failing index, with every lower index done and any number of higher ones; CancellationError (`AbortError`) once `signal` is aborted
 * Cost: n calls; span n / parallelism; no extra memory. Once a body is known to be cheap, a loop that takes less than
 * 100 us runs at once on the caller.
 * @example
 * const xs = sharedArray(Float64Array, 1_000_000);
 * await parallelFor(xs.length, (i, { xs }) => { xs[i] = Math.sin(i); }, { context: { xs } });
 */
export async function parallelFor<C = undefined>(
  range: LoopRange,
  body: (i: number, context: C) => void,
  options?: AlgorithmOptions<C>,
): Promise<void> {
  await runFor('parallelFor', false, range, body, options);
}

/**
 * `parallelFor` that returns when it is done. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param range as for `parallelFor`
 * @param body as for `parallelFor`
 * @param options as for `parallelFor`
 * @throws what `parallelFor` rejects with; Error on a browser's main thread, which must not block
 * Cost: that of `parallelFor`.
 * @example
 * parallelForSync(xs.length, (i, { xs }) => { xs[i] *= 2; }, { context: { xs } });
 */
export function parallelForSync<C = undefined>(
  range: LoopRange,
  body: (i: number, context: C) => void,
  options?: AlgorithmOptions<C>,
): void {
  runForSync('parallelForSync', false, range, body, options);
}

/**
 * Calls a function for consecutive parts of a range that cover it, in any order and on any thread: for bodies that gain
 * from a loop of their own.
 *
 * @param range n for 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param body called as `body(lo, hi, context)` with lo < hi; otherwise as for `parallelFor`. The parts depend on the
 *   clock, unless `threshold` is given: they then have at most that many indices, and more than half as many
 * @param options as for `parallelFor`
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) what `parallelFor` does; of the failing parts, the lowest one's error
 * Cost: that of `parallelFor`.
 * @example
 * await parallelForRange(xs.length, (lo, hi, { xs }) => { xs.subarray(lo, hi).fill(1); }, { context: { xs } });
 */
export async function parallelForRange<C = undefined>(
  range: LoopRange,
  body: (lo: number, hi: number, context: C) => void,
  options?: AlgorithmOptions<C>,
): Promise<void> {
  await runFor('parallelForRange', true, range, body, options);
}

/**
 * `parallelForRange` that returns when it is done; see `parallelForSync` for where it may be called.
 *
 * @param range as for `parallelForRange`
 * @param body as for `parallelForRange`
 * @param options as for `parallelForRange`
 * @throws what `parallelForRange` rejects with; Error on a browser's main thread, which must not block
 * Cost: that of `parallelFor`.
 * @example
 * parallelForRangeSync([100, 200], (lo, hi, { xs }) => { xs.fill(0, lo, hi); }, { context: { xs } });
 */
export function parallelForRangeSync<C = undefined>(
  range: LoopRange,
  body: (lo: number, hi: number, context: C) => void,
  options?: AlgorithmOptions<C>,
): void {
  runForSync('parallelForRangeSync', true, range, body, options);
}
