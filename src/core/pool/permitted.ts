/** Calls of algorithms that wait for the permits of their option `limit` before they begin; runs on the thread that calls. */
import type { AbortSignalLike } from '../task/abort-signal.js';
import { innerScopeOf } from '../task/async-task.js';
import { isInTask } from '../worker/place.js';
import { coreOf, isExecutor, type LimitedInvoke, limitedInvoke } from './executor.js';
import { checkLimit, type LimitOption } from './permits.js';
import { beginWithin, type CallOptions, lastOptions, poolOf } from './run-job.js';
import { CallSignal } from './signal.js';

type Limited = CallOptions & { readonly limit: LimitOption };

/** The options of a call that names limits, if it may wait for them. What is wrong with its options, the call itself tells. */
function limitedOptions(given: readonly unknown[]): Limited | undefined {
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
 * Begins a call: at once, or when it has the permits that its option `limit` asks for. They are given back when its promise settles. While it
 * waits, it counts as in flight, as an invocation does: its signal and its time-out end the wait, and a pool that is being closed runs it, too.
 *
 * @param given its arguments; the last one may be its options
 * @param leaving notes the caller before the first await
 */
export function permitted<R>(
  name: string,
  given: readonly unknown[],
  leaving: () => void,
  act: () => Promise<R>,
): Promise<R> {
  const options = limitedOptions(given);
  if (options === undefined) return act();
  leaving();
  return whenPermitted(options, `${name}: options.limit`, act);
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

async function whenPermitted<R>(
  { limit, pool, scope, signal, timeoutMs }: Limited,
  what: string,
  act: () => Promise<R>,
): Promise<R> {
  const startedMs = performance.now();
  const waiting = new CallSignal();
  const inner = innerScopeOf(scope);
  const release = inner === undefined ? coreOf(poolOf(pool)).hold((error) => waiting.abort(error)) : () => {};
  const ends = { signal: signal ?? (inner?.signal as AbortSignalLike | undefined), timeoutMs, startedMs };
  let stop: (() => void) | undefined;
  const begin = (): Promise<R> => {
    stop?.();
    stop = undefined;
    return beginWithin({ held: 'first', startedMs }, act);
  };
  try {
    stop = waiting.follow(ends, 'the call');
    return await (limitedInvoke({ limit }) as LimitedInvoke).run(limit, what, begin, waiting);
  } finally {
    release();
    stop?.();
  }
}
