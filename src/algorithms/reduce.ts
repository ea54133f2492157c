/**
 * `parallelReduce`: combines the elements of an array to one value; the calls run on the caller, the blocks on every
 * thread that computes.
 */
import { shipContext, shipFunction } from '../core/code/source.js';
import { isBigIntType, type TypedArray, typeOfView } from '../core/memory/element-types.js';
import { type CallOptions, type Form, parallelismOf, runJob, runJobSync, stalled } from '../core/pool/call.js';
import { inspect } from '../core/task/slow-paths.js';
import { BITWISE, emptyResult, NAMED_REDUCTIONS, type NamedReduction } from './kernels/named-reductions.js';
import {
  type AlgorithmOptions,
  type Checked,
  checkArray,
  checkFunction,
  isPlainObject,
  looksLikeOptions,
  readOptions,
  shown,
} from './options.js';
import type { Partials } from './partials.js';
import { finished, progressFrom } from './progress.js';
import { openReduce, REDUCE, type ReduceResult, type ReduceSpec, type ReduceState, reduceTask } from './reduce-job.js';
import { CallMemory, isShared, plainView, SharedInput, worthCopying } from './shared-input.js';
import { runOnCaller } from './split.js';
import { CALLER_LIMIT_US, CALLER_US } from './tuning.js';

export type { NamedReduction } from './kernels/named-reductions.js';

/** Arrays of bigints. */
export type BigIntArray = BigInt64Array | BigUint64Array;

/** Arrays of numbers. */
export type NumberArray = Exclude<TypedArray, BigIntArray>;

/** The elements of an array type. */
export type ElementOf<T extends TypedArray> = T extends BigIntArray ? bigint : number;

export interface ReduceOptions<T extends TypedArray, R, C = unknown> extends AlgorithmOptions<C> {
  /** Called as `map(x, i, context)` for each element; what it returns is combined instead of the element. */
  map?: (x: ElementOf<T>, i: number, context: C) => R;
}

/** A reduction that was checked, and what the caller did of it. */
interface Reduction {
  readonly call: CallOptions;
  readonly spec: ReduceSpec;
  readonly state: ReduceState;
  readonly partials: Partials;
  /** The block where the pool takes over. */
  readonly start: number;
  /** Of a snapshot, if there is one; undefined when the caller has done it all. */
  readonly memory: CallMemory | undefined;
}

const OWN_OPTIONS = ['map'];

function checkOp(name: string, op: unknown, xs: TypedArray, hasMap: boolean): void {
  if (typeof op === 'function') {
    checkFunction(name, 'op', op);
    return;
  }
  if (!NAMED_REDUCTIONS.includes(op as NamedReduction)) {
    const names = NAMED_REDUCTIONS.map((known) => `'${known}'`).join(', ');
    throw new TypeError(`furcate: ${name}: op must be a function (a, b) or one of ${names}, but it is ${shown(op)}.`);
  }
  const isFloat = xs[Symbol.toStringTag].startsWith('Float');
  if (!isFloat || hasMap || !BITWISE.includes(op as NamedReduction)) return;
  throw new TypeError(
    `furcate: ${name}: op '${op}' works on bits, and xs is a ${xs[Symbol.toStringTag]}. Use an integer array, or a map to integers.`,
  );
}

/** Sorts out the arguments after `op`: an identity, options, both or neither. */
function readArguments(
  name: string,
  op: unknown,
  rest: readonly unknown[],
): { identity?: [unknown]; options: unknown } {
  const [third, fourth] = rest;
  const named = typeof op !== 'function';
  if (named && isPlainObject(third)) {
    if (fourth === undefined) return { options: third };
    throw new TypeError(
      `furcate: ${name}: identity must be a number or a bigint for a named op, but it is ${shown(third)}.`,
    );
  }
  if (named && third === undefined) return { options: fourth };
  if (third === undefined || (fourth === undefined && looksLikeOptions(third, OWN_OPTIONS))) {
    throw new TypeError(
      `furcate: ${name}: a function op needs an identity before the options, such as 0 for (a, b) => a + b. It is the result for no elements, and where the first block begins.`,
    );
  }
  return { identity: [third], options: fourth };
}

