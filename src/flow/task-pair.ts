/** Tasks in two forms: a synchronous one, for code that may fork, and an asynchronous one; on every thread. */
import { type AsyncForkable, builtin, builtinAsync, type Forkable, isPromise, type Scope } from '../core/engine.js';

export interface TaskPair<A extends unknown[], R> {
  readonly sync: Forkable<A, R>;
  readonly async: AsyncForkable<A, R>;
}

/** The body of a task: it gets no scope in the synchronous form, and may await what it yields. */
type Body<A extends unknown[], R> = (scope: Scope | undefined, ...args: A) => Generator<unknown, R, unknown>;

/** Makes both forms of a task from one body. @param label names what its job is, for who observes tasks */
export function taskPair<A extends [job: number, ...unknown[]], R>(
  name: string,
  label: (job: number) => string,
  body: Body<A, R>,
): TaskPair<A, R> {
  return {
    sync: builtin(name, (...args: A) => driven(body(undefined, ...args)) as R, { label }),
    async: builtinAsync(`${name}Async`, (scope: Scope, ...args: A) => driven(body(scope, ...args)), { label }) as never,
  };
}

/** Runs a body: at once to its end unless it yields a promise. */
function driven<R>(body: Generator<unknown, R, unknown>): R | Promise<R> {
  let next = body.next();
  while (next.done !== true) {
    if (isPromise(next.value)) return whenDriven(body, next.value);
    next = body.next(next.value);
  }
  return next.value;
}

async function whenDriven<R>(body: Generator<unknown, R, unknown>, pending: PromiseLike<unknown>): Promise<R> {
  let given: unknown = pending;
  for (;;) {
    let next: IteratorResult<unknown, R>;
    try {
      next = body.next(isPromise(given) ? await given : given);
    } catch (error) {
      next = body.throw(error); // throws what the body has thrown, if it was the body
    }
    if (next.done === true) return next.value;
    given = next.value;
  }
}
