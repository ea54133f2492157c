/**
 * What the short paths of fork and join fall back on: filled in by the scheduler of this realm (core/worker).
 *
 * Tasks cannot import the scheduler, which imports them; and a call through a constant object costs nothing where it
 * is almost never made. The hottest ones are called through `.call`, which V8 does not inline for lack of a known
 * target: what it inlines of rare paths is missing where it counts (function tasks 49 ms, 40 ms so).
 */
/** A `ForkJoinTask`: its module imports this one. */
type Task = object;

export interface SlowPaths {
  /** Always undefined, which V8 cannot know: it does not inline what is called through `slow.never ?? f`. */
  never: undefined;
  /** The request word is set: feed thieves, see cancellation, or explain that there is no pool. */
  attend(): void;
  /** Joins a task that is not the newest private one of the running body. */
  joinTask(task: Task): unknown;
  joinHandle(handle: unknown): unknown;
  /** A body returned and left forks at `from` and above. */
  finish(from: number): void;
  /** A body threw: cancels what it forked and has not started, waits for the rest, empties its frame. */
  abandon(from: number): void;
  /** Takes a forked task back if nobody has started it. */
  unfork(task: Task): boolean;
  /** Brings the result of a forked task home if it is done already. */
  poll(task: Task): void;
  /** Throws where a task cannot be run: outside a pool. */
  requirePool(what: string): void;
  helpQuiesce(): void;
  /** The pool whose task this thread runs, if any. */
  currentPool(): { readonly name: string; readonly parallelism: number } | undefined;
  /** Published tasks that nobody has taken. */
  publicCount(): number;
}

const unset = (): never => {
  throw new Error('furcate: the scheduler is not loaded.');
};

export const slow: SlowPaths = {
  never: unset as unknown as undefined,
  attend: unset,
  joinTask: unset,
  joinHandle: unset,
  finish: unset,
  abandon: unset,
  unfork: unset,
  poll: unset,
  requirePool: unset,
  helpQuiesce: unset,
  currentPool: () => undefined,
  publicCount: () => 0,
};
slow.never = undefined; // changed once: a field that never changes is a constant to V8

/** Refuses the promise of an asynchronous body: nobody would wait for it. */
export function inspect(result: unknown, nameOf: () => string): void {
  if (typeof result !== 'object' || result === null || typeof (result as { then?: unknown }).then !== 'function')
    return;
  throw new TypeError(
    `furcate: ${nameOf()} returned a promise. Tasks are synchronous: return the value itself, and await before pool.invoke() or after it.`,
  );
}
