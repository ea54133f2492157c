/** The part `values`: algorithms over plain values, whose public functions are those for typed arrays; runs on the calling thread. */
import {
  asyncOrGenerator,
  beginCall,
  type Callee,
  callSite,
  forkKind,
  type ShippedFunction,
  shipFunction,
} from '../../core/engine.js';
import { checkNamed, checkNamedIdentity, readOperationArguments } from '../call/operation.js';
import { check, readOptions } from '../call/options.js';
import { mayFork, shippedContext } from '../call/user-function.js';
import { type NamedReduction, NEUTRAL } from '../kernels/operators.js';
import { shipIdentity, startOf } from '../schedule/accumulator.js';
import type { Purpose, ValuesSpec } from './chunk.js';
import { type ResultPiece, type ValuesCall, ValuesRun } from './values-run.js';

/** A call that was checked. */
interface Prepared {
  readonly call: ValuesCall;
  readonly spec: ValuesSpec;
  /** True if the function is known to return promises. */
  readonly isAsync: boolean;
}

interface Functions {
  readonly fn?: unknown;
  readonly op?: unknown;
  readonly identity?: readonly [unknown] | undefined;
}

/** Checks options and functions, and makes these ready to travel. */
function prepare(
  callee: Callee,
  purpose: Purpose,
  options: unknown,
  own: readonly string[],
  functions: Functions,
): Prepared {
  const { name } = callee;
  refuseOthersOptions(name, purpose, options);
  const checked = readOptions(callee, options, ['concurrency', ...own]);
  const { concurrency = Number.POSITIVE_INFINITY, transfer, map } = checked.given;
  checkConcurrency(name, concurrency);
  check(transfer === undefined || typeof transfer === 'function', name, 'options.transfer', 'a function', transfer);
  const isReduction = purpose === 'reduce';
  const [argument, fn] = isReduction ? ['options.map', map] : [purpose === 'filter' ? 'pred' : 'fn', functions.fn];
  const shipped = fn === undefined && isReduction ? undefined : ship(name, argument, fn, true);
  const op = isReduction ? shipOperation(name, functions.op) : undefined;
  const context = shippedContext(checked);
  const takesScope = forkKind(fn) === 'async';
  const isAsync = takesScope || (typeof fn === 'function' && asyncOrGenerator(fn) !== undefined);
  const spec: ValuesSpec = {
    purpose,
    fn: shipped,
    op,
    identity: functions.identity && shipIdentity(name, functions.identity[0]),
    context,
    called: isReduction ? `a function of ${name}` : `${argument} of ${name}`,
    takesScope,
    isSynchronous: !isAsync && mayFork({ fn: shipped, op, context }),
  };
  const call = { name, options: checked, concurrency, transfer: transfer as ValuesCall['transfer'] };
  return { call, spec, isAsync };
}

function refuseOthersOptions(name: string, purpose: Purpose, options: unknown): void {
  if (typeof options !== 'object' || options === null) return;
  if ('into' in options)
    throw new TypeError(
      `furcate: ${name}: options.into is for typed arrays. Leave it out: the results of plain values come in a new array.`,
    );
  if (purpose === 'filter' && 'transfer' in options)
    throw new TypeError(
      `furcate: ${name}: options.transfer is of no use to a filter, which gives back the very values that it was given. Leave it out.`,
    );
}

function checkConcurrency(name: string, concurrency: unknown): asserts concurrency is number {
  check(typeof concurrency === 'number', name, 'options.concurrency', 'a number of calls', concurrency);
  if (concurrency >= 1 && (Number.isInteger(concurrency) || concurrency === Number.POSITIVE_INFINITY)) return;
  throw new RangeError(
    `furcate: ${name}: options.concurrency must be an integer from 1 up, or Infinity, but it is ${concurrency}.`,
  );
}

/** Makes a function ready to travel: an inline one, which may be async where that is awaited, or a forkable of either kind. */
function ship(name: string, argument: string, fn: unknown, mayAwait: boolean): ShippedFunction {
  check(typeof fn === 'function', name, argument, 'a function', fn);
  check(mayAwait || forkKind(fn) !== 'async', name, argument, 'a synchronous function', fn);
  return shipFunction(fn, argument, { mayAwait });
}

