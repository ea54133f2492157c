/**
 * `parallelFor` and `parallelForRange`: a loop whose iterations are independent; the calls run on the caller, the
 * iterations on every thread that computes.
 */
import type { Callee, NotAPromise, Synchronous } from '../../core/engine.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { blockOf, LOOP_OPTIONS, type LoopOptions, type LoopRange } from '../call/loop-options.js';
import { type Checked, checkFunction, checkRange, readOptions, type SyncOptions } from '../call/options.js';
import { type FunctionSpec, shipUserFunction } from '../call/user-function.js';
import { refusePromise } from '../returned-promise.js';
import { dealt, evenPart, ONE_EACH } from '../schedule/partition.js';
import { indexLoop, type MakeStep, type UserFunction } from './element-loop.js';

interface ForWork {
  /** The first index. */
  readonly lo: number;
  /** True if indices fit into 32 bits. */
  readonly narrow: boolean;
  /** True if the body takes ranges rather than indices. */
  readonly ranged: boolean;
}

/** A template, see specialize.ts. */
const makeForStep: MakeStep = (body) => (i, context) => body(i, context);

/** The loop over elements 0 to n - 1 of a range. */
function loopOf({ lo, narrow, ranged }: ForWork, fn: unknown, context: unknown): (from: number, to: number) => void {
  const loop = ranged
    ? (from: number, to: number) => refusePromise((fn as UserFunction)(from, to, context))
    : indexLoop(makeForStep, narrow ? 'int32' : 'wide', fn);
  // `| 0` makes the loop one of integers, whatever representation V8 has for its ends.
  return narrow
    ? (from, to) => void loop((lo + from) | 0, (lo + to) | 0, context)
    : (from, to) => void loop(lo + from, lo + to, context);
}

const FOR = elementKind<ForWork>('for', { body: loopOf, dealt });

/** Pieces of a range that a user has chosen by `partition`. */
interface PiecesWork extends ForWork {
  readonly n: number;
  readonly pieces: number;
  /** Indices in a piece; `ONE_EACH` for pieces of equal size. */
  readonly size: number;
  /** Most indices in a call; 0 for a whole piece. */
  readonly most: number;
}

/** `parallelForRange` in pieces: each is one call of the body, so threads must not cut them. */
const PIECES = elementKind<PiecesWork>('for-pieces', {
  body(work, fn, context) {
    const { n, pieces, size, most } = work;
    const call = loopOf(work, fn, context);
    const start = (piece: number): number =>
      size === ONE_EACH ? evenPart(n, pieces, piece) : Math.min(n, piece * size);
    return (from, to) => {
      for (let piece = from; piece < to; piece++) {
        const end = start(piece + 1);
        for (let lo = start(piece); lo < end; ) {
          const hi = most === 0 ? end : Math.min(end, lo + most);
          call(lo, hi);
          lo = hi;
        }
      }
      return start(to) - start(from);
    };
  },
  cut: ({ pieces }) => pieces,
  dealt,
});

function begin(callee: Callee, ranged: boolean, range: unknown, body: unknown, given: unknown): Start<void> {
  const { name } = callee;
  const [lo, hi] = checkRange(name, range);
  checkFunction(name, 'body', body);
  const options = readOptions(callee, given, LOOP_OPTIONS);
  const blockUnits = blockOf(name, options);
  const work = { lo, narrow: lo >= -0x80000000 && hi <= 0x7fffffff, ranged };
  const user = shipUserFunction(callee, 'body', body, options);
  if (ranged && blockUnits !== undefined) return beginPieces(callee, options, work, hi - lo, blockUnits, user);
  return beginElements<ForWork, void>({
    callee,
    options,
    kind: FOR,
    elements: hi - lo,
    user,
    copies: 0,
    blockUnits,
    work: () => work,
    result: () => undefined,
  });
}

