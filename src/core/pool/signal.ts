/**
 * Signals that end a call before its time: the user's signal, which may be of any make, a time-out, and those by which a call of the
 * library cancels what it has submitted; runs on the thread that calls.
 */
import { CancellationError } from '../errors.js';
import { inThisContext } from '../platform/caller-context.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { after } from '../worker/grace.js';

/**
 * Signal that cancels parts of a call. An `AbortSignal` takes ten times as long to make, and tells of a leak when it has many
 * listeners.
 */
export class CallSignal implements AbortSignalLike {
  aborted = false;
  /** Error with which the parts that are cancelled reject. */
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }

  /** A signal that aborts with this one, or before. */
  child(): CallSignal {
    const child = new CallSignal();
    if (this.aborted) child.abort(this.reason);
    else this.addEventListener('abort', () => child.abort(this.reason));
    return child;
  }

  /** Aborts with a larger call, too. @returns ends that; throws what the user's signal throws. @throws as `watchEnds` */
  follow(ends: Ends, what: string): () => void {
    return watchEnds(ends, what, (error) => this.abort(error));
  }
}

/** Error with which a call rejects whose signal is aborted. */
export const abortError = (signal: AbortSignalLike): unknown =>
  signal instanceof CallSignal
    ? signal.reason
    : new CancellationError('furcate: the invocation was aborted by its signal.', {
        reason: 'signal',
        cause: signal.reason,
      });

/** All that wait for the abort of one signal. They share a listener, because runtimes warn of a leak when a signal has more than ten. */
class Watch {
  readonly #signal: AbortSignalLike;
  readonly #watchers = new Set<{ onAbort(error: unknown): void }>();
  readonly #listener = (): void => {
    watches.delete(this.#signal);
    for (const watcher of this.#watchers) watcher.onAbort(errorOf(this.#signal));
    this.#watchers.clear();
  };

  constructor(signal: AbortSignalLike) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#listener, { once: true });
    watches.set(signal, this);
  }

  /** @returns ends that; the last one takes the listener away, and throws what the signal throws */
  add(onAbort: (error: unknown) => void): () => void {
    const watcher = { onAbort };
    this.#watchers.add(watcher);
    return () => {
      if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return;
      if (watches.get(this.#signal) === this) watches.delete(this.#signal);
      this.#signal.removeEventListener('abort', this.#listener);
    };
  }
}

const watches = new WeakMap<AbortSignalLike, Watch>();

/**
 * Calls back once a signal aborts, with the error that the call should reject with. It never throws into the signal.
 *
 * @returns ends that; throws what the signal throws
 * @throws what the signal throws; the error of an abort if the signal is aborted already. Then nobody listens
 */
export function watchSignal(signal: AbortSignalLike, onAbort: (error: unknown) => void): () => void {
  const stop = (watches.get(signal) ?? new Watch(signal)).add(
    signal instanceof CallSignal ? onAbort : inThisContext(onAbort),
  );
  let error: unknown;
  try {
    if (!signal.aborted) return stop;
    error = abortError(signal);
  } catch (thrown) {
    error = thrown;
  }
  stop();
  throw error;
}

function errorOf(signal: AbortSignalLike): unknown {
  try {
    return abortError(signal);
  } catch (thrown) {
    return thrown;
  }
}

/** User's options for the end of the call. */
export interface Ends {
  readonly signal?: AbortSignalLike | undefined;
  readonly timeoutMs?: number | undefined;
  /** Time at which the call began, by `performance.now()`; now if it is left out. */
  readonly startedMs?: number | undefined;
}

const nothing = (): void => {};

const timeoutError = (what: string, timeoutMs: number): CancellationError =>
  new CancellationError(`furcate: ${what} took longer than timeoutMs = ${timeoutMs}.`, { reason: 'timeout' });

/**
 * As `watchEnds`, on a thread whose event loop does not turn: looks now. @param ends with `startedMs`
 *
 * @returns the error that the call should reject with, if it has to end
 * @throws what the signal throws
 */
export function endedBy(
  { signal, timeoutMs, startedMs = 0 }: Ends,
  what: string,
): { readonly error: unknown } | undefined {
  if (signal?.aborted === true) return { error: abortError(signal) };
  if (timeoutMs === undefined || performance.now() - startedMs <= timeoutMs) return undefined;
  return { error: timeoutError(what, timeoutMs) };
}

/**
 * Calls back with the error that a call should reject with, once its signal aborts or its time is up.
 *
 * @param what names the call in the error of a time-out: 'the call'
 * @returns ends that; throws what the signal throws
 * @throws as `watchSignal`. Then nothing is left
 */
export function watchEnds(
  { signal, timeoutMs, startedMs }: Ends,
  what: string,
  cancel: (error: unknown) => void,
): () => void {
  const stopWatching = signal === undefined ? nothing : watchSignal(signal, cancel);
  if (timeoutMs === undefined) return stopWatching;
  const spentMs = startedMs === undefined ? 0 : performance.now() - startedMs;
  const stopTimer = after(timeoutMs - spentMs, () => cancel(timeoutError(what, timeoutMs)));
  return () => {
    stopTimer();
    stopWatching();
  };
}
