/**
 * Runs a chunk of values: the user's functions are called for them, and the results collected; runs on workers, and on the caller for
 * what is cheaper there.
 *
 * All calls are made one after another. When a call returns a promise, up to `atOnce` calls of the chunk are in progress from then on.
 */

import {
  type CallSignal,
  cloneOfValue,
  compiled,
  disown,
  host,
  isPromise,
  openContext,
  type Scope,
  type ShippedContext,
  type ShippedFunction,
} from '../../core/engine.js';
import { Calling } from '../../flow/calling.js';
import { copyForCargo } from '../../flow/cargo.js';
import { isPrimitive, ownCopy, Returned } from '../../flow/returned.js';
import { type NamedReduction, OPERATORS } from '../kernels/operators.js';
import { accumulator, type ShippedIdentity, startOf } from '../schedule/accumulator.js';
import { checkWrites, explained, type UserPiece } from '../schedule/user-piece.js';
import { shown } from '../shown.js';
import { FOLD_VALUES } from '../tuning.js';
import { type ChunkFunction, type FoldNumbers, foldNumbersOf } from './fold-numbers.js';

/** Use of the results: a list of them, nothing, a mark for each value that is kept, or the results of folded blocks. */
export type Purpose = 'map' | 'each' | 'filter' | 'reduce';

/** Specification of a call, which all its threads know. */
export interface ValuesSpec {
  readonly purpose: Purpose;
  /** The user's function of each value; a reduction may have none. */
  readonly fn: ShippedFunction | undefined;
  /** Operation by which a reduction combines results. */
  readonly op: NamedReduction | ShippedFunction | undefined;
  /** Initial value of the first block of a reduction; undefined if it begins with its first value, as all others do. */
  readonly identity: ShippedIdentity | undefined;
  readonly context: ShippedContext | undefined;
  /** Name of the functions for error messages. */
  readonly called: string;
  /** True if `fn` is an `asyncForkable`, which gets the scope first. */
  readonly takesScope: boolean;
  /** True if the functions run in synchronous tasks, because they may fork. Then they must not return promises. */
  readonly isSynchronous: boolean;
}

/** A specification as one thread has it. */
export interface OpenCall extends UserPiece {
  readonly spec: ValuesSpec;
  readonly fn: ChunkFunction | undefined;
  readonly op: ChunkFunction | undefined;
  /** For functions that do nothing but read, so that they may be called again where a result is no number. */
  readonly foldNumbers: FoldNumbers | undefined;
  /** Last argument of the functions. */
  readonly given: unknown;
  /** True once a chunk of the call has run on this thread. */
  hasRun: boolean;
  /** Of `fn`. */
  readonly calling: Calling;
}

/** A block begins with its first value. */
const NO_START = Symbol();

const functionOf = (ship: ShippedFunction | undefined): ChunkFunction | undefined =>
  ship && (compiled(ship) as ChunkFunction);

export function openCall(spec: ValuesSpec, fn = functionOf(spec.fn)): OpenCall {
  const op = typeof spec.op === 'string' ? OPERATORS[spec.op] : functionOf(spec.op);
  return {
    spec,
    fn,
    op,
    foldNumbers: foldNumbersOf(fn, op, typeof spec.op === 'string' ? 'named' : undefined),
    calls: spec.called,
    context: spec.context,
    given: spec.context && openContext(spec.context),
    hasRun: false,
    calling: new Calling(spec.called, spec.isSynchronous),
  };
}

/**
 * Folds a block of values without a list of results; undefined where that cannot be done.
 *
 * @param first the index of the first of the values
 */
export function foldBlock(
  { foldNumbers, spec, given }: OpenCall,
  values: readonly unknown[],
  lo: number,
  hi: number,
  first: number,
): number | undefined {
  if (foldNumbers === undefined) return undefined;
  const start = spec.identity !== undefined && first + lo === 0 ? startOf(spec.identity) : NO_START;
  if (start === NO_START) return foldNumbers(values, lo, hi, undefined, first, given);
  return typeof start === 'number' ? foldNumbers(values, lo, hi, start, first, given) : undefined;
}

/** Names of the values of a chunk for error messages, by their positions. */
export const valueNames =
  (name: string, first: number) =>
  (k: number): string =>
    `${name}: value ${first + k}`;

/** Names of the results of a chunk for error messages, by their positions. */
export const resultNames =
  ({ purpose }: ValuesSpec, first: number) =>
  (k: number): string =>
    purpose === 'reduce'
      ? `the result of op for values from ${first + k * FOLD_VALUES} on`
      : `the result of value ${first + k}`;

