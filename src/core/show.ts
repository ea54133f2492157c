/** Values in messages; on every thread. */

/** Any value as messages show it, without running code of the value's own but the traps of a proxy. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value);
  try {
    return Array.isArray(value) ? 'an array' : value instanceof Promise ? 'a promise' : 'an object';
  } catch {
    return 'an object'; // a proxy that was revoked
  }
}