function shipOperation(name: string, op: unknown): NonNullable<ValuesSpec['op']> {
  if (typeof op === 'function') return ship(name, 'op', op, false);
  checkNamed(name, op);
  return op;
}

/**
 * Runs what `begin` prepares, and does `act` with a function that runs over values.
 *
 * @param args of the call
 * @param site of the public function, which is found there: engines with tail calls drop its frame when it calls this
 */
function withRuns<R>(
  name: string,
  site: ReturnType<typeof callSite>,
  args: readonly unknown[],
  begin: () => Prepared,
  act: RunsOf<R>,
): Promise<R> {
  const run = async (): Promise<R> => {
    const prepared = begin();
    const { call: inPool } = prepared.call.options;
    return inPool.during(() =>
      act((values, spec, call) => new ValuesRun(call, inPool, spec, values, prepared.isAsync).run(), prepared),
    );
  };
  return beginCall(name, args, site, run, begin).promise;
}

/** The results of pieces, in one list. */
function resultsOf(pieces: readonly ResultPiece[]): unknown[] {
  const all: unknown[] = [];
  for (const { results } of pieces) for (const result of results) all.push(result);
  return all;
}

export function mapValues(callee: Callee, values: object, fn: unknown, options: unknown): Promise<unknown[]> {
  const begin = (): Prepared => prepare(callee, 'map', options, ['transfer'], { fn });
  return withRuns(callee.name, callSite(mapValues), [values, fn, options], begin, async (run, { spec, call }) =>
    resultsOf(await run(values, spec, call)),
  );
}

export function forEachValue(callee: Callee, values: object, fn: unknown, options: unknown): Promise<void> {
  const begin = (): Prepared => prepare(callee, 'each', options, ['transfer'], { fn });
  return withRuns(
    callee.name,
    callSite(forEachValue),
    [values, fn, options],
    begin,
    async (run, { spec, call }) => void (await run(values, spec, call)),
  );
}

export function filterValues(callee: Callee, values: object, fn: unknown, options: unknown): Promise<unknown[]> {
  const begin = (): Prepared => prepare(callee, 'filter', options, [], { fn });
  return withRuns(callee.name, callSite(filterValues), [values, fn, options], begin, async (run, { spec, call }) => {
    const kept: unknown[] = [];
    for (const { values: some, results } of await run(values, spec, call))
      for (let k = 0; k < some.length; k++) if (results[k] === true) kept.push(some[k]);
    return kept;
  });
}

const REDUCE_OPTIONS = ['map', 'transfer'];

export function reduceValues(callee: Callee, values: object, op: unknown, rest: readonly unknown[]): Promise<unknown> {
  const begin = (): Prepared => {
    const { identity, options } = readOperationArguments(callee.name, op, rest, [...REDUCE_OPTIONS, 'concurrency']);
    if (typeof op === 'string' && identity !== undefined) checkNamedIdentity(callee.name, op, identity[0], undefined);
    return prepare(callee, 'reduce', options, REDUCE_OPTIONS, { op, identity });
  };
  return withRuns(callee.name, callSite(reduceValues), [values, op, ...rest], begin, async (run, { spec, call }) => {
    let blocks = resultsOf(await run(values, spec, call));
    if (blocks.length === 0)
      return spec.identity === undefined ? NEUTRAL[op as NamedReduction] : startOf(spec.identity);
    // Results of blocks are combined in blocks, too, so that no combination runs on the caller only because it is a late one.
    const quiet = call.options.call.with({ onProgress: undefined });
    const later: ValuesCall = { ...call, options: { ...call.options, call: quiet }, transfer: undefined };
    const ofBlocks: ValuesSpec = { ...spec, fn: undefined, identity: undefined };
    while (blocks.length > 1) blocks = resultsOf(await run(blocks, ofBlocks, later));
    const [value] = blocks;
    return op === 'sum' && typeof value === 'number' ? value + 0 : value; // as of a typed array: a sum of -0 is 0
  });
}

/** Body of a call, which makes its runs over values. */
type RunsOf<R> = (
  run: (values: object, spec: ValuesSpec, call: ValuesCall) => Promise<readonly ResultPiece[]>,
  prepared: Prepared,
) => Promise<R>;
