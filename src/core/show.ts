/** Values in messages; on every thread. */

/** Any value as messages show it, without running code of the value's own but the traps of a proxy. */
export function show(value: unknown): string {
  if (isRevoked(value)) return 'a proxy that was revoked';
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value);
  try {
    return Array.isArray(value) ? 'an array' : value instanceof Promise ? 'a promise' : 'an object';
  } catch {
    return 'an object'; // a proxy that tells nothing
  }
}

/**
 * Checks whether a value is a proxy that was revoked. Of nothing else does the language refuse to tell whether it is an array; no code of the value's own
 * runs.
 */
export function isRevoked(value: unknown): boolean {
  try {
    return Array.isArray(value) && value === undefined; // never; minifiers drop a call whose result nobody needs
  } catch {
    return true;
  }
}

/** Text for such a proxy in errors, after its name. */
export const REVOKED =
  "is a proxy that was revoked, as immer's drafts are after their recipe. Pass what it stood for, or a copy that was made before.";

/** @throws TypeError for a proxy that was revoked. @param what names it in the error */
export function refuseRevoked(value: unknown, what: string): void {
  if (isRevoked(value)) throw new TypeError(`furcate: ${what} ${REVOKED}`);
}
