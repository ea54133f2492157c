/** `blocking`. A bundle holds the part with it, which starts spare threads too, if its program names it. */
import type { blocking } from '../core/spares/index.js';
import { spares } from './parts.js';
import { runtime } from './runtime.js';

/** Marked as pure where it is called. */
export function blockingSections(): typeof blocking {
  runtime.provide('spares', spares);
  return runtime.algorithm('spares', 'blocking') as typeof blocking;
}
