/**
 * One value for each thread, made on first use, such as a scratch buffer or a connection. Runs on every thread. How it ends: local-ends.ts.
 *
 * A `workerLocal` is an instance of a class of the library, so it may stand in a `context`: its functions travel as those of a context do, and each
 * thread finds its values by `id`.
 */
import { builtinClass, excerptOf } from '../code/registry.js';
import { show } from '../errors.js';
import { ofType, readOptions } from '../options.js';
import { host } from '../platform/host.js';
import { isPromise } from '../task/slow-paths.js';
import type { NotAPromise } from '../task/synchronous.js';
import { ends, isLeaving, roundOfEnds } from './local-ends.js';
import { isChecked, isComputing } from './place.js';
import { type Running, thread } from './worker-slot.js';

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

/** Options for the values of a `workerLocal`. */
export interface WorkerLocalOptions<T> {
  /**
   * Ends a value, on its thread, when a worker retires after `keepAliveMs`, when its pool is closed, and when a spare leaves. What it returns is
   * awaited, for the `graceMs` of the pool at most: without one, as long as it takes, and so is `close()`. A warning says when that is 10 seconds;
   * `terminate()` ends it. It does not run after a crash or `terminate()`. An error becomes a warning. The last value made ends first: `get()` in a
   * `dispose` gives that value itself, and those made before it, and throws for those that have ended.
   */
  readonly dispose?: ((value: T) => unknown) | undefined;
  /**
   * Tasks that interrupt each other may share what `get` gives, such as a dictionary or a connection: a `checked` pool does not warn of it. Default false.
   */
  readonly reentrant?: boolean | undefined;
}

const IN_USE = 0;
const ENDING = 1;
const ENDED = 2;

/** A value, and whether it is in use. */
interface Made {
  value: unknown;
  /** Round in which it was ended (`roundOfEnds`). */
  round: number;
  readonly isPending: boolean;
  end: typeof IN_USE | typeof ENDING | typeof ENDED;
}

/** For `Made.round`: it has not ended with others. */
const NEVER = -1;

/** The values of a `workerLocal` on this thread. */
interface LocalValues {
  /** The value of `get`. */
  made: Made | undefined;
  /** Values that were lent, and given back. */
  readonly free: Made[];
  /** The tasks that have got the value, in a checked pool; undefined once a warning was given, or if they may share it. */
  holders: WeakSet<Running> | undefined;
}

/** By the `id` of the `workerLocal`. Values live as long as their thread. */
let all = new Map<string, LocalValues>();

/** The values of a thread that this thread simulates. */
export class LocalsOfThread {
  readonly #values: typeof all = new Map();

  /** Runs something on that thread. */
  during<T>(body: () => T): T {
    const outer = all;
    all = this.#values;
    try {
      return body();
    } finally {
      all = outer;
    }
  }
}

/** Its fields travel. */
class Local implements WorkerLocal<unknown> {
  readonly id: string;
  readonly init: () => unknown;
  readonly dispose: ((value: never) => unknown) | undefined;
  readonly reentrant: boolean;

  constructor(id: string, init: () => unknown, { dispose, reentrant = false }: WorkerLocalOptions<never>) {
    this.id = id;
    this.init = init;
    this.dispose = dispose;
    this.reentrant = reentrant;
  }

  get(): unknown {
    const values = valuesOf(this);
    if (isChecked()) findReentry(this, values);
    values.made = present(values) ?? make(this);
    return checked(values.made).value;
  }

  use<R>(fn: (value: unknown) => R): R {
    if (typeof fn !== 'function')
      throw new TypeError(
        `furcate: use(fn) of a workerLocal() takes a function, and calls it; it was given ${show(fn)}.`,
      );
    const { free } = valuesOf(this);
    const own = take(free) ?? make(this);
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
  }
}

builtinClass('WorkerLocal', Local);

function valuesOf({ id, reentrant }: Local): LocalValues {
  let values = all.get(id);
  if (values === undefined) {
    values = { made: undefined, free: [], holders: reentrant ? undefined : new WeakSet() };
    all.set(id, values);
  }
  return values;
}

function make({ init, dispose }: Local): Made {
  const value = init();
  const own: Made = { value, isPending: isPromise(value), end: IN_USE, round: 0 };
  const end = async (): Promise<void> => {
    own.end = ENDING;
    own.round = roundOfEnds();
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
function present({ made }: LocalValues): Made | undefined {
  if (made === undefined || made.end === IN_USE) return made;
  if (!isLeaving() || made.round !== roundOfEnds()) return undefined;
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

/** A value that was given back. @throws Error once values of this thread are being ended and none is left */
function take(free: Made[]): Made | undefined {
  for (let own = free.pop(); own !== undefined; own = free.pop()) if (own.end === IN_USE) return own;
  if (isLeaving()) throw lateError('use()');
  return undefined;
}

/** The task that runs gets the value: warns if a task that it has interrupted has got it, too. */
function findReentry({ init }: Local, values: LocalValues): void {
  const { running } = thread;
  const { holders } = values;
  if (running === undefined || holders === undefined) return;
  for (let below = running.below; below !== undefined; below = below.below) {
    if (!holders.has(below)) continue;
    values.holders = undefined;
    host().warn(
      `furcate: checked: workerLocal(${excerptOf(init)}): get() gave a task the value of another task of its thread, which waits in a join. Lend it, use((value) => ...), or isolate(...), if a task keeps something in it across a join. If tasks may share it: workerLocal(init, { reentrant: true }).`,
    );
    return;
  }
  holders.add(running);
}

/**
 * Makes a value that every worker (and every other thread) has one of, made there by `init` on first use and kept while the
 * thread lives. Declare it at the top level of a module that tasks import.
 *
 * While a task waits in a join, its thread may run other tasks, which get the same value. So what a task keeps in a scratch buffer of `get()` is its own
 * up to its next fork or join, and not beyond. `use(fn)` lends a value for as long as `fn` runs, whatever it forks, joins or awaits. Code that
 * cannot be interrupted so at all is for `isolate`. A `checked` pool warns, once for each thread, when a task gets the value that a task below it has got and
 * may still use.
 *
 * It may stand in the `context` of an algorithm: then `init` and `dispose` travel as functions of a context do, and each thread has one value of it, in this
 * call and in later ones.
 *
 * `init` may return a promise: then `get()` gives that promise, and tasks that wait can use it. If it rejects, the next `get()` calls `init`
 * again.
 *
 * @param init makes the value
 * @param options `dispose(value)` ends it; `reentrant` says that tasks may share it
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
  return new Local(`${REALM}.${++count}`, init, readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` }));
}

/** Tells the `workerLocal`s of this realm from those of others. */
const REALM = Math.random().toString(36).slice(2);
let count = 0;

const lateError = (call: string): Error =>
  new Error(
    `furcate: ${call} of a workerLocal() whose value has ended: a thread ends its last value first. What dispose uses must be made before: call get() in init.`,
  );

const CALL = 'workerLocal(init, options)';
const OPTIONS = {
  dispose: ofType<(value: never) => unknown>('function'),
  reentrant: ofType<boolean>('boolean'),
};
