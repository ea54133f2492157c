/** Beginning and failure of a call that returns a promise, whatever it does; runs on the thread that calls. */
import { type CallSite, callSite, placeOf, withCallSite } from '../code/call-site.js';
import { explainRevoked } from '../code/revoked.js';
import { thread } from '../worker/worker-slot.js';
import { stalled } from './run-job.js';

/**
 * Place in the user's program from which a call came: known already, or found above a function of the library that is on the
 * stack.
 */
type Caller = CallSite | ((...args: never) => unknown);

/**
 * Runs a call. In a main module that a worker imports it never settles; what it rejects with has the user's frames.
 *
 * The public function hands the promise to `promised`. It must not end with this call: engines with tail calls would drop its frame.
 *
 * @param given the arguments, or what `stalled` takes
 * @param act gets a function that notes the caller, to be called before the first await, and where it fails: it takes 4 us of at least 50
 */
export async function enter<R>(
  name: string,
  given: unknown,
  caller: Caller,
  act: (leaving: () => void) => Promise<R>,
): Promise<R> {
  const stall = stalled(name, given);
  if (stall !== undefined) return stall;
  let site = typeof caller === 'function' ? undefined : caller;
  const leaving = (): void => {
    if (site !== undefined) return;
    const found = callSite(caller as () => unknown);
    site = found;
    thread.observer?.called?.(name, () => placeOf(found));
  };
  try {
    return await act(leaving);
  } catch (thrown) {
    const error = explainRevoked(thrown, name, given);
    throw site === undefined ? error : withCallSite(error, site);
  }
}
