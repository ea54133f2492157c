/**
 * One value for each thread, made on first use, such as a scratch buffer or a connection; and its end. Runs on every thread.
 *
 * A worker ends its values when it leaves the worker group by itself. On another thread they end with the last executor that runs tasks
 * there: only executors can tell when nothing of a task runs any more, since an asynchronous task may hold a value across an `await`.
 */
import { show } from '../errors.js';
import { ofType, readOptions } from '../options.js';
import { host } from '../platform/host.js';
import { isPromise } from '../task/slow-paths.js';
import type { NotAPromise } from '../task/synchronous.js';
import { after } from './grace.js';
import { isComputing } from './place.js';

/** Gives the calling thread's own values. */
export interface WorkerLocal<T> {
  /** The value of this thread, which all of its tasks get. */
  get(): T;
  /**
   * Lends a value to a function, which has it for itself until it returns: other tasks that this thread runs meanwhile, in a join or while an
   * asynchronous task waits, get others. What was given back is lent again. It is never the value of `get`.
   *
   * @param fn called at once. If it returns a promise, the value is given back when that settles
   * @returns what `fn` returns
   * @throws what `fn` throws; TypeError if it is no function
   */
  use<R>(fn: (value: T) => R): R;
}

/** What becomes of the values of a `workerLocal`. */
export interface WorkerLocalOptions<T> {
  /**
   * Ends a value, on its thread, when a worker retires after `keepAliveMs`, when its pool is closed, and when a spare leaves. What it returns is
   * awaited, for the `graceMs` of the pool at most: without one, as long as it takes, and so is `close()`. A warning says when that is 10 seconds;
   * `terminate()` ends it. It does not run after a crash or `terminate()`. An error becomes a warning. The last value made ends first: `get()` in a
   * `dispose` gives that value itself, and those made before it, and throws for those that have ended.
   */
  readonly dispose?: ((value: T) => unknown) | undefined;
}

/** How long the ends of values may take until a warning says what is waited for, unless `graceMs` is less (milliseconds). */
const SLOW_END_MS = 10_000;

/** What ends the values of this thread, in the order in which they were made. */
const ends: (() => unknown)[] = [];

/** For each call that ends the values of this thread now: whether they are in use nevertheless. */
const endings = new Set<() => boolean>();

/** How often the thread has begun to end its values. */
let round = 0;

/** Is the thread ending its values, so that it makes no new ones in their places? Otherwise two values that use each other would never end. */
const isLeaving = (): boolean => [...endings].some((isInUse) => !isInUse());

const IN_USE = 0;
const ENDING = 1;
const ENDED = 2;

/** A value, and whether it is in use. */
interface Made {
  value: unknown;
  /** When it was ended (`round`). */
  round: number;
  readonly isPending: boolean;
  end: typeof IN_USE | typeof ENDING | typeof ENDED;
}

/**
 * Makes a value that every worker (and every other thread) has one of, made there by `init` on first use and kept while the
 * thread lives. Declare it at the top level of a module that tasks import.
 *
 * While a task waits in a join, its thread may run other tasks, which get the same value. So what a task keeps in a scratch buffer of `get()` is its own
 * up to its next fork or join, and not beyond. `use(fn)` lends a value for as long as `fn` runs, whatever it forks, joins or awaits. Code that
 * cannot be interrupted so at all is for `isolate`.
 *
 * `init` may return a promise: then `get()` gives that promise, and tasks that wait can use it. If it rejects, the next `get()` calls `init`
 * again.
 *
 * @param init makes the value
 * @param options `dispose(value)` ends it
 * @throws TypeError for arguments of other types; `get()` does in a synchronous task when `init` returns a promise
 * @example
 * const scratch = workerLocal(() => new Float64Array(1024));
 * // in a task: scratch.use((buffer) => sumOfParts(buffer.fill(0)))
 * const connection = workerLocal(async () => openConnection(), { dispose: (open) => open.close() });
 * // in an asynchronous task: await (await connection.get()).query('select 1')
 */
