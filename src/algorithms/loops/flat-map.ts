/**
 * `parallelFlatMap`: what a function emits for each element, in order; the calls run on the caller, the loops on every thread that
 * computes.
 *
 * A lane keeps what its calls emit in one buffer that grows, and notes where the values of each piece lie. Then the pieces are copied to
 * their places, in the order of the elements: how many values come before an element is known only when all calls have returned.
 *
 * Rejected: two passes, one that counts and one that writes, which call the function twice.
 */
import {
  type Callee,
  free,
  isShared,
  type NotAPromise,
  type Synchronous,
  shrunk,
  specialize,
  typesTag,
  unfilledArray,
} from '../../core/engine.js';
import {
  type ElementOf,
  NO_TYPE,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
} from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import { type AlgorithmOptions, check, checkArray, readOptions, type SyncOptions } from '../call/options.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { contextOf, type FunctionSpec, functionOf, shipUserFunction } from '../call/user-function.js';
import { costOf } from '../schedule/cost.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import { indexLoop, type MakeStep } from './element-loop.js';

/** Appends a value to the results. Only while the function runs that got it. */
export type Emit<T extends TypedArray> = (value: ElementOf<T>) => void;

export interface FlatMapOptions<U extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** The constructor of the results' type, such as `Uint32Array`; that of `xs` by default. */
  type?: TypedArrayConstructor<U> | undefined;
}

interface FlatMapSpec extends FunctionSpec, ShareOptions {
  readonly xs: TypedArray;
  /** An array of the results' type: constructors do not travel. */
  readonly like: TypedArray;
}

/**
 * Values that a lane has emitted: those of its pieces, one after the other, and for each piece its first element and its number of values.
 */
type LaneValues = readonly [pieces: Float64Array, values: TypedArray];

/** A template, see specialize.ts. */
const makeFlatMapStep: MakeStep = (fn) => (i, context, xs, emit) => {
  fn(xs[i], emit, i, context);
};

/** Values that a buffer has room for at first. */
const FIRST_VALUES = 256;

/** The buffer of a lane. */
class Emitted {
  readonly pieces: number[] = [];
  /** Its elements may be bigints. */
  values: Float64Array;
  count = 0;

  constructor(values: TypedArray) {
    this.values = values as Float64Array;
  }

  /** All values in a shared array, which travels as it is. Nothing can be emitted afterwards. */
  shared(): TypedArray {
    if (!isShared(this.values)) this.enlarge();
    return shrunk(this.values, this.count);
  }

  /** Puts the values into an array of twice the length, on the heap: its memory has been touched before, and is not cleared. */
  enlarge(): void {
    const before = this.values;
    this.values = unfilledArray(typeOf(before), 2 * before.length);
    this.values.set(before);
    if (isShared(before)) free(before);
  }
}

/** Buffer for what is emitted while no function runs. It lives as long as its thread: V8 drops code that has met a class when all of its objects are gone. */
const CLOSED = new Emitted(new Float64Array(0));
CLOSED.enlarge = () => {
  throw new TypeError(
    'furcate: emit was called after the function of parallelFlatMap had returned, so its value has no place. Emit all values before it returns.',
  );
};

/** The function that a user's function gets, and what it appends to: one for all calls, because V8 drops code that has met one of a call when that is gone. */
interface Emitter {
  emit(value: number): void;
  /** Appends to this buffer from now on. @returns the buffer before */
  into(buffer: Emitted): Emitted;
}

/** A template. It takes the function so that each has an emitter, and code, of its own. */
const makeEmitter = (_fn: unknown, closed: Emitted): Emitter => {
  let buffer = closed;
  return {
    emit(value) {
      if (buffer.count === buffer.values.length) buffer.enlarge();
      buffer.values[buffer.count++] = value;
    },
    into(next) {
      const before = buffer;
      buffer = next;
      return before;
    },
  };
};

class FlatMapStage implements WorkStage {
  readonly byLane = true;
  readonly calls: string;
  readonly context: FlatMapSpec['context'];
  readonly units: number;
  readonly grain: Grain;
  readonly #type: ArrayType;
  readonly #loop: (lo: number, hi: number) => unknown;
  readonly #emitter: Emitter;
  readonly #lanes: (Emitted | undefined)[] = [];

  constructor(spec: FlatMapSpec) {
    const { xs, like, called, context, threshold, parallelism } = spec;
    const fn = functionOf(spec);
    const given = contextOf(spec);
    const tag = typesTag(xs, like);
    const loop = indexLoop(makeFlatMapStep, tag, fn);
    const emitter = specialize(makeEmitter, tag, fn, CLOSED);
    this.#emitter = emitter;
    this.#loop = (lo, hi) => loop(lo, hi, given, xs, emitter.emit as never);
    this.#type = typeOf(like);
    this.calls = called;
    this.context = context;
    this.units = xs.length;
    this.grain = new Grain({ cost: costOf(fn), unitElements: 1, units: xs.length, threshold, parallelism });
  }

  run(lo: number, hi: number, lane: number): number {
    this.#lanes[lane] ??= new Emitted(new this.#type(FIRST_VALUES));
    const emitted = this.#lanes[lane];
    const { count } = emitted;
    const before = this.#emitter.into(emitted); // of another lane, in whose call this piece was stolen
    try {
      this.#loop(lo, hi);
    } finally {
      this.#emitter.into(before);
      emitted.pieces.push(lo, emitted.count - count);
    }
    return hi - lo;
  }