/** Identities of a wrong type would turn up as NaN, a string or an error deep in a worker. */
function checkIdentity(name: string, op: unknown, identity: unknown, xs: TypedArray, hasMap: boolean): unknown {
  if (typeof op === 'string') {
    const wanted = isBigIntType(typeOfView(xs)) ? 'bigint' : 'number';
    if (typeof identity === wanted || (hasMap && (typeof identity === 'number' || typeof identity === 'bigint'))) {
      return identity;
    }
    throw new TypeError(`furcate: ${name}: identity must be a ${wanted} for '${op}', but it is ${shown(identity)}.`);
  }
  try {
    return structuredClone(identity);
  } catch (cause) {
    const message = `furcate: ${name}: identity must be a value that can be cloned, but it is ${shown(identity)}.`;
    throw new TypeError(message, { cause });
  }
}

/** Checks everything, and runs the blocks here if that is known to be short, or if copying would not pay. */
function begin(name: string, form: Form, xs: unknown, op: unknown, rest: readonly unknown[]): Reduction {
  checkArray(name, 'xs', xs);
  const { identity, options: given } = readArguments(name, op, rest);
  const options: Checked = readOptions(name, form, given, OWN_OPTIONS);
  const { map } = options.given;
  if (map !== undefined) checkFunction(name, 'options.map', map);
  checkOp(name, op, xs, map !== undefined);
  const here: ReduceSpec = {
    xs: plainView(xs),
    op: typeof op === 'function' ? shipFunction(op, 'op') : (op as NamedReduction),
    map: map === undefined ? undefined : shipFunction(map, 'options.map'),
    identity: identity && [checkIdentity(name, op, identity[0], xs, map !== undefined)],
    context: options.context === undefined ? undefined : shipContext(options.context, 'context'),
    threshold: options.threshold,
    parallelism: parallelismOf(options.call.pool),
  };
  const state = openReduce(here);
  const partials = state.partials(0);
  const { length } = xs;
  const shared = isShared(xs);
  const short = (here.threshold === 0 || here.threshold >= length) && state.cost.estimateUs(length) < CALLER_US;
  const named = typeof here.op === 'string' && here.map === undefined; // a copy or two is what that costs, never five
  const known = state.cost.nsPerElement !== 0;
  const cheap = !shared && (named || (known && !worthCopying(xs, state.cost.nsPerElement, 1)));
  let start = 0;
  if (short || cheap) {
    const limitUs = cheap ? Number.POSITIVE_INFINITY : CALLER_LIMIT_US;
    start = runOnCaller(0, state.blocks, state.grain, limitUs, (lo, hi) => state.run(partials, lo, hi));
  }
  if (start === state.blocks) return { call: options.call, spec: here, state, partials, start, memory: undefined };
  const memory = new CallMemory();
  const { view } = new SharedInput(xs, memory);
  return { call: options.call, spec: { ...here, xs: view }, state, partials, start, memory };
}

/** The result as the user sees it. */
function resultOf({ spec, state, partials }: Reduction): unknown {
  const { op, xs, map, identity } = spec;
  if (state.blocks === 0) {
    if (identity !== undefined) return identity[0];
    return emptyResult(op as NamedReduction, xs, map !== undefined);
  }
  const value = state.result(partials);
  inspect(value, () => "parallelReduce's op"); // a promise would wait for it, maybe for ever
  if (op === 'sum' && typeof value === 'number') return value + 0; // the identity 0: a sum of -0 is 0
  const isUint32 =
    BITWISE.includes(op as NamedReduction) && map === undefined && xs[Symbol.toStringTag] === 'Uint32Array';
  return isUint32 ? (value as number) >>> 0 : value;
}

/** Takes in what the pool did: the rest of the blocks. */
function takeIn({ spec, state, partials, start }: Reduction, [busyMs, ...values]: ReduceResult): void {
  state.cost.note(spec.xs.length - state.elements(0, start), busyMs);
  state.append(partials, values, start, state.blocks);
}

/** What `runJob` takes for the blocks that are left. */
function jobOf({ call, spec, state, start }: Reduction) {
  const total = spec.xs.length;
  const before = state.elements(0, start);
  const progress = progressFrom(call, before, total, 1);
  return [progress, total - before, REDUCE, spec, reduceTask, start, state.blocks] as const;
}

async function runReduce(name: string, xs: unknown, op: unknown, rest: readonly unknown[]): Promise<unknown> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const reduction = begin(name, 'promise', xs, op, rest);
  if (reduction.memory === undefined) {
    finished(reduction.call, reduction.spec.xs.length);
  } else {
    try {
      takeIn(reduction, await runJob(...jobOf(reduction)));
    } finally {
      reduction.memory.release();
    }
  }
  return resultOf(reduction);
}