/** The limits of a chunk. */
export interface ChunkLimits {
  /** Number of calls that may be in progress at once. */
  readonly atOnce: number;
  /** True if its results are packed when it ends, which copies them. */
  readonly arePacked: boolean;
  /** After how long it leaves the rest to others (milliseconds); between two calls that return no promises. */
  readonly limitMs: number;
  /** That of the asynchronous task that runs it; undefined elsewhere. */
  readonly scope: Scope | undefined;
  /** Once it is aborted, no other call is made. Asked where calls wait. */
  readonly signal: CallSignal | Scope['signal'] | undefined;
  /**
   * Aborts the signal, and has calls that wait abandoned after a grace; then the chunk fails with `error`. Called when calls still wait, but
   * can no longer change that.
   */
  cancel(error: unknown): void;
}

/** Result of a chunk. */
export interface ChunkResult {
  /** Results of values or, for a reduction, of blocks. */
  readonly results: unknown[];
  /** Number of values that it has dealt with: from the first on. */
  readonly done: number;
  /** Time that it took (milliseconds). */
  readonly ms: number;
  /** True if a call has returned a promise. */
  readonly isAsync: boolean;
}

/**
 * Calls the functions for values.
 *
 * @param first the index of the first value
 * @returns a promise only if a call has returned one
 * @throws (or rejects with) what the functions threw for the value of the lowest index
 */
export function runChunk(
  call: OpenCall,
  values: readonly unknown[],
  first: number,
  limits: ChunkLimits,
): ChunkResult | Promise<ChunkResult> {
  try {
    const chunk = new Chunk(call, values, first, limits);
    const result = call.op === undefined ? chunk.callAll() : chunk.foldAll();
    if (!isPromise(result)) return chunk.finished(result);
    return (result as Promise<unknown[]>).then(
      (results) => chunk.finished(results),
      (error: unknown) => {
        throw explained(call, error);
      },
    );
  } catch (error) {
    throw explained(call, error);
  }
}

class Chunk {
  readonly #call: OpenCall;
  readonly #values: readonly unknown[];
  readonly #first: number;
  readonly #limits: ChunkLimits;
  readonly #startMs = host().nowMs();
  #done = 0;
  #isAsync = false;

  constructor(call: OpenCall, values: readonly unknown[], first: number, limits: ChunkLimits) {
    this.#call = call;
    this.#values = values;
    this.#first = first;
    this.#limits = limits;
  }

  /** The results of all values. */
  callAll(): unknown[] | Promise<unknown[]> {
    return this.#callEach(0, this.#values.length);
  }