  collect(lane: number): LaneValues[] {
    const emitted = this.#lanes[lane];
    this.#lanes[lane] = undefined;
    if (emitted === undefined) return [];
    return [[Float64Array.from(emitted.pieces), emitted.shared()]];
  }

  value(lanes?: readonly unknown[]): TypedArray {
    if (lanes !== undefined) return inOrder(lanes as readonly LaneValues[], this.#type);
    const emitted = this.#lanes[0] as Emitted;
    return isShared(emitted.values) ? emitted.shared() : emitted.values.slice(0, emitted.count);
  }
}

/** The values of all lanes in the order of the elements, in a shared array. */
function inOrder(lanes: readonly LaneValues[], type: ArrayType): TypedArray {
  const pieces: { readonly first: number; readonly values: TypedArray }[] = [];
  let total = 0;
  for (const [bounds, values] of lanes) {
    let at = 0;
    for (let k = 0; k < bounds.length; k += 2) {
      const end = at + bounds[k + 1];
      if (end > at) pieces.push({ first: bounds[k], values: values.subarray(at, end) });
      at = end;
    }
    total += at;
  }
  const all = unfilledArray(type, total);
  let at = 0;
  for (const { values } of pieces.sort((a, b) => a.first - b.first)) {
    (all as Float64Array).set(values as Float64Array, at);
    at += values.length;
  }
  for (const [, values] of lanes) free(values);
  return all;
}

const FLAT_MAP = stagedKind<FlatMapSpec>('flat-map', (spec) => [new FlatMapStage(spec)]);

/** The results as the user gets them: shared if the input is. */
function delivered(values: TypedArray | undefined, type: ArrayType, shared: boolean): TypedArray {
  if (values !== undefined && isShared(values) === shared) return values;
  const length = values?.length ?? 0;
  const result = shared ? unfilledArray(type, length) : new type(length);
  if (values === undefined) return result;
  (result as Float64Array).set(values as Float64Array);
  if (!shared) free(values);
  return result;
}

function begin(callee: Callee, xs: TypedArray, fn: unknown, given: unknown): Start<TypedArray> {
  const { name } = callee;
  checkArray(name, 'xs', xs);
  const options = readOptions(callee, given, ['type']);
  const { type = typeOf(xs) } = options.given;
  const isType = typeOfConstructor(type) !== NO_TYPE;
  check(isType, name, 'options.type', 'a typed-array constructor, such as Float64Array', type);
  const Type = type as ArrayType;
  const user = shipUserFunction(callee, 'fn', fn, options);
  const { threshold, parallelism } = options;
  return beginStaged<FlatMapSpec, TypedArray>({
    callee,
    options,
    kind: FLAT_MAP,
    elements: xs.length,
    cost: costOf(functionOf(user)),
    copies: copiedBytes(xs),
    spec: (arrays) => ({ ...user, xs: arrays.input(xs), like: arrays.scratch(Type, 0), threshold, parallelism }),
    result: (_, __, value) => delivered(value as TypedArray | undefined, Type, isShared(xs)),
  });
}

const flatMap = new Algorithm('parallelFlatMap', begin);

/**
 * Makes an array of all values that a function emits, any number for each element: the neighbours of vertices, the matches in a cell.
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the call, if the work is
 *   worth five copies, or else the caller does it all
 * @param fn called as `fn(x, emit, i, context)`, in any order and on any thread, once an element, synchronous. `emit(value)` appends a value; it
 *   must not be called after `fn` has returned. It travels as source text: what it needs besides its arguments goes through `context`, unless it
 *   is a `forkable`
 * @param options `type` (the constructor of the results' type; that of xs by default), and `pool`, `threshold` (elements in a leaf), `context`,
 *   `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array, shared if xs is, exactly as long as there are values: those of the first element in the order in which they
 *   were emitted, then those of the second. The same at any parallelism
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `fn` threw at the lowest failing index, or a
 *   TypeError for a promise; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls, and three copies of each value; time n / parallelism, and one copy of all values by one thread. Memory for the results
 * four times meanwhile, at most, and for a copy of xs if it is not shared. A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const halves = await parallelFlatMap(xs, (x, emit) => {
 *   emit(x);
 *   if (x > 1) emit(x / 2);
 * });
 */
export function parallelFlatMap<T extends TypedArray, U extends TypedArray = T, C = undefined, R = NotAPromise>(
  xs: T,
  fn: (x: ElementOf<T>, emit: Emit<U>, i: number, context: C) => Synchronous<R>,
  options?: FlatMapOptions<U, C>,
): Promise<U> {
  return flatMap.promise(xs, fn, options) as Promise<unknown> as Promise<U>;
}

/**
 * `parallelFlatMap` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller works too, and
 * blocks.
 *
 * @param xs as for `parallelFlatMap`
 * @param fn as for `parallelFlatMap`
 * @param options as for `parallelFlatMap`
 * @returns what the promise of `parallelFlatMap` gives
 * @throws what `parallelFlatMap` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFlatMap`.
 * @example
 * const twice = parallelFlatMapSync(xs, (x, emit) => {
 *   emit(x);
 *   emit(x);
 * });
 */
export function parallelFlatMapSync<T extends TypedArray, U extends TypedArray = T, C = undefined, R = NotAPromise>(
  xs: T,
  fn: (x: ElementOf<T>, emit: Emit<U>, i: number, context: C) => Synchronous<R>,
  options?: FlatMapOptions<U, C> & SyncOptions,
): U {
  return flatMap.sync(xs, fn, options) as unknown as U;
}
