/**
 * The stages of a scan (lookback.ts): the total of each block, and the prefixes of each block from its carry; runs on every thread that computes.
 *
 * The association is fixed by the length, the types and the operation alone. Block b is folded from left to right from its carry.
 * Named operations of floats into their own type fold it in groups of four (scan-kernel.ts). Carry b + 1 is carry b combined with the
 * total of block b. That total is a fold of the block from its own first element, or for a named sum or product of floats the
 * result of the eight accumulators of named-reductions.ts.
 * Source: Blelloch (1990), "Prefix sums and their applications", with blocks in the place of the tree.
 */
import { compiled, openContext, type ShippedContext, type ShippedFunction } from '../../core/code/source.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { NamedReduction } from '../kernels/operators.js';
import { Cost, costOf } from '../schedule/cost.js';
import { blockElements, cutInto } from '../schedule/cut.js';
import { Grain } from '../schedule/grain.js';
import { chainedStages, noteDone } from '../schedule/lookback.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { MIN_SCAN_BLOCK, NAMED_SCAN_NS } from '../tuning.js';
import { namedOperation, type ScanArrays, ScanKernel, type ScanOperation, type ScanOperator } from './scan-kernel.js';

export interface ScanSpec extends ScanArrays {
  readonly op: NamedReduction | ShippedFunction;
  readonly identity: number | bigint;
  readonly context: ShippedContext | undefined;
  /** Of the chain. */
  readonly control: Int32Array;
  readonly inOrder: boolean;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Elements in a block: as in a reduction, but at least `MIN_SCAN_BLOCK`, since a block costs more than a few elements do. */
export const scanBlock = (length: number, callsFunction: boolean): number =>
  Math.max(MIN_SCAN_BLOCK, blockElements(length, callsFunction));

type Operation = Pick<ScanSpec, 'op' | 'identity' | 'xs' | 'out'>;

function operationOf({ op, xs, out, identity }: Operation): ScanOperation {
  if (typeof op === 'string') return namedOperation(op, xs, out, identity);
  return { operator: compiled(op) as ScanOperator, name: undefined, exact: false, inWords: false };
}

/** The cost belongs to the operation. That of a named operation is about the same for all types. */
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
  const { xs, carries, block, op, context, control, inOrder, threshold, parallelism } = spec;
  const operation = operationOf(spec);
  const kernel = new ScanKernel(spec, operation, context === undefined ? undefined : openContext(context));
  const { length } = xs;
  const { blocks, unitBlocks, unit, units } = cutInto(block, length, threshold, parallelism);
  const elements = (lo: number, hi: number): number => Math.max(0, Math.min(length, hi * block) - lo * block);
  const grain = new Grain({ cost: costOfScan(spec), unitElements: unit, units, threshold, parallelism });
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

export const SCAN = stagedKind<ScanSpec>('scan', openScan);
