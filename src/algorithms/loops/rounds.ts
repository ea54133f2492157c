/**
 * `parallelRounds`: short loops one after the other, in one call; the call is checked on the caller, the rounds run on every thread that computes.
 *
 * It is one stage that repeats (stages.ts). One task, the root, asks `next` for the length of a round, shares the round among lanes, and joins
 * them. So a round costs a fork, a steal and a join for each further thread, where a call of `parallelForSync` makes a job and compiles functions
 * as well. Nothing keeps the other threads awake but the search of an idle worker (`SPIN_US` of the core): they wait for the next round that long,
 * and sleep if `next` takes longer, or when the rounds are over. OpenMP's teams wait at a barrier likewise, but for milliseconds.
 */
import {
  type Callee,
  compiled,
  type NotAPromise,
  openContext,
  type Synchronous,
  shipFunction,
} from '../../core/engine.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import {
  type AlgorithmOptions,
  type Checked,
  check,
  checkFunction,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { type StagedCall, startInPool } from '../call/staged-call.js';
import { type FunctionSpec, shipUserFunction } from '../call/user-function.js';
import { refusePromise } from '../returned-promise.js';
import { costOf } from '../schedule/cost.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { stagedKind } from '../schedule/stages.js';
import { checkWrites, explained } from '../schedule/user-piece.js';
import { shown } from '../shown.js';
import { ROUND_LONE_US } from '../tuning.js';

/** Options of rounds: those of all algorithms but one. */
export interface RoundsOptions<C = unknown> extends AlgorithmOptions<C> {
  /** Nobody knows before the last round how many indices there are. */
  onProgress?: undefined;
}

type NextRound = (round: number, context: unknown) => unknown;
type RoundBody = (lo: number, hi: number, round: number, context: unknown) => unknown;

interface RoundsSpec extends FunctionSpec, ShareOptions {
  readonly next: FunctionSpec;
  /** The round that runs, and how many indices it has. The root writes them before it forks the lanes. */
  readonly now: Float64Array;
}

const W_ROUND = 0;
const W_INDICES = 1;

/** Calls `next`; gives the number of indices, or -1 when there are no more rounds. */
function lengthOf(piece: FunctionSpec, next: NextRound, round: number, context: unknown): number {
  let n: unknown;
  try {
    n = next(round, context);
    refusePromise(n);
  } catch (error) {
    throw explained({ calls: piece.called, context: piece.context }, error);
  }
  checkWrites({ calls: piece.called, context: piece.context }, false);
  if (n === undefined) return -1;
  if (Number.isSafeInteger(n) && (n as number) >= 0) return n as number;
  throw new TypeError(
    `furcate: parallelRounds: next must return the number of indices of a round, an integer from 0 up, or undefined when there are no more rounds, but for round ${round} it returned ${shown(n)}.`,
  );
}

const ROUNDS = stagedKind('rounds', ({ next, now, fn, context, called, threshold, parallelism }: RoundsSpec) => {
  const body = compiled(fn) as RoundBody;
  const given = context && openContext(context);
  const cost = costOf(body);
  let nextRound = 0;
  /** Of the thread that runs `next`: opened once, because that makes a copy. */
  let nextGiven: unknown;
  return [
    {
      // Of this round: the stage is one object for all rounds.
      get units() {
        return now[W_INDICES]; // plain: written before the lanes were forked, and not before all are joined
      },
      calls: called,
      context,
      grain: new Grain({ cost, unitElements: 1, units: 1, threshold, parallelism, loneUs: ROUND_LONE_US }),
      before() {
        nextGiven ??= next.context && openContext(next.context);
        const n = lengthOf(next, compiled(next.fn) as NextRound, nextRound, nextGiven);
        now[W_ROUND] = nextRound;
        now[W_INDICES] = Math.max(0, n);
        nextRound = n < 0 ? -1 : nextRound + 1;
      },
      repeats: () => nextRound > 0,
      run(lo, hi) {
        refusePromise(body(lo, hi, now[W_ROUND], given));
        return 0; // nothing counts as progress, because nobody knows the total
      },
    },
  ];
});

