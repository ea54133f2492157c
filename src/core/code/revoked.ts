/**
 * Proxies that were revoked, as immer revokes its drafts after their recipe; on the thread that calls. Each operation on one throws what names neither
 * the call nor the argument.
 */
import { isRevoked, REVOKED } from '../errors.js';
import { takeFrames } from './call-site.js';
import { pathTo } from './data-path.js';
import { notShareable } from './value-class.js';

/** Path to a revoked proxy in the arguments of a call: 'argument 1 (at .a)'. */
function placeOf(args: unknown): string | undefined {
  try {
    const path = pathTo(args, '', isRevoked);
    return path?.replace(/^\[(\d+)\](.*)$/s, (_, at, rest) => `argument ${Number(at) + 1}${rest && ` (at ${rest})`}`);
  } catch {
    return undefined; // code of the user's own
  }
}

/**
 * Returns the error with which a call fails: the error itself, or if it comes from a proxy among the arguments that was revoked, one that
 * names the argument.
 */
export function explainRevoked(error: unknown, call: string, args: unknown): unknown {
  const { message } = Object(error) as { message?: unknown };
  // So all engines say it: 'Cannot perform 'get' on a proxy that has been revoked', 'illegal operation attempted on a revoked proxy'.
  if (typeof message !== 'string' || message.startsWith('furcate: ') || !/\brevoked\b/.test(message)) return error;
  const place = placeOf(args);
  if (place === undefined) return error;
  return takeFrames(new TypeError(`furcate: ${call}: ${place} ${REVOKED}`, { cause: error }), error);
}

/** The refusal of a value that a proxy is in which was revoked; undefined for other values. @param name names the part at a path */
export function refusalOfRevoked(value: unknown, name: (path: string) => string): Error | undefined {
  try {
    const path = pathTo(value, '', isRevoked);
    return path === undefined ? undefined : notShareable(name(path), REFUSAL);
  } catch {
    return undefined; // code of the user's own
  }
}

const REFUSAL = { reason: 'is a proxy that was revoked', cure: 'Pass a copy that was made before.' };
