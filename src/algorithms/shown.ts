/** Values as errors show them; on the calling thread, and for what a user's function returned on every thread. */
import { isRevoked } from '../core/errors.js';

/** A value as an error message shows it. */
export function shown(value: unknown): string {
  if (isRevoked(value)) return 'a proxy that was revoked';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `the function ${value.name || '(anonymous)'}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    const first = value.slice(0, 4).map((x) => (Array.isArray(x) ? 'an array' : shown(x))); // which may be the array itself
    return `[${first.join(', ')}${value.length > 4 ? ', ...' : ''}]`;
  }
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? `an object of class ${name}` : 'an object';
}
