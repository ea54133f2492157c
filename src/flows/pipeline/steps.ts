/** The functions of stages that run as one task: what is called for an item, and what becomes of it; runs on workers. */
import {
  type CallSignal,
  checkContext,
  cloned,
  compiled,
  disown,
  explainThrown,
  isChecked,
  isPromise,
  openContext,
  type Scope,
  type ShippedContext,
  type ShippedFunction,
} from '../../core/engine.js';
import { show } from '../../core/errors.js';

export type StepKind =
  | 'map'
  | 'filter'
  | 'find'
  | 'some'
  | 'every'
  | 'flatMap'
  | 'forEach'
  | 'scan'
  | 'reduce'
  | 'expand';

/** A function of a stage, ready to travel. */
export interface StepPlan {
  readonly kind: StepKind;
  readonly fn: ShippedFunction;
  readonly context: ShippedContext | undefined;
  /** Whether it is an `asyncForkable`, which gets the scope first. */
  readonly takesScope: boolean;
  /** What errors call it: `fn of map(), stage 2 of the pipeline`. */
  readonly called: string;
  /** What errors that it throws have as their `stage`: `map(), stage 2 of the pipeline`. */
  readonly stage: string;
}

/** The functions that run as one task. */
export interface StepsPlan {
  readonly steps: readonly StepPlan[];
  /** All code in it, where a job looks for it. */
  readonly code: { readonly codes: readonly number[] };
  /** Whether they run in synchronous tasks, because they may fork. Then they must not return promises. */
  readonly isSynchronous: boolean;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** A step as one thread has it. */
class Step {
  readonly plan: StepPlan;
  readonly #isSynchronous: boolean;
  readonly #fn: AnyFunction;
  /** What the function gets as its last argument, if there is a context. */
  readonly #given: readonly unknown[];
  #hasRun = false;
  /** Whether the function may return a promise: it has done so on this thread, or was not called yet. */
  #mayWait: boolean | undefined;

  constructor(plan: StepPlan, isSynchronous: boolean) {
    this.plan = plan;
    this.#isSynchronous = isSynchronous;
    this.#fn = compiled(plan.fn) as AnyFunction;
    this.#given = plan.context === undefined ? [] : [openContext(plan.context)];
  }

  /** Calls the function. @throws what it throws, explained; what follows its promise by `after` rejects so, too */
  call(scope: Scope | undefined, ...args: readonly unknown[]): unknown {
    const { takesScope, called } = this.plan;
    let result: unknown;
    try {
      result = takesScope ? this.#fn(scope, ...args, ...this.#given) : this.#fn(...args, ...this.#given);
    } catch (error) {
      throw this.explained(error);
    }
    if (!isPromise(result)) {
      this.#mayWait ??= false;
      return result;
    }
    this.#mayWait = true;
    if (this.#isSynchronous) {
      disown(result);
      throw new TypeError(
        `furcate: ${called} returned a promise, but it may fork, so it runs in a synchronous task. Use asyncForkable() for what awaits.`,
      );
    }
    return result;
  }

  /**
   * Goes on with what the function has promised, before any other code that does not wait for this promise already. Other calls of the thread may
   * write to what it has returned, so `act` copies what is to stay.
   */
  after<R>(pending: PromiseLike<unknown>, act: (result: unknown) => R | PromiseLike<R>): Promise<R> {
    return Promise.resolve(pending).then(act, (error) => {
      throw this.explained(error);
    });
  }

  /** What the function is to be given of what one before it has returned: a copy, if it may wait meanwhile. */
  given(value: unknown): unknown {
    return this.#isSynchronous || this.#mayWait === false ? value : ownCopy(value);
  }

  explained(error: unknown): unknown {
    return withStage(explainThrown(error, this.plan.called, this.plan.context), this.plan.stage);
  }

