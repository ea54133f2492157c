/** Checks the arguments of algorithms that combine elements by a function or by a named operation; runs on the calling thread. */
import { type ShippedFunction, shipFunction } from '../../core/engine.js';
import { isBigIntType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { BITWISE, NAMED_REDUCTIONS, type NamedReduction } from '../kernels/operators.js';
import { check, checkFunction, isPlainObject, looksLikeOptions } from './options.js';

/** Arguments that may follow a named operation in a call. */
export type OperationRest<Identity, Options> =
  | [options?: Options | undefined]
  | [identity: Identity | undefined, options?: Options | undefined];

/** Checks the name of an operation. */
export function checkNamed(name: string, op: unknown): asserts op is NamedReduction {
  const names = NAMED_REDUCTIONS.map((known) => `'${known}'`).join(', ');
  check(NAMED_REDUCTIONS.includes(op as NamedReduction), name, 'op', `a function (a, b) or one of ${names}`, op);
}

/** Checks the identity of a named operation: it must fit the elements of `xs` or, without `xs`, be a number of either kind. */
export function checkNamedIdentity(name: string, op: string, identity: unknown, xs: TypedArray | undefined): void {
  const type = typeof identity;
  const wanted = xs !== undefined && isBigIntType(typeOfView(xs)) ? 'bigint' : 'number';
  const isRight = type === wanted || (xs === undefined && type === 'bigint');
  check(isRight, name, 'identity', `a ${wanted} for '${op}'`, identity);
}

/** Checks an operation, and makes a function ready to travel. A name must fit the elements, or what a map makes of them. A range has no `xs`. */
export function shipOp(
  name: string,
  op: unknown,
  xs: TypedArray | undefined,
  hasMap: boolean,
  argument = 'xs',
): NamedReduction | ShippedFunction {
  if (typeof op === 'function') {
    checkFunction(name, 'op', op);
    return shipFunction(op, 'op');
  }
  checkNamed(name, op);
  if (xs === undefined || hasMap || !xs[Symbol.toStringTag].startsWith('Float') || !BITWISE.includes(op)) return op;
  throw new TypeError(
    `furcate: ${name}: op '${op}' works on bits, and ${argument} is a ${xs[Symbol.toStringTag]}. Use an integer array${argument === 'xs' ? ', or a map to integers' : ''}.`,
  );
}

/** Tells what the arguments after `op` are: an identity, options, both or neither. */
export function readOperationArguments(
  name: string,
  op: unknown,
  rest: readonly unknown[],
  ownOptions: readonly string[],
): { identity?: [unknown]; options: unknown } {
  const [third, fourth] = rest;
  const named = typeof op !== 'function';
  if (named && isPlainObject(third)) {
    check(fourth === undefined, name, 'identity', 'a number or a bigint for a named op', third);
    return { options: third };
  }
  if (named && third === undefined) return { options: fourth };
  if (third === undefined || (fourth === undefined && looksLikeOptions(third, ownOptions))) {
    throw new TypeError(
      `furcate: ${name}: a function op needs an identity before the options, such as 0 for (a, b) => a + b. It is the result for no elements, and where the first block begins.`,
    );
  }
  return { identity: [third], options: fourth };
}
