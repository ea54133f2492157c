/**
 * The user's functions with their context: shipped on the calling thread, compiled on every thread that computes.
 */
import {
  type Callee,
  compiled,
  isForkable,
  kernelOf,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  shipContext,
  shipFunction,
} from '../../core/engine.js';
import { shareCost } from '../schedule/cost.js';
import { type Checked, checkFunction } from './options.js';

type CompiledFunction = (...args: never[]) => unknown;

/** The part of a specification that holds one user function. */
export interface FunctionSpec {
  readonly fn: ShippedFunction;
  readonly context: ShippedContext | undefined;
  /** Name for error messages: "fn of parallelMap". */
  readonly called: string;
}

/** The user's code in a specification, under the names that it has there. */
export interface UserCode {
  readonly fn?: ShippedFunction | undefined;
  readonly op?: ShippedFunction | string | undefined;
  readonly map?: ShippedFunction | undefined;
  readonly compare?: ShippedFunction | undefined;
  readonly context?: ShippedContext | undefined;
}

const functionsIn = ({ fn, op, map, compare }: UserCode): ShippedFunction[] =>
  [fn, op, map, compare].filter((code) => typeof code === 'object');

/** Checks whether any of the code may fork: then it has to run in a task. */
export const mayFork = (code: UserCode): boolean => {
  const functions = functionsIn(code);
  const given = [code.context, ...functions.map(({ captured }) => captured?.context)].flatMap(
    (one) => one?.codes ?? [],
  );
  return functions.some(isForkable) || given.some((one) => isForkable({ code: one }));
};

/** Checks whether the call calls any of the user's functions. */
export const callsUser = (code: UserCode): boolean => functionsIn(code).length > 0;

/** The context of a call, ready to travel. */
export const shippedContext = ({ context }: Checked): ShippedContext | undefined =>
  context === undefined ? undefined : shipContext(context, 'context');

/** Checks a function and makes it ready to travel. */
export function shipUserFunction(callee: Callee, argument: string, fn: unknown, options: Checked): FunctionSpec {
  checkFunction(callee.name, argument, fn);
  const called = `${argument} of ${callee.names.promise}`;
  const ship = { fn: shipFunction(fn, argument), context: shippedContext(options), called };
  const kernel = ship.context && kernelOf(fn, ship.context);
  if (kernel === undefined) return ship;
  shareCost(kernel, compiled(ship.fn));
  return { fn: shipFunction(kernel, argument), context: undefined, called };
}

/** The function as this realm has it: the same object for the same source. */
export const functionOf = ({ fn }: Pick<FunctionSpec, 'fn'>): CompiledFunction => compiled(fn) as CompiledFunction;

/** The context as this realm's calls get it. */
export const contextOf = ({ context }: Pick<UserCode, 'context'>): unknown =>
  context === undefined ? undefined : openContext(context);
