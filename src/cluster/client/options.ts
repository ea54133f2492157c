/** The options of calls of a cluster. */
import type { AbortSignalLike, LimitOption } from 'furcate';
import { show } from '../../core/show.js';
import { checkLimit, disown } from '../library.js';
import { token } from '../link/names.js';
import { checkJobTimeout, checkName } from '../link/options.js';

/** Options of a cluster's call. */
export interface ClusterCallOptions<A = never> {
  /**
   * Names the work, so that it survives the client: a call with the same id and the same work goes on where a dead client's call has stopped.
   * One call at a time may use an id; a second one of the same client is rejected with a `RejectedExecutionError`.
   */
  readonly run?: string | undefined;
  /** Cancels the call: what waits is taken back, what runs is aborted, and the promise rejects with an `AbortError`. */
  readonly signal?: AbortSignalLike | undefined;
  /** Cancels the call when it takes longer, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time for which a host may run a job of the call, in milliseconds. A job that runs for longer is aborted, and the call fails with a
   * `CancellationError`. The time that a job waits does not count. Default: what the host allows.
   */
  readonly jobTimeoutMs?: number | undefined;
  /**
   * Permits that the call has to wait for before it queues anything: a `limit()` of `furcate/flows`, some permits of one, or an array of these. It holds them
   * until its promise settles. They limit calls of this program; how many jobs run at once, the threads of the hosts say.
   */
  readonly limit?: LimitOption | undefined;
  /**
   * Names the host that should run an item, or a task: the one that has its data. Others take it when they are idle and it has waited for half a
   * second, or that host is not there. Undefined is for all hosts.
   */
  at?(item: A): string | undefined;
}

/** Options of a call over many items. */
export interface ClusterItemsOptions<A = never> extends ClusterCallOptions<A> {
  /** Called when a job is done, with the number of items that are done. If it throws, the call is cancelled, and fails with what it threw. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Characters of a run id in subjects, which servers limit to 4,096 together with all else in a line. */
const MOST_RUN_CHARACTERS = 1024;

const CALL_OPTIONS = ['run', 'signal', 'timeoutMs', 'jobTimeoutMs', 'limit', 'at'];
export const ITEMS_OPTIONS: readonly string[] = [...CALL_OPTIONS, 'onProgress'];

/** @throws TypeError, RangeError naming the option */
export function checkOptions<O extends ClusterItemsOptions>(
  given: unknown,
  call: string,
  names = CALL_OPTIONS as readonly string[],
): O {
  if (given === undefined) return {} as O;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`furcate: the options of ${call} must be an object; they were ${show(given)}.`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`furcate: ${call} has no option '${unknown}'. It has: ${names.join(', ')}.`);
  const { run, signal, timeoutMs, jobTimeoutMs, limit, at, onProgress } = given as Record<string, unknown>;
  if (run !== undefined && (typeof run !== 'string' || run === ''))
    throw new TypeError(`furcate: ${call}: options.run must be a text that is not empty; it was ${show(run)}.`);
  if (run !== undefined && token(run).length > MOST_RUN_CHARACTERS)
    throw new RangeError(
      `furcate: ${call}: options.run must have ${MOST_RUN_CHARACTERS} characters or less, where one that is no letter, digit, '_' or '-' counts as 3 to 8; it has ${token(run).length}. Use a digest of it.`,
    );
  const { addEventListener, removeEventListener } = Object(signal) as Partial<AbortSignalLike>;
  if (signal !== undefined && ![addEventListener, removeEventListener].every((one) => typeof one === 'function'))
    throw new TypeError(`furcate: ${call}: options.signal must be an AbortSignal; it was ${show(signal)}.`);
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0))
    throw new RangeError(
      `furcate: ${call}: options.timeoutMs must be 0 milliseconds or more; it was ${show(timeoutMs)}.`,
    );
  if (limit !== undefined) checkLimit(limit, `${call}: options.limit`);
  checkJobTimeout(`${call}: options.jobTimeoutMs`, jobTimeoutMs);
  if (at !== undefined && typeof at !== 'function')
    throw new TypeError(`furcate: ${call}: options.at must be a function; it was ${show(at)}.`);
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`furcate: ${call}: options.onProgress must be a function; it was ${show(onProgress)}.`);
  return given as O;
}

/** The host that should run an item. @throws what `at` throws; TypeError for what it must not return */
export function placeOf<A>({ at }: ClusterCallOptions<A>, item: A): string | undefined {
  const host: unknown = at?.(item);
  if (host === undefined || (typeof host === 'string' && host !== '')) {
    checkName('the host that options.at names', host);
    return host;
  }
  disown(host); // nobody awaits it, where it is a promise
  throw new TypeError(
    `furcate: options.at must return the name of a host, or undefined for all hosts; it returned ${show(host)}.`,
  );
}
