/**
 * A function of the user, with its context, on its way to the leaves; shipped on the calling thread, opened on each that
 * computes.
 */
import {
  checkContext,
  compiled,
  explainThrown,
  isForkable,
  openContext,
  type ShippedContext,
  type ShippedFunction,
  shipContext,
  shipFunction,
} from '../../core/code/source.js';
import { thread } from '../../core/worker/seat.js';
import { type Checked, checkFunction } from './options.js';

export type AnyFunction = (...args: never[]) => unknown;

/** Part of a specification that has one user function. */
export interface FunctionSpec {
  readonly fn: ShippedFunction;
  readonly context: ShippedContext | undefined;
  /** What errors call it: "fn of parallelMap". */
  readonly called: string;
}

/** The user's code in a specification, by the names that it has there. */
export interface UserCode {
  readonly fn?: ShippedFunction | undefined;
  readonly op?: ShippedFunction | string;
  readonly map?: ShippedFunction | undefined;
  readonly compare?: ShippedFunction | undefined;
  readonly context?: ShippedContext | undefined;
}

const forks = (code: ShippedFunction | string | undefined): boolean => typeof code === 'object' && isForkable(code);

/** Whether some of it may fork: then it has to run where that is possible. */
export const mayFork = ({ fn, op, map, compare, context }: UserCode): boolean =>
  forks(fn) || forks(op) || forks(map) || forks(compare) || context?.codes.some((code) => forks({ code })) === true;

/** Whether any function of the user's is called. */
export const callsUser = ({ fn, op, map, compare }: UserCode): boolean =>
  [fn, op, map, compare].some((code) => typeof code === 'object');

/** Checks a function and makes it ready to travel. */
export function shipUserFunction(name: string, argument: string, fn: unknown, { context }: Checked): FunctionSpec {
  checkFunction(name, argument, fn);
  return {
    fn: shipFunction(fn, argument),
    context: context === undefined ? undefined : shipContext(context, 'context'),
    called: `${argument} of ${name.endsWith('Sync') ? name.slice(0, -4) : name}`,
  };
}

/** The function as this realm has it: the same object for the same source. */
export const functionOf = ({ fn }: Pick<FunctionSpec, 'fn'>): AnyFunction => compiled(fn) as AnyFunction;

/** The context as this realm's calls get it. */
export const contextOf = ({ context }: Pick<FunctionSpec, 'context'>): unknown =>
  context === undefined ? undefined : openContext(context);

/** A piece of a call that runs the user's functions. */
export interface UserPiece {
  /** What errors call the functions; undefined if none is called. */
  readonly calls?: string | undefined;
  readonly context?: ShippedContext | undefined;
}

/** What to show for an error of such a piece: an unknown name is reported as a captured variable, and so on. */
export const explained = ({ calls, context }: UserPiece, error: unknown): unknown =>
  calls === undefined ? error : explainThrown(error, calls, context);

/**
 * Looks whether the user's functions have written to arrays of the context, which nobody would see.
 *
 * @param isEnd the last look of a call, or of one of its stages
 * @throws TypeError that names the array
 */
export function checkWrites({ calls, context }: UserPiece, isEnd: boolean): void {
  if (context === undefined) return;
  if (!isEnd) checkContext(context, calls ?? 'a function', false);
  if (isEnd || thread.seat?.checked === true) checkContext(context, calls ?? 'a function', true);
}

/** Runs what calls the user's functions. */
export function explaining<R>(piece: UserPiece, body: () => R): R {
  let value: R;
  try {
    value = body();
  } catch (error) {
    throw explained(piece, error);
  }
  if (piece.context !== undefined) checkWrites(piece, false);
  return value;
}
