/**
 * Wraps the user's functions in each piece of a call: the library explains their errors, and sees that they have not written
 * to the context; runs on every thread that computes.
 */
import { endPiece, explainThrown, isChecked, type ShippedContext } from '../../core/engine.js';
import { RETURNED_PROMISE, returnedPromise } from '../returned-promise.js';

/** A piece of a call that runs the user's functions. */
export interface UserPiece {
  /** Name of the functions for error messages; undefined if none is called. */
  readonly calls?: string | undefined;
  readonly context?: ShippedContext | undefined;
}

/** Returns what to throw for an error of a piece: an unknown name is reported as a captured variable, for example. */
export function explained({ calls, context }: UserPiece, error: unknown): unknown {
  if (calls === undefined) return error;
  return error === RETURNED_PROMISE ? returnedPromise(calls) : explainThrown(error, calls, context);
}

/**
 * Looks whether the functions have written to arrays of the context, since such a write is lost.
 *
 * @param isEnd whether this is the last piece of a call or of a stage: then every array is compared, otherwise a few elements
 * @throws TypeError that names an array which was written to
 */
export function checkWrites({ calls, context }: UserPiece, isEnd: boolean): void {
  const called = calls ?? 'a function';
  if (!isEnd) endPiece(context, called, false);
  if (isEnd || isChecked()) endPiece(context, called, true);
}

/** Runs the last piece of a call or of a stage, explains its error, and looks for writes to the context. */
export function explaining<R>(piece: UserPiece, body: () => R): R {
  let value: R;
  try {
    value = body();
  } catch (error) {
    throw explained(piece, error);
  }
  checkWrites(piece, true);
  return value;
}