  /** @throws TypeError for a function that has written to its context */
  checkWrites(): void {
    const { context, called } = this.plan;
    if (context === undefined) return;
    checkContext(context, called, !this.#hasRun || isChecked());
    this.#hasRun = true;
  }
}

/** A copy, before its thread writes to a value again. What cannot be cloned stays: it fails if it is to leave the thread. */
function ownCopy(value: unknown): unknown {
  try {
    return cloned([value], String)[0];
  } catch {
    return value;
  }
}

const isIterable = (value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

/**
 * Tells the stage in a property of an error of the user's, whose class and message stay. Those of the library name the stage in their message. A value that is no
 * error, or cannot be changed, or has such a property, stays as it is.
 */
export function withStage(error: unknown, stage: string): unknown {
  if (!(error instanceof Error) || error.message.startsWith('furcate: ') || 'stage' in error) return error;
  try {
    Object.assign(error, { stage });
  } catch {
    // It is frozen.
  }
  return error;
}

/** How a visit hands over what it adds before it ends. */
export interface Feeding {
  /** For so long after its begin it does not (milliseconds). Infinity: not at all. */
  readonly holdMs: number;
  send(items: readonly unknown[]): void;
}

/** What errors call an item that a visit adds. */
export const whatAdds = (called: string): string => `what ${called} adds to its feed`;

/** Takes what a visit adds. */
class Feed {
  readonly #feeding: Feeding;
  readonly #called: string;
  readonly #sendMs: number;
  #held: unknown[] = [];
  #isOver = false;

  constructor(feeding: Feeding, called: string) {
    this.#feeding = feeding;
    this.#called = called;
    this.#sendMs = performance.now() + feeding.holdMs;
  }

  /** @throws Error once the visit has ended */
  add(...items: readonly unknown[]): void {
    if (this.#isOver)
      throw new Error(
        `furcate: feed.add() after the visit has ended; of ${this.#called}. Await all that adds before the visit returns.`,
      );
    if (this.#held.length + items.length === 0) return;
    if (performance.now() < this.#sendMs) {
      this.#held = this.#held.concat(cloned(items, () => whatAdds(this.#called))); // before the visit changes them
      return;
    }
    this.#feeding.send([...this.#held, ...items]); // if an item cannot travel, those of earlier calls are still to be sent
    this.#held = [];
  }

  /** The visit has ended; returns what was not sent. */
  end(): readonly unknown[] {
    this.#isOver = true;
    return this.#held;
  }
}

/** Functions that run as one task, as one thread has them. */
export class Steps {
  readonly plan: StepsPlan;
  readonly #steps: readonly Step[];

  constructor(plan: StepsPlan) {
    this.plan = plan;
    this.#steps = plan.steps.map((step) => new Step(step, plan.isSynchronous));
  }

  /** What an item becomes by steps that make one item of it, or none. A promise only if a function has returned one. */
  one(
    value: unknown,
    scope: Scope | undefined,
    from = 0,
    to = this.#steps.length,
  ): readonly unknown[] | Promise<readonly unknown[]> {
    let current = value;
    for (let k = from; k < to; k++) {
      const step = this.#steps[k] as Step;
      if (k > 0) current = step.given(current);
      const result = step.call(scope, current);
      if (isPromise(result)) return this.#afterwards(step, current, result, scope, k, to);
      if (!goesOn(step, result)) return [];
      if (step.plan.kind === 'map') current = result;
    }
    return [current];
  }

  /** A promise of copies: whoever takes them comes later. */
  #afterwards(
    step: Step,
    value: unknown,
    pending: PromiseLike<unknown>,
    scope: Scope | undefined,
    k: number,
    to: number,
  ): Promise<readonly unknown[]> {
    return step.after(pending, (result) => {
      throwIfAborted(scope);
      if (!goesOn(step, result)) return [];
      const made = this.one(step.plan.kind === 'map' ? result : value, scope, k + 1, to);
      return isPromise(made) ? made : made.map(ownCopy);
    });
  }

  /** What an item becomes by steps of which the last one is a `flatMap`. */
  many(value: unknown, scope: Scope | undefined): Many {
    const last = this.#steps.length - 1;
    return new Many(this.#steps[last] as Step, scope, () => this.one(value, scope, 0, last));
  }

  /** The next state: of `scan` and `reduce`. */
  fold(state: unknown, value: unknown, scope: Scope | undefined): unknown {
    const step = this.#steps[0] as Step;
    const result = step.call(scope, state, value);
    return isPromise(result) ? step.after(result, ownCopy) : result;
  }

  /** The result of `visit`, and what it has added and not sent, as a list; of `expand`. */
  visit(value: unknown, scope: Scope | undefined, feeding: Feeding): unknown[] | Promise<unknown[]> {
    const step = this.#steps[0] as Step;
    const feed = new Feed(feeding, step.plan.called);
    const ended = (result: unknown): unknown[] => [result, ...feed.end()];
    const result = step.call(scope, value, feed);
    return isPromise(result) ? step.after(result, (own) => ended(ownCopy(own))) : ended(result);
  }

  checkWrites(): void {
    for (const step of this.#steps) step.checkWrites();
  }
}

/** Once a task is cancelled, no other function of it begins. */
export function throwIfAborted(scope: Scope | undefined): void {
  const signal = scope?.signal as CallSignal | undefined;
  if (signal?.aborted === true) throw signal.reason;
}

/** Which results of a step keep an item. */
const KEEPS: Partial<Record<StepKind, boolean>> = { filter: true, find: true, some: true, every: false };

const goesOn = ({ plan: { kind } }: Step, result: unknown): boolean =>
  kind === 'map' || (KEEPS[kind] !== undefined && KEEPS[kind] === Boolean(result));

/** Copies of items that are all there; undefined for those that are made one by one, and if one cannot be cloned. */
function ownItems(items: unknown): readonly unknown[] | undefined {
  const isArray = Array.isArray(items) && items[Symbol.iterator] === Array.prototype[Symbol.iterator];
  if (!isArray && !ArrayBuffer.isView(items)) return undefined;
  try {
    return Array.from(items as unknown[], (item) => cloned([item], String)[0]);
  } catch {
    return undefined;
  }
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

function iteratorOf({ plan: { called } }: Step, result: unknown, scope: Scope | undefined): AnyIterator {
  if (!isIterable(result))
    throw new TypeError(
      `furcate: ${called} must return an iterable, such as an array, or an asynchronous one; it returned ${show(result)}.`,
    );
  if (scope !== undefined && Symbol.asyncIterator in result) return result[Symbol.asyncIterator]();
  if (Symbol.iterator in result) return result[Symbol.iterator]();
  throw new TypeError(
    `furcate: ${called} returned an asynchronous iterable, but it may fork, so it runs in a synchronous task. Use asyncForkable() for what awaits.`,
  );
}

/** The items that a value becomes. Begins when the first is asked for; what it gives may be promises where there is a scope. */
export class Many {
  readonly #step: Step;
  readonly #scope: Scope | undefined;
  /** What the steps before it make of the value. */
  readonly #before: () => readonly unknown[] | PromiseLike<readonly unknown[]>;
  #iterator: AnyIterator | undefined;
  /** Whether its items are copies already. */
  #areOwn = false;

  constructor(
    step: Step,
    scope: Scope | undefined,
    before: () => readonly unknown[] | PromiseLike<readonly unknown[]>,
  ) {
    this.#step = step;
    this.#scope = scope;
    this.#before = before;
  }

  /** An `IteratorResult` with a copy of an item, or a promise of one. @throws NotShareableError */
  next(): unknown {
    if (this.#iterator === undefined) return this.#begin();
    let next: unknown;
    try {
      next = this.#iterator.next();
    } catch (error) {
      return this.#fail(error);
    }
    return isPromise(next)
      ? this.#step.after(next, (result) => this.#own(result as IteratorResult<unknown>))
      : this.#own(next as IteratorResult<unknown>);
  }

  /** Copies an item before the generator changes it. */
  #own({ done, value }: IteratorResult<unknown>): unknown {
    if (done === true || this.#areOwn) return { done, value };
    if (this.#scope !== undefined && isPromise(value))
      return Promise.resolve(value).then((item) => this.#own({ value: item }));
    return { done: false, value: cloned([value], () => `the result of ${this.#step.plan.called}`)[0] };
  }

  #fail(error: unknown): never {
    throw this.#step.explained(error);
  }

  #begin(): unknown {
    const made = this.#before();
    return isPromise(made) ? made.then((some) => this.#of(some as readonly unknown[])) : this.#of(made);
  }

  #of(made: readonly unknown[]): unknown {
    if (made.length === 0) return { done: true, value: undefined };
    const result = this.#step.call(this.#scope, ownCopy(made[0])); // it may be paused
    if (!isPromise(result)) return this.#from(result);
    return this.#step.after(result, (items) => {
      throwIfAborted(this.#scope);
      return this.#from(items);
    });
  }

  #from(result: unknown): unknown {
    const items = ownItems(result);
    this.#areOwn = items !== undefined;
    this.#iterator = items?.values() ?? iteratorOf(this.#step, result, this.#scope);
    return this.next();
  }

  /** Ends it. Undefined, or a promise. */
  return(): unknown {
    return this.#iterator?.return?.();
  }
}