function beginPieces(
  callee: Callee,
  options: Checked,
  loop: ForWork,
  n: number,
  size: number,
  user: FunctionSpec,
): Start<void> {
  const pieces = size === ONE_EACH ? Math.min(n, options.parallelism) : Math.ceil(n / size);
  const work = { ...loop, n, pieces, size, most: options.threshold };
  return beginElements<PiecesWork, void>({
    callee,
    options,
    kind: PIECES,
    elements: n,
    user,
    copies: 0,
    blockUnits: 1, // a piece
    work: () => work,
    result: () => undefined,
  });
}

const byIndex = new Algorithm('parallelFor', (callee, range: unknown, body: unknown, given: unknown) =>
  begin(callee, false, range, body, given),
);

const byRange = new Algorithm('parallelForRange', (callee, range: unknown, body: unknown, given: unknown) =>
  begin(callee, true, range, body, given),
);

/**
 * Calls a function for every index of a range, in any order and on any thread.
 *
 * @param range n for 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param body called as `body(i, context)`, synchronous. It travels as source text: what it needs besides its arguments
 *   goes through `context`, unless it is a `forkable`. What it writes goes to shared arrays
 * @param options `pool`, `threshold` (indices in a leaf), `partition` (which indices a thread begins with), `context`, `signal`,
 *   `onProgress(done, total)` in indices
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `body` threw at the lowest
 *   failing index, with every lower index done and any number of higher ones; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls; time n / parallelism; no extra memory. Once a body is known to be cheap, a loop of less than 300 us
 * runs at once on the caller.
 * @example
 * const xs = sharedArray(Float64Array, 1_000_000);
 * await parallelFor(xs.length, (i, { xs }) => { xs[i] = Math.sin(i); }, { context: { xs } });
 */
export function parallelFor<C = undefined, R = NotAPromise>(
  range: LoopRange,
  body: (i: number, context: C) => Synchronous<R>,
  options?: LoopOptions<C>,
): Promise<void> {
  return byIndex.promise(range, body, options);
}

/**
 * `parallelFor` that returns when it is done. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param range as for `parallelFor`
 * @param body as for `parallelFor`
 * @param options as for `parallelFor`
 * @throws what `parallelFor` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFor`.
 * @example
 * parallelForSync(xs.length, (i, { xs }) => { xs[i] *= 2; }, { context: { xs } });
 */
export function parallelForSync<C = undefined, R = NotAPromise>(
  range: LoopRange,
  body: (i: number, context: C) => Synchronous<R>,
  options?: LoopOptions<C> & SyncOptions,
): void {
  byIndex.sync(range, body, options);
}

/**
 * Calls a function for consecutive parts of a range that cover it, in any order and on any thread: for bodies that gain
 * from a loop of their own.
 *
 * @param range n for 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param body called as `body(lo, hi, context)` with lo < hi; otherwise as for `parallelFor`. The parts depend on the
 *   clock, unless `threshold` is given: they then have at most that many indices, and more than half as many. With a `partition`,
 *   the parts are its pieces, or what a smaller `threshold` makes of each
 * @param options as for `parallelFor`
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) what `parallelFor` does; of the failing parts, the lowest one's error
 * @remarks Cost: that of `parallelFor`.
 * @example
 * await parallelForRange(xs.length, (lo, hi, { xs }) => { xs.subarray(lo, hi).fill(1); }, { context: { xs } });
 */
export function parallelForRange<C = undefined, R = NotAPromise>(
  range: LoopRange,
  body: (lo: number, hi: number, context: C) => Synchronous<R>,
  options?: LoopOptions<C>,
): Promise<void> {
  return byRange.promise(range, body, options);
}

/**
 * `parallelForRange` that returns when it is done; see `parallelForSync` for where it may be called.
 *
 * @param range as for `parallelForRange`
 * @param body as for `parallelForRange`
 * @param options as for `parallelForRange`
 * @throws what `parallelForRange` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFor`.
 * @example
 * parallelForRangeSync([100, 200], (lo, hi, { xs }) => { xs.fill(0, lo, hi); }, { context: { xs } });
 */
export function parallelForRangeSync<C = undefined, R = NotAPromise>(
  range: LoopRange,
  body: (lo: number, hi: number, context: C) => Synchronous<R>,
  options?: LoopOptions<C> & SyncOptions,
): void {
  byRange.sync(range, body, options);
}
