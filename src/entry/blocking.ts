/** What programs with blocking sections name. A bundle holds the part that starts spare threads if its program names it. */
import { spares } from './parts.js';
import { type Runtime, runtime } from './runtime.js';

/** Marked as pure where it is called. */
export function blockingSections(): Runtime['core']['blocking'] {
  runtime.provide('spares', spares);
  return runtime.core.blocking;
}
