/**
 * What a piece of a call must do about the user's functions that it runs: explain their errors, and see that they have not
 * written to the context; runs on every thread that computes.
 */
import { checkContext, explainThrown, type ShippedContext } from '../../core/code/source.js';
import { thread } from '../../core/worker/worker-slot.js';

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
  if (isEnd || thread.own?.checked === true) checkContext(context, calls ?? 'a function', true);
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
