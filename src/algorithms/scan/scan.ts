/**
 * `parallelScan`: all prefixes of an array combined; the calls run on the caller, the blocks on every thread that computes.
 *
 * The stages (lookback.ts) find the total of each block, and the prefixes of each block from its carry.
 * The association is fixed by the length, the types and the operation alone. Block b is folded from left to right from its carry.
 * Named operations of floats into their own type fold it in groups of four (scan-kernel.ts). Carry b + 1 is carry b combined with the
 * total of block b. That total is a fold of the block from its own first element, or for a named sum or product of floats the
 * result of the eight accumulators of named-reductions.ts.
 * Source: Blelloch (1990), "Prefix sums and their applications", with blocks in the place of the tree.
 */
import {
  type Callee,
  compiled,
  isShared,
  openContext,
  type ShippedContext,
  type ShippedFunction,
} from '../../core/engine.js';
import { type ElementOf, isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { type ArrayType, typeOf } from '../call/call-arrays.js';
import { checkInto } from '../call/into.js';
import { type OperationRest, readOperationArguments, shipOp } from '../call/operation.js';
import {
  type AlgorithmOptions,
  check,
  checkArray,
  checkValue,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { shippedContext } from '../call/user-function.js';
import type { NamedReduction } from '../kernels/operators.js';
import { refusePromise } from '../returned-promise.js';
import { Cost, costOf } from '../schedule/cost.js';
import { blockElements, cutInto } from '../schedule/cut.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { chainControl, chainedStages, noteDone } from '../schedule/lookback.js';
import { stagedKind, type WorkStage } from '../schedule/stages.js';
import { MIN_SCAN_BLOCK, NAMED_SCAN_NS } from '../tuning.js';
import {
  namedOperation,
  neutralElement,
  type ScanArrays,
  ScanKernel,
  type ScanOperation,
  type ScanOperator,
} from './scan-kernel.js';

export interface ScanOptions<U extends TypedArray, C = unknown> extends AlgorithmOptions<C> {
  /** True to leave an element's own value out of its result; false by default. */
  exclusive?: boolean | undefined;
  /** Array for the results, of the same length, of any type; `xs` itself if you like. */
  into?: U | undefined;
}

const OWN_OPTIONS = ['exclusive', 'into'];

interface ScanSpec extends ScanArrays, ShareOptions {
  readonly op: NamedReduction | ShippedFunction;
  readonly identity: number | bigint;
  readonly context: ShippedContext | undefined;
  /** Of the chain. */
  readonly control: Int32Array;
  readonly inOrder: boolean;
}

/** Elements in a block: as in a reduction, but at least `MIN_SCAN_BLOCK`, since a block costs more than a few elements do. */
const scanBlock = (length: number, callsFunction: boolean): number =>
  Math.max(MIN_SCAN_BLOCK, blockElements(length, callsFunction));

function operationOf({ op, xs, out, identity }: Pick<ScanSpec, 'op' | 'xs' | 'out' | 'identity'>): ScanOperation {
  if (typeof op === 'string') return namedOperation(op, xs, out, identity);
  return { operator: compiled(op) as ScanOperator, name: undefined, exact: false, inWords: false };
}

/** The cost belongs to the operation. That of a named operation is about the same for all types. */
const costOfScan = ({ operator, name }: ScanOperation): Cost =>
  costOf(operator, name === undefined ? 0 : NAMED_SCAN_NS);

const CALLED = 'op of parallelScan';

/** Makes sure that what the operation gives can be carried on. */
function checked(value: number | bigint, xs: TypedArray): number | bigint {
  const wanted = isBigIntType(typeOfView(xs)) ? 'bigint' : 'number';
  if (typeof value === wanted) return value;
  refusePromise(value);
  throw new TypeError(
    `furcate: ${CALLED} must return a ${wanted} for a ${xs[Symbol.toStringTag]}, but it returned a value of type ${typeof value}.`,
  );
}

function openScan(spec: ScanSpec): WorkStage[] {
  const { xs, carries, block, op, context, control, inOrder, threshold, parallelism } = spec;
  const operation = operationOf(spec);
  const kernel = new ScanKernel(spec, operation, context === undefined ? undefined : openContext(context));
  const { length } = xs;
  const { blocks, unitBlocks, unit, units } = cutInto(block, length, spec);
  const elements = (lo: number, hi: number): number => Math.max(0, Math.min(length, hi * block) - lo * block);
  const grain = new Grain({ cost: costOfScan(operation), unitElements: unit, units, threshold, parallelism });
  // The total of the last block is not needed.
  const look = (lo: number, hi: number): void => kernel.reduce(lo, Math.min(hi, blocks - 1));
  const carryOn = (lo: number, hi: number): void => kernel.carryOn(lo, Math.min(hi, blocks - 1));
  const finish = (lo: number, hi: number): void => {
    checked(kernel.scan(lo, hi), xs);
  };
  if (inOrder) {
    const run = (from: number, to: number): number => {
      const lo = from * unitBlocks;
      const hi = Math.min(blocks, to * unitBlocks);
      if (operation.exact) {
        const carry = kernel.scanThrough(lo, hi);
        if (hi < blocks) carries[hi] = carry as never;
      } else {
        look(lo, hi);
        carryOn(lo, hi);
        finish(lo, hi);
      }
      noteDone(control, hi);
      return 2 * elements(lo, hi);
    };
    return [{ units, calls: CALLED, context, grain, run }];
  }
  const finishing = new Grain({ cost: new Cost(NAMED_SCAN_NS), unitElements: unit, units, threshold, parallelism });
  const chain = { blocks, unitBlocks, control, mayFail: typeof op !== 'string', elements, look, carryOn, finish };
  return chainedStages(chain, { calls: CALLED, context }, grain, finishing);
}

const SCAN = stagedKind<ScanSpec>('scan', openScan);

/** The type of what goes from block to block: bigints as wide as the elements are. */
const carryType = (xs: TypedArray): ArrayType<ScanSpec['carries']> =>
  (isBigIntType(typeOfView(xs)) ? typeOf(xs) : Float64Array) as ArrayType<ScanSpec['carries']>;

function begin(callee: Callee, xs: TypedArray, op: unknown, rest: readonly unknown[]): Start<TypedArray> {
  const { name } = callee;
  checkArray(name, 'xs', xs);
  const { identity: given, options: givenOptions } = readOperationArguments(name, op, rest, OWN_OPTIONS);
  const options = readOptions(callee, givenOptions, OWN_OPTIONS);
  const shipped = shipOp(name, op, xs, false);
  const { exclusive = false } = options.given;
  check(typeof exclusive === 'boolean', name, 'options.exclusive', 'true or false', exclusive);
  const into = options.given.into as TypedArray | undefined;
  if (into !== undefined) checkInto(name, into, xs.length, xs);
  const identity = given === undefined ? neutralElement(op as NamedReduction, xs, exclusive) : given[0];
  checkValue(name, 'identity', identity, xs);
  const context = shippedContext(options);
  const { length } = xs;
  const block = scanBlock(length, typeof op === 'function');
  return beginStaged({
    callee,
    options,
    kind: SCAN,
    elements: length,
    passes: 2,
    cost: costOfScan(operationOf({ op: shipped, xs, out: into ?? xs, identity })),
    copies: copiedBytes(xs, into ?? xs),
    spec(arrays): ScanSpec {
      const out = arrays.output<TypedArray>({ into, type: typeOf(xs), shared: isShared(xs), length });
      const blocks = Math.ceil(length / block);
      const carries = arrays.scratch(carryType(xs), blocks);
      carries[0] = identity as never;
      const control = chainControl(arrays, blocks);
      return {
        out,
        carries,
        control,
        xs: arrays.input(xs),
        inOrder: arrays.inOrder,
        op: shipped,
        identity,
        context,
        block,
        exclusive,
        threshold: options.threshold,
        parallelism: options.parallelism,
      };
    },
    result: (arrays, { out }) => into ?? arrays.delivered(out),
  });
}

const scan = new Algorithm('parallelScan', begin);

/**
 * Combines every prefix of an array: result i is identity . x0 . x1 ... xi, or without xi if `exclusive`.
 *
 * The order of combination is fixed by the length, the types and the operation. Blocks of at most 4096 elements are folded
 * from left to right, each from its carry; the carry of a block is that of the block before combined with that block's total,
 * which is folded from its own first element (a named sum or product of floats: in eight accumulators, as in
 * `parallelReduce`). So the result is the same bit for bit at any parallelism and threshold; where rounding or a function
 * that is not associative makes a difference, it is not that of a loop.
 *
 * @param xs any typed array; not written, unless it is `into`
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous; or
 *   - `'sum'`, `'product'`: of integers into integers modulo 2^32, as the stores wrap; of bigints modulo 2^64; else as
 *     doubles
 *   - `'min'`, `'max'`: as `Math.min` and `Math.max`: NaN wins, -0 is less than 0
 *   - `'and'`, `'or'`, `'xor'`: of integers
 * @param identity what the first block begins with, a number or bigint as the elements are. Named operations may leave it
 *   out: 0, 1, Infinity, -Infinity, all ones, 0, 0, or for integers the extremes of their type in the place of infinities
 * @param options `exclusive`, `into`, and `pool`, `threshold` (elements in a leaf), `context`, `signal`,
 *   `onProgress(done, total)` in elements
 * @returns a promise of `into`, or else of a new array of the type of xs, shared if xs is; results are stored as typed
 *   arrays store them, and carried on unrounded (bigints wrap from block to block)
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `op` threw, or a TypeError if
 *   it gives no number; CancellationError (`AbortError`) once `signal` is aborted: a shared `into` is half written then
 * @remarks Cost: 2 n combinations; time n / parallelism + n / 4096; memory for the result and, for arrays that are not shared, for
 * copies, which are made only if the work is worth five of them.
 * A call that is known to take less than 300 us runs at once on the caller.
 * Source: Blelloch (1990), "Prefix sums and their applications".
 * @example
 * const starts = await parallelScan(lengths, 'sum', { exclusive: true });
 * await parallelScan(xs, (a, b) => Math.max(a, b), 0, { into: xs });
 */
export function parallelScan<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: OperationRest<ElementOf<T>, ScanOptions<U, C>>
): Promise<U>;
export function parallelScan<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  op: (a: ElementOf<T>, b: ElementOf<T>, context: C) => ElementOf<T>,
  identity: ElementOf<T>,
  options?: ScanOptions<U, C>,
): Promise<U>;
export function parallelScan(xs: TypedArray, op: unknown, ...rest: unknown[]): Promise<TypedArray> {
  return scan.promise(xs, op, rest);
}

/**
 * `parallelScan` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelScan`
 * @param op as for `parallelScan`
 * @param identity as for `parallelScan`
 * @param options as for `parallelScan`
 * @returns what the promise of `parallelScan` gives, the same bit for bit
 * @throws what `parallelScan` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelScan`.
 * @example
 * const totals = parallelScanSync(xs, 'sum');
 */
export function parallelScanSync<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: OperationRest<ElementOf<T>, ScanOptions<U, C> & SyncOptions>
): U;
export function parallelScanSync<T extends TypedArray, U extends TypedArray = T, C = undefined>(
  xs: T,
  op: (a: ElementOf<T>, b: ElementOf<T>, context: C) => ElementOf<T>,
  identity: ElementOf<T>,
  options?: ScanOptions<U, C> & SyncOptions,
): U;
export function parallelScanSync(xs: TypedArray, op: unknown, ...rest: unknown[]): TypedArray {
  return scan.sync(xs, op, rest);
}
