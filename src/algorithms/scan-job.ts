/**
 * What the tasks of a scan run: what each block adds up to, and then the scan of each block from what precedes it; runs on
 * every thread that computes.
 *
 * The association is fixed by the length, the types and the operation alone. Block b is folded from left to right from its
 * carry, by a named operation of floats into their own type in groups of four (named-scans.ts); carry b + 1 is carry b combined with the total of block b, and that is a fold of the block from its own first
 * element, or for a named sum or product of floats the eight accumulators of named-reductions.ts. The caller, which goes
 * from left to right, does both at once for a stretch that its cache holds, in the same association.
 * Source: Blelloch (1990), "Prefix sums and their applications", with blocks in the place of the tree.
 */
import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../core/code/source.js';
import { isBigIntType, type TypedArray, typeOfView } from '../core/memory/element-types.js';
import { type Cost, costOf } from './cost.js';
import type { NamedReduction } from './kernels/named-reductions.js';
import { functionScan, namedOperator, namedScan, type ScanArrays, type ScanOperator } from './kernels/scan-kernel.js';
import { blockElements } from './reduce-job.js';
import { Grain } from './split.js';
import { type Stage, stagedKind } from './stages.js';
import { MIN_SCAN_BLOCK, NAMED_SCAN_NS } from './tuning.js';

export interface ScanSpec extends ScanArrays {
  readonly op: NamedReduction | ShippedFunction;
  readonly identity: number | bigint;
  readonly context: ShippedContext | undefined;
  /** One word: blocks that the caller has done before it handed over. */
  readonly done: Uint32Array;
  readonly inOrder: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Elements in a block: as in reductions, but for short arrays, where a block of a few elements costs more than it spreads. */
export const scanBlock = (length: number, callsFunction: boolean): number =>
  Math.max(MIN_SCAN_BLOCK, blockElements(length, callsFunction));

type Operation = Pick<ScanSpec, 'op' | 'identity' | 'xs' | 'out'>;

function operationOf({ op, xs, out, identity }: Operation): { operator: ScanOperator; exact: boolean } {
  if (typeof op === 'string') return namedOperator(op, xs, out, identity);
  return { operator: compiled(op) as ScanOperator, exact: false };
}

/** Of the operation; what is named has one for all types, near enough. */
export const costOfScan = (operation: Operation): Cost =>
  costOf(operationOf(operation).operator, typeof operation.op === 'string' ? NAMED_SCAN_NS : 0);

const CALLED = 'op of parallelScan';

/** Makes sure that what the operation gives can be carried on. */
function checked(value: number | bigint, xs: TypedArray): number | bigint {
  const wanted = isBigIntType(typeOfView(xs)) ? 'bigint' : 'number';
  if (typeof value === wanted) return value;
  throw new TypeError(
    `furcate: ${CALLED} must return a ${wanted} for a ${xs[Symbol.toStringTag]}, but it returned a value of type ${typeof value}.`,
  );
}

export function openScan(spec: ScanSpec): Stage[] {
  const { xs, carries, block, op, context, done, inOrder, threshold, parallelism } = spec;
  const { operator, exact } = operationOf(spec);
  const opened = context === undefined ? undefined : openContext(context);
  const kernel =
    typeof op === 'string' ? namedScan(spec, op, operator, exact, spec.identity) : functionScan(spec, operator, opened);
  const { length } = xs;
  const blocks = Math.ceil(length / block);
  const elements = (lo: number, hi: number): number => Math.max(0, Math.min(length, hi * block) - lo * block);
  const grain = new Grain(costOfScan(spec), block, blocks, threshold, parallelism);
  /** Of the last block nobody needs the total. */
  const reduce = (lo: number, hi: number): void => kernel.reduce(lo, Math.min(hi, blocks - 1));
  /** Turns the totals of blocks [lo, hi) into carries. */
  const carryOn = (lo: number, hi: number): void => {
    for (let b = lo; b < Math.min(hi, blocks - 1); b++) {
      carries[b + 1] = operator(carries[b], carries[b + 1], opened) as never;
    }
  };
  if (inOrder) {
    const run = (lo: number, hi: number): number => {
      if (lo === 0) carries[0] = spec.identity as never;
      if (kernel.exact) {
        const carry = kernel.scanThrough(lo, hi);
        if (hi < blocks) carries[hi] = carry as never;
      } else {
        reduce(lo, hi);
        carryOn(lo, hi);
        checked(kernel.scan(lo, hi), xs);
      }
      done[0] = hi;
      return 2 * elements(lo, hi);
    };
    return [{ units: blocks, calls: CALLED, grain, run }];
  }
  return [
    {
      units: blocks,
      calls: CALLED,
      grain,
      run(lo, hi) {
        reduce(lo, hi);
        return elements(lo, hi);
      },
    },
    {
      units: blocks,
      calls: CALLED,
      grain,
      before() {
        if (done[0] === 0) carries[0] = spec.identity as never;
        carryOn(done[0], blocks);
      },
      run(lo, hi) {
        const from = Math.max(lo, done[0]);
        if (from >= hi) return 0;
        checked(kernel.scan(from, hi), xs);
        return elements(from, hi);
      },
    },
  ];
}

export const SCAN = stagedKind<ScanSpec>('scan', openScan);