export function workerLocal<T>(init: () => Promise<T>, options?: WorkerLocalOptions<T>): WorkerLocal<Promise<T>>;
export function workerLocal<T>(init: () => T & NotAPromise, options?: WorkerLocalOptions<T>): WorkerLocal<T>;
export function workerLocal(init: () => unknown, options: WorkerLocalOptions<never> = {}): WorkerLocal<unknown> {
  if (typeof init !== 'function')
    throw new TypeError('furcate: workerLocal(init) takes a function that makes the value.');
  const dispose = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` }).dispose;
  let made: Made | undefined;
  /** What was lent, and given back. */
  const free: Made[] = [];
  function make(): Made {
    const value = init();
    const own: Made = { value, isPending: isPromise(value), end: IN_USE, round: 0 };
    const end = async (): Promise<void> => {
      own.end = ENDING;
      own.round = round;
      try {
        // After a rejection of `init` there is nothing to end.
        await (own.isPending ? (value as PromiseLike<never>).then(dispose, () => {}) : dispose?.(value as never));
      } finally {
        own.end = ENDED;
        own.value = undefined;
      }
    };
    if (dispose !== undefined) ends.push(end);
    if (isPromise(value))
      value.then(undefined, () => {
        own.end = ENDED; // the next call makes another one
        own.round = NEVER;
        if (ends.includes(end)) ends.splice(ends.indexOf(end), 1);
      });
    return own;
  }
  /** The value that is there, unless it is being ended, and the thread goes on. @throws Error once it has ended, while others are */
  function present(): Made | undefined {
    if (made === undefined || made.end === IN_USE) return made;
    if (!isLeaving() || made.round !== round) return undefined;
    if (made.end === ENDING) return made; // its own `dispose` asks for it, or that of another value, which ends later
    throw lateError('get()');
  }
  /** @throws TypeError in a synchronous task for a promise */
  function checked(own: Made): Made {
    if (!own.isPending || !isComputing()) return own;
    throw new TypeError(
      'furcate: init of workerLocal() returned a promise, which a synchronous task cannot await. Make the task asynchronous, asyncForkable(...), or init synchronous.',
    );
  }
  /** A value that nobody else uses. @throws Error once values of this thread are being ended and none is left */
  function take(): Made {
    for (let own = free.pop(); own !== undefined; own = free.pop()) if (own.end === IN_USE) return own;
    if (isLeaving()) throw lateError('use()');
    return make();
  }
  return {
    get() {
      made = present() ?? make();
      return checked(made).value;
    },
    use<R>(fn: (value: unknown) => R): R {
      if (typeof fn !== 'function')
        throw new TypeError(
          `furcate: use(fn) of a workerLocal() takes a function, and calls it; it was given ${show(fn)}.`,
        );
      const own = take();
      const giveBack = (): void => void free.push(own);
      let result: R;
      try {
        result = fn(checked(own).value);
      } catch (error) {
        giveBack();
        throw error;
      }
      if (isPromise(result)) result.then(giveBack, giveBack);
      else giveBack();
      return result;
    },
  };
}

/** For `Made.round`: it has not ended with others. */
const NEVER = -1;

const lateError = (call: string): Error =>
  new Error(
    `furcate: ${call} of a workerLocal() whose value has ended: this thread is ending its values, the last one first. What dispose uses must be made before: call get() in init.`,
  );

const CALL = 'workerLocal(init, options)';
const OPTIONS = { dispose: ofType<(value: never) => unknown>('function') };

/** An error as the warning shows it. Its own `toString` may throw. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return show(error);
  }
}

/**
 * Ends the values of this thread, the last one first, since it may use the others. Never fails.
 *
 * @param graceMs for all together
 * @param isInUse asked between two of them: whether the others stay
 */
export async function endLocals(graceMs: number, isInUse = (): boolean => false): Promise<void> {
  let isOver = false;
  const ending = (): boolean => isOver || isInUse();
  if (endings.size === 0) round++;
  endings.add(ending);
  const all = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      try {
        await end();
      } catch (error) {
        host().warn(`furcate: dispose of a workerLocal() failed: ${textOf(error)}`);
      }
      if (ending()) return;
    }
  };
  await new Promise<void>((resolve) => {
    const stopTelling = after(SLOW_END_MS, () => {
      host().warn(
        `furcate: dispose of a workerLocal() has not ended for ${SLOW_END_MS} ms, and is still awaited. A pool waits for its graceMs at most, if it is given one; terminate() does not wait.`,
      );
    });
    const stop = after(graceMs, () => {
      isOver = true;
      host().warn(
        `furcate: dispose of a workerLocal() had not ended after ${graceMs} ms, and is not awaited any more.`,
      );
      stopTelling();
      resolve();
    });
    void all().then(() => {
      stop();
      stopTelling();
      resolve();
    });
  });
  endings.delete(ending);
}

/** How many executors run tasks on this thread, which is not a worker of theirs, and are not closed. */
let users = 0;

/**
 * An executor is going to run tasks on this thread.
 *
 * @returns to be called when the executor is closed: ends the values of this thread if that was the last one, and resolves when they have ended;
 *   each later call waits for the same. Without a grace the executor was ended by force: the values stay, and nothing is awaited
 */
export function useLocals(): (graceMs?: number) => Promise<void> {
  users++;
  let ended: Promise<void> | undefined;
  return async (graceMs) => {
    ended ??= leave(graceMs);
    if (graceMs !== undefined) await ended;
  };
}

async function leave(graceMs: number | undefined): Promise<void> {
  if (--users === 0 && graceMs !== undefined) await endLocals(graceMs, () => users > 0);
}
