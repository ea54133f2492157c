/** Any value as errors show it. It runs no code of the value's own, which may throw, or have arrived from elsewhere. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return Array.isArray(value) ? 'an array' : value instanceof Promise ? 'a promise' : 'an object';
  } catch {
    return 'an object'; // a proxy that was revoked
  }
}