  /** The results of blocks. */
  foldAll(): unknown[] | Promise<unknown[]> {
    const folded: unknown[] = [];
    const from = (start: number): unknown[] | Promise<unknown[]> => {
      for (let lo = start; lo < this.#values.length; ) {
        const hi = Math.min(lo + FOLD_VALUES, this.#values.length);
        const number = foldBlock(this.#call, this.#values, lo, hi, this.#first);
        if (number !== undefined) {
          folded.push(number);
          this.#done = hi;
          if (this.#isOver()) break;
          lo = hi;
          continue;
        }
        const block = this.#call.fn === undefined ? this.#values.slice(lo, hi) : this.#callEach(lo, hi, false);
        const keep = (results: readonly unknown[], leavesNow: boolean): void => {
          const result = this.#fold(lo, results);
          folded.push(leavesNow ? result : this.#own(folded.length, result)); // `op` may write to it again
        };
        if (isPromise(block)) {
          return block.then((results) => {
            keep(results, false);
            this.#done = hi;
            return from(hi);
          });
        }
        keep(block, this.#limits.arePacked && hi === this.#values.length);
        this.#done = hi;
        if (this.#isOver()) break;
        lo = hi;
      }
      return folded;
    };
    return from(0);
  }

  /** Folds a block from left to right: the first of all from the identity on, every other from its first value on. */
  #fold(lo: number, values: readonly unknown[]): unknown {
    const { op, spec, given } = this.#call;
    const isFirst = spec.identity !== undefined && this.#first + lo === 0;
    let folded = isFirst ? startOf(spec.identity) : accumulator(values[0]);
    if (typeof spec.op === 'string') this.#checkNumbers(spec.op, lo, values, folded);
    for (let k = isFirst ? 0 : 1; k < values.length; k++) {
      folded = (op as ChunkFunction)(folded, values[k], given);
      if (isPromise(folded)) {
        disown(folded);
        throw new TypeError(
          'furcate: op of parallelReduce returned a promise. Let `map` return promises, which are awaited.',
        );
      }
    }
    return folded;
  }

  /** A named operation takes numbers, or bigints, of the type of what it begins with; a mixture has no sum. */
  #checkNumbers(op: string, lo: number, values: readonly unknown[], start: unknown): void {
    const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';
    const k = values.findIndex((value) => !isNumber(value) || typeof value !== typeof start);
    if (k < 0) return;
    if (isNumber(values[k]) && isNumber(start)) {
      throw new TypeError(
        `furcate: parallelReduce: op '${op}' takes numbers or bigints, not both: value ${this.#first + lo + k} is a ${typeof values[k]}, and an identity or a value before it is a ${typeof start}.`,
      );
    }
    const of = `for value ${this.#first + lo + k}`;
    const problem =
      this.#call.fn === undefined
        ? `op '${op}' takes numbers (or bigints), but ${shown(values[k])} was given ${of}. Use a map to numbers, or a function (a, b).`
        : `map must return numbers (or bigints) for a named reduction, but it returned ${shown(values[k])} ${of}.`;
    throw new TypeError(`furcate: parallelReduce: ${problem}`);
  }

  /** Calls `fn` for values [lo, hi); for fewer when the time is up, if that `mayStop` it. */
  #callEach(lo: number, hi: number, mayStop = true): unknown[] | Promise<unknown[]> {
    const results: unknown[] = [];
    for (let k = lo; k < hi; k++) {
      const call = this.#call.calling.mayWait ? this.#begin(k) : undefined;
      const result = call === undefined ? this.#callFor(k) : call.made;
      if (this.#call.calling.waits(result)) return this.#awaitEach(results, call ?? this.#returned(k, result), lo, hi);
      const leavesNow = this.#values.length === 1 && this.#limits.arePacked;
      results.push(leavesNow ? result : this.#kept(result, k));
      this.#done = k + 1;
      if (mayStop && this.#isOver()) break;
    }
    return results;
  }

  /** Goes on once a result is a promise. */
  async #awaitEach(results: unknown[], pending: Returned, lo: number, hi: number): Promise<unknown[]> {
    const { atOnce, signal } = this.#limits;
    const { calling } = this.#call;
    this.#isAsync = true;
    const waiting = new Set<number>(); // in the order of indices
    let next = lo + results.length;
    let failedAt = Number.POSITIVE_INFINITY;
    let failure: unknown;
    const lane = async (begun?: Returned): Promise<void> => {
      for (let call = begun; next < hi && failedAt > hi && signal?.aborted !== true; call = undefined) {
        const k = next++;
        waiting.add(k);
        try {
          const returned = call ?? this.#begin(k);
          const { made } = returned;
          results[k - lo] = calling.waits(made) ? returned.copyOf(await made) : await this.#kept(made, k);
        } catch (error) {
          if (k < failedAt) {
            failedAt = k;
            failure = error;
          }
        }
        waiting.delete(k);
        const [lowest = lo] = waiting;
        if (lowest > failedAt) this.#limits.cancel(explained(this.#call, failure));
      }
    };
    if (signal?.aborted === true) disown(pending.made); // the function has aborted its own call
    const lanes = [lane(pending)];
    while (lanes.length < Math.min(atOnce, hi - lo)) lanes.push(lane());
    await Promise.all(lanes);
    if (signal?.aborted === true) throw signal.reason;
    if (failedAt < hi) throw failure;
    this.#done = hi;
    return results;
  }

  #callFor(k: number): unknown {
    const { fn, given, spec } = this.#call;
    const value = this.#values[k];
    const i = this.#first + k;
    return spec.takesScope
      ? (fn as ChunkFunction)(this.#limits.scope, value, i, given)
      : (fn as ChunkFunction)(value, i, given);
  }

  /** Begins a call that may go on after it has returned. */
  #begin(k: number): Returned {
    const returned = this.#returned(k);
    returned.by(() => this.#callFor(k));
    return returned;
  }

  #returned(k: number, made?: unknown): Returned {
    const returned = new Returned(this.#copy, k);
    returned.made = made;
    return returned;
  }

  /** Returns what is kept of the result for a value: the function may write to it again before it leaves this thread. */
  #kept(result: unknown, k: number): unknown {
    const { purpose } = this.#call.spec;
    if (purpose === 'map') return this.#own(k, result);
    return purpose === 'reduce' ? ownCopy(result) : result;
  }

  readonly #copy = (result: unknown, k: number): unknown => this.#kept(result, k);

  /** A copy of the k-th result that leaves this thread. @throws NotShareableError */
  #own(k: number, result: unknown): unknown {
    if (isPrimitive(result)) return result;
    const copy = (one: unknown): unknown => cloneOfValue(one, () => resultNames(this.#call.spec, this.#first)(k));
    return this.#limits.arePacked ? copyForCargo(result, copy) : copy(result);
  }

  #isOver(): boolean {
    return host().nowMs() - this.#startMs > this.#limits.limitMs;
  }

  finished(results: unknown[]): ChunkResult {
    const { purpose } = this.#call.spec;
    checkWrites(this.#call, !this.#call.hasRun);
    this.#call.hasRun = true;
    return {
      results: purpose === 'each' ? [] : purpose === 'filter' ? results.map(Boolean) : results,
      done: this.#done,
      ms: host().nowMs() - this.#startMs,
      isAsync: this.#isAsync,
    };
  }
}