/** `next`, with the context of `body` if that has kept it: the context crosses to a thread once. */
function shipNext(callee: Callee, next: unknown, body: FunctionSpec, options: Checked): FunctionSpec {
  if (body.context === undefined) return shipUserFunction(callee, 'next', next, options);
  checkFunction(callee.name, 'next', next);
  return { fn: shipFunction(next, 'next'), context: body.context, called: `next of ${callee.names.promise}` };
}

function begin(callee: Callee, next: unknown, body: unknown, given: unknown): Start<void> {
  const { name } = callee;
  checkFunction(name, 'next', next);
  checkFunction(name, 'body', body);
  const options = readOptions(callee, given);
  check(
    options.call.onProgress === undefined,
    name,
    'options.onProgress',
    'left out, because nobody knows before the last round how many indices there are',
    options.call.onProgress,
  );
  const user = shipUserFunction(callee, 'body', body, options);
  const nextSpec = shipNext(callee, next, user, options);
  const call: StagedCall<RoundsSpec, void> = {
    callee,
    options,
    elements: 0,
    kind: ROUNDS,
    cost: costOf(compiled(user.fn)),
    spec: (arrays) => ({
      ...user,
      next: nextSpec,
      now: arrays.scratch(Float64Array, 2),
      threshold: options.threshold,
      parallelism: options.parallelism,
    }),
    result: () => undefined,
  };
  return () => startInPool(call);
}

const rounds = new Algorithm('parallelRounds', begin);

/**
 * Runs loops one after the other: the levels of a graph, the time steps of a grid, the steps of an elimination. Between two of them, one thread
 * runs `next` alone, and the others stay awake as long as it is short. So a round costs a few microseconds beyond its work, where a call of
 * `parallelForRange` costs some hundred.
 *
 * @param next called as `next(round, context)` before each round, from 0 up; synchronous. It returns how many indices the round has, or
 *   undefined when there are no more rounds. All that the rounds before have written is there. What it has to tell `body`, beside the number of the round,
 *   goes into shared arrays
 * @param body called as `body(lo, hi, round, context)` with lo < hi for consecutive parts of 0 to n - 1 that cover them, in any order and on any
 *   thread; otherwise as for `parallelForRange`
 * @param options `pool`, `threshold` (indices in a leaf), `context` (of both functions), `signal`
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; TypeError for what `next` must not return; what `next` threw, or
 *   `body` in the lowest failing part of a round: no further round begins; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: for each round, `next`, and n / parallelism indices. Rounds that are known to take less than 15 us run on one thread.
 * @example
 * const halves = [sharedArray(Float64Array, 1_000), sharedArray(Float64Array, 1_000)];
 * const smooth = (lo, hi, step, { a, b }) => {
 *   const [from, to] = step % 2 === 0 ? [a, b] : [b, a];
 *   for (let i = Math.max(lo, 1); i < Math.min(hi, 999); i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
 * };
 * await parallelRounds((step) => (step < 50 ? 1_000 : undefined), smooth, { context: { a: halves[0], b: halves[1] } });
 */
export function parallelRounds<C = undefined, R = NotAPromise>(
  next: (round: number, context: NoInfer<C>) => number | undefined,
  body: (lo: number, hi: number, round: number, context: C) => Synchronous<R>,
  options?: RoundsOptions<C>,
): Promise<void> {
  return rounds.promise(next, body, options);
}

/**
 * `parallelRounds` that returns when it is done. Inside a task it forks on the worker that calls it; elsewhere the caller works too, and
 * blocks.
 *
 * @param next as for `parallelRounds`
 * @param body as for `parallelRounds`
 * @param options as for `parallelRounds`
 * @throws what `parallelRounds` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelRounds`.
 * @example
 * const fill = (lo, hi, round, { xs }) => xs.fill(round, lo, hi);
 * parallelRoundsSync((round, { xs }) => (round < 3 ? xs.length : undefined), fill, { context: { xs } });
 */
export function parallelRoundsSync<C = undefined, R = NotAPromise>(
  next: (round: number, context: NoInfer<C>) => number | undefined,
  body: (lo: number, hi: number, round: number, context: C) => Synchronous<R>,
  options?: RoundsOptions<C> & SyncOptions,
): void {
  rounds.sync(next, body, options);
}
