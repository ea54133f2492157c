/**
 * The beginning of a call that returns a promise, whatever it does: the only place that knows how one is opened; runs on the thread that calls.
 *
 * 1. In a main module that a worker imports for its tasks, the call never settles (`stalled`).
 * 2. It waits for the permits of its option `limit`, and counts as in flight meanwhile. What is wrong with its arguments it tells before.
 * 3. It acts: checks its arguments, is admitted (`Call.admit`), and runs.
 * 4. What it rejects with has the user's frames.
 * 5. In a scope nobody need await its promise (`promised`).
 */
import { type CallSite, callSite, placeOf, withCallSite } from '../code/call-site.js';
import { isLoading, stallMainModule } from '../code/main-module.js';
import { explainRevoked } from '../code/revoked.js';
import { innerScopeOf } from '../task/async-task.js';
import { disown } from '../task/slow-paths.js';
import { isInTask } from '../worker/place.js';
import { thread } from '../worker/worker-slot.js';
import { Call, within } from './call.js';
import { type CallOptions, lastOptions } from './call-options.js';
import { isExecutor, type LimitedInvoke, limitedInvoke } from './executor.js';
import { checkLimit, type LimitOption } from './permits.js';
import { CallSignal } from './signal.js';

/**
 * Place in the user's program from which a call came: known already, or found above a function of the library that is on the
 * stack.
 */
type Caller = CallSite | ((...args: never) => unknown);

/**
 * Begins a call.
 *
 * @param given its arguments, of which the last may be its options; or its options
 * @param act gets a function that notes the caller, to be called before the first await, and where it fails: it takes 4 us of at least 50
 * @param check throws what `act` would throw at once; called only if the call has to wait for permits
 * @returns the promise in an object, so that the public function does not end with this call: engines with tail calls would drop its frame
 */
export function beginCall<R>(
  name: string,
  given: unknown,
  caller: Caller,
  act: (leaving: () => void) => Promise<R>,
  check?: () => unknown,
): { readonly promise: Promise<R> } {
  return { promise: promised(opened(name, given, caller, act, check), given) };
}

async function opened<R>(
  name: string,
  given: unknown,
  caller: Caller,
  act: (leaving: () => void) => Promise<R>,
  check?: () => unknown,
): Promise<R> {
  const stall = stalled(name, given);
  if (stall !== undefined) return stall;
  let site = typeof caller === 'function' ? undefined : caller;
  const leaving = (): void => {
    if (site !== undefined) return;
    const found = callSite(caller as () => unknown);
    site = found;
    thread.observer?.called?.(name, () => placeOf(found, name));
  };
  try {
    const limited = limitedOptions(given);
    if (limited === undefined) return await act(leaving);
    leaving();
    check?.();
    return await whenPermitted(limited, `${name}: options.limit`, () => act(leaving));
  } catch (thrown) {
    const error = explainRevoked(thrown, name, given);
    throw site === undefined ? error : withCallSite(error, site);
  }
}

/**
 * A promise form checks this first: a main module that a worker imports for its tasks gets a promise that never settles.
 *
 * @param given as of `beginCall`: a call with a scope belongs to a task that goes on while its worker imports a module
 */
export const stalled = (name: string, given?: unknown): Promise<never> | undefined =>
  isInTask() || (isLoading() && hasScope(given)) ? undefined : stallMainModule(`${name}()`);

function hasScope(given: unknown): boolean {
  try {
    return innerScopeOf(Object(lastOptions(given)).scope) !== undefined;
  } catch {
    return false; // the call itself tells of options that throw
  }
}

/**
 * Returns the promise of a promise form. In a scope it is as the promise of a join: a task may fail before it awaits its calls, and their
 * rejections must not end the worker.
 *
 * @param given as of `beginCall`
 */
export function promised<R>(result: Promise<R>, given: unknown): Promise<R> {
  if (hasScope(given)) disown(result);
  return result;
}

type Limited = CallOptions & { readonly limit: LimitOption };

/** The options of a call that names limits, if it may wait for them. What is wrong with its options, the call itself tells. */
function limitedOptions(given: unknown): Limited | undefined {
  try {
    const options = Object(lastOptions(given)) as CallOptions & { readonly limit?: unknown };
    const { limit, pool, scope } = options;
    if (limit === undefined || (pool !== undefined && !isExecutor(pool))) return undefined;
    if (scope === undefined ? isInTask() : innerScopeOf(scope) === undefined) return undefined;
    const checked = checkLimit(limit, 'options.limit');
    return checked && { ...options, limit: checked };
  } catch {
    return undefined;
  }
}

/**
 * Runs a call when it has the permits that its option `limit` asks for. They are given back when its promise settles. While it waits, it
 * counts as in flight, as an invocation does: its signal and its time-out end the wait, and a pool that is being closed runs it, too.
 */
function whenPermitted<R>(
  { limit, pool, scope, signal, timeoutMs }: Limited,
  what: string,
  act: () => Promise<R>,
): Promise<R> {
  const startedMs = performance.now();
  const waiting = new Call({ pool, scope, signal, timeoutMs, startedMs });
  const begin = (): Promise<R> => within({ held: 'first', startedMs }, act);
  return waiting.during(() => (limitedInvoke({ limit }) as LimitedInvoke).run(limit, what, begin, waiting.signal));
}

/**
 * Runs something when it has all permits that `given` asks for; at once where it asks for none.
 *
 * @param what names the option in errors
 * @param ended rejects when nothing is to be started any more
 * @throws (rejects with) TypeError for what is no limit; what `ended` rejects with
 */
export async function withPermits<R>(
  given: LimitOption | undefined,
  what: string,
  start: () => Promise<R>,
  ended: Promise<never>,
): Promise<R> {
  const limit = given === undefined ? undefined : checkLimit(given, what);
  if (limit === undefined) return start();
  const waiting = new CallSignal();
  ended.catch((error: unknown) => waiting.abort(error));
  return (limitedInvoke({ limit }) as LimitedInvoke).run(limit, what, start, waiting);
}
