/** Arrays that were freed, as arguments of calls; runs on the thread that calls. */
import { ALIVE, DOOMED, fateOf, freedError } from '../memory/shared-array.js';
import { isComputing } from '../worker/place.js';

/**
 * Refuses an array that was freed. A task may go on with one that another thread has freed meanwhile.
 *
 * @param what its name in errors
 * @param buffer what `view.buffer` gives
 * @throws TypeError
 */
export function refuseDead(what: string, view: ArrayBufferView, buffer: ArrayBufferLike): void {
  const fate = fateOf(view, buffer);
  if (fate !== ALIVE && !(fate === DOOMED && isComputing())) throw freedError(what);
}