function runReduceSync(name: string, xs: unknown, op: unknown, rest: readonly unknown[]): unknown {
  const reduction = begin(name, 'sync', xs, op, rest);
  if (reduction.memory === undefined) {
    finished(reduction.call, reduction.spec.xs.length);
  } else {
    try {
      takeIn(reduction, runJobSync(...jobOf(reduction)));
    } finally {
      reduction.memory.release();
    }
  }
  return resultOf(reduction);
}

/** What may follow a named operation. */
type Rest<Identity, Options> = [options?: Options] | [identity: Identity | undefined, options?: Options];

/** The same with a map, which options there must have. */
type MappedRest<T extends TypedArray, R, C> =
  | [options: ReduceOptions<T, R, C> & { map: unknown }]
  | [identity: R | undefined, options: ReduceOptions<T, R, C> & { map: unknown }];

/**
 * Combines the elements of an array to one value.
 *
 * The order of combination is fixed by the length, the element type and whether functions are called: blocks of at most
 * 4096 elements are folded from left to right, and a balanced tree combines them. So the result is the same bit for bit
 * at any parallelism and threshold, and a sum of floating-point numbers is more exact than that of a loop, if not the
 * same. (NaN payloads excepted.)
 *
 * @param xs any typed array; not written. Workers read a shared one in place; of another one a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous; or
 *   - `'sum'`, `'product'`: of numbers as doubles, of bigints exact, beyond 64 bits as well
 *   - `'min'`, `'max'`: as `Math.min` and `Math.max`: NaN wins, -0 is less than 0
 *   - `'and'`, `'or'`, `'xor'`: of integers, unsigned for unsigned arrays
 * @param identity what the first block begins with, and the result of an empty array; the operation's neutral element.
 *   Named operations may leave it out; of an empty array they then give 0, 1, Infinity, -Infinity, all ones, 0, 0, or for
 *   bigints the type's own extremes in the place of infinities
 * @param options `map(x, i, context)`, and `pool`, `threshold` (elements in a leaf), `context`, `signal`,
 *   `onProgress(done, total)` in elements
 * @returns a promise of the combined value: a bigint for arrays of bigints without a map
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `op` or `map` threw, that
 *   of the lowest index first; CancellationError (`AbortError`) once `signal` is aborted
 * Cost: n combinations; span n / parallelism + log n; memory for a few hundred partial results and, for an array that is
 * not shared, for its copy. What is known to take less than 100 us runs at once on the caller.
 * Source: Blelloch, Anderson and Dhulipala, ParlayLib (2020), for blocks and a tree; the tree here is fixed.
 * @example
 * const total = await parallelReduce(xs, 'sum');
 * const energy = await parallelReduce(xs, (a, b) => a + b, 0, { map: (x) => x * x });
 */
export function parallelReduce<T extends TypedArray, R extends number | bigint, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, R, C>
): Promise<R>;
export function parallelReduce<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: Rest<ElementOf<T>, AlgorithmOptions<C>>
): Promise<ElementOf<T>>;
export function parallelReduce<T extends TypedArray, R = ElementOf<T>, C = undefined>(
  xs: T,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options?: ReduceOptions<T, R, C>,
): Promise<R>;
export async function parallelReduce(xs: TypedArray, op: unknown, ...rest: unknown[]): Promise<unknown> {
  return runReduce('parallelReduce', xs, op, rest);
}

/**
 * `parallelReduce` that returns the value itself. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param xs as for `parallelReduce`
 * @param op as for `parallelReduce`
 * @param identity as for `parallelReduce`
 * @param options as for `parallelReduce`
 * @returns the combined value, the same as that of `parallelReduce` bit for bit
 * @throws what `parallelReduce` rejects with; Error on a browser's main thread, which must not block
 * Cost: that of `parallelReduce`.
 * @example
 * const largest = parallelReduceSync(xs, 'max');
 */
export function parallelReduceSync<T extends TypedArray, R extends number | bigint, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, R, C>
): R;
export function parallelReduceSync<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: Rest<ElementOf<T>, AlgorithmOptions<C>>
): ElementOf<T>;
export function parallelReduceSync<T extends TypedArray, R = ElementOf<T>, C = undefined>(
  xs: T,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options?: ReduceOptions<T, R, C>,
): R;
export function parallelReduceSync(xs: TypedArray, op: unknown, ...rest: unknown[]): unknown {
  return runReduceSync('parallelReduceSync', xs, op, rest);
}
