/** The functions of stages that run as one task: what is called for an item, and what becomes of it; runs on workers. */
import { type CallSignal, cloned, cloneOfValue, host, isPromise, type Scope } from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { isPrimitive, ownCopy, Returned } from '../../flow/returned.js';
import { Step, type StepKind, type StepPlan } from './step.js';

/** The functions that run as one task. */
export interface StepsPlan {
  readonly steps: readonly StepPlan[];
  /** All code in it, where a job looks for it. */
  readonly code: { readonly codes: readonly number[] };
  /** True if they run in synchronous tasks, because they may fork. Then they must not return promises. */
  readonly isSynchronous: boolean;
  /** True if the first one gets the index of an item after the item. */
  readonly isIndexed: boolean;
}

/** Range of the steps that are made. */
interface StepRange {
  readonly from?: number;
  readonly to?: number;
  /** Index that the first step gets beside the item. */
  readonly index?: number | undefined;
}

const isIterable = (value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

/** Rules by which a visit hands over what it adds before it ends. */
export interface Feeding {
  /** For so long after its begin it does not (milliseconds). Infinity: not at all. */
  readonly holdMs: number;
  send(items: readonly unknown[]): void;
}

/** Name for error messages of an item that a visit adds. */
export const whatAdds = (called: string): string => `what ${called} adds to its feed`;

/** Takes what a visit adds. */
class ExpandFeed {
  readonly #feeding: Feeding;
  readonly #called: string;
  readonly #sendMs: number;
  #held: unknown[] = [];
  #isOver = false;

  constructor(feeding: Feeding, called: string) {
    this.#feeding = feeding;
    this.#called = called;
    this.#sendMs = host().nowMs() + feeding.holdMs;
  }

  /** @throws Error once the visit has ended */
  add(...items: readonly unknown[]): void {
    if (this.#isOver)
      throw new Error(
        `furcate: feed.add() after the visit has ended; of ${this.#called}. Await all that adds before the visit returns.`,
      );
    if (this.#held.length + items.length === 0) return;
    if (host().nowMs() < this.#sendMs) {
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

/** A generator that is paused on this thread. */
export interface Paused {
  /** Ends it: nobody is going to go on with it. Never throws. */
  abandon(): void;
}

/** Functions that run as one task, as one thread has them. */
export class Steps {
  readonly plan: StepsPlan;
  readonly #steps: readonly Step[];
  /** The stages, as a profile calls them. */
  readonly called: string;
  /** Generators that are paused on this thread, by their numbers in the stage. */
  readonly paused = new Map<number, Paused>();

  constructor(plan: StepsPlan) {
    this.plan = plan;
    this.#steps = plan.steps.map((step) => new Step(step, plan.isSynchronous));
    this.called = plan.steps.map(({ stage }) => stage).join(', ');
  }

  /** Applies steps that make one item of an item, or none. Returns a promise only if a function has returned one. */
  one(
    value: unknown,
    scope: Scope | undefined,
    { from = 0, to = this.#steps.length, index }: StepRange = {},
  ): readonly unknown[] | Promise<readonly unknown[]> {
    let current = value;
    for (let k = from; k < to; k++) {
      const step = this.#steps[k] as Step;
      if (k > 0) current = step.given(current);
      const result = step.call(scope, k === 0 && index !== undefined ? [current, index] : [current]);
      if (isPromise(result)) return this.#afterwards(step, current, result as Promise<unknown>, scope, k, to);
      if (!goesOn(step, result)) return [];
      if (step.plan.kind === 'map') current = result;
    }
    return [current];
  }

  /** A promise of copies: whoever takes them comes later. */
  #afterwards(
    step: Step,
    value: unknown,
    pending: Promise<unknown>,
    scope: Scope | undefined,
    k: number,
    to: number,
  ): Promise<readonly unknown[]> {
    return pending.then((result) => {
      throwIfAborted(scope);
      if (!goesOn(step, result)) return [];
      const made = this.one(step.plan.kind === 'map' ? result : value, scope, { from: k + 1, to });
      return isPromise(made) ? made : made.map(ownCopy);
    });
  }

  /** The call has ended. A generator is still here if the heap had no room for word of it, or for the request to end it. */
  close(): void {
    for (const generator of this.paused.values()) generator.abandon();
  }

  /** Applies steps to an item, of which the last one is a `flatMap`. */
  many(value: unknown, scope: Scope | undefined): Many {
    const last = this.#steps.length - 1;
    return new Many(this.#steps[last] as Step, scope, () => this.one(value, scope, { to: last }));
  }

  /** The next state: of `scan` and `reduce`. */
  fold(state: unknown, value: unknown, scope: Scope | undefined): unknown {
    const step = this.#steps[0] as Step;
    return step.call(scope, [state, value]);
  }

  /** The result of `visit`, and what it has added and not sent, as a list; of `expand`. */
  visit(value: unknown, scope: Scope | undefined, feeding: Feeding): unknown[] | Promise<unknown[]> {
    const step = this.#steps[0] as Step;
    const feed = new ExpandFeed(feeding, step.plan.called);
    const ended = (result: unknown): unknown[] => [result, ...feed.end()];
    const result = step.call(scope, [value, feed]);
    return isPromise(result) ? (result as Promise<unknown>).then(ended) : ended(result);
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

/** Results of a step that keep an item. */
const KEEPS: Partial<Record<StepKind, boolean>> = { filter: true, find: true, some: true, every: false };

const goesOn = ({ plan: { kind } }: Step, result: unknown): boolean =>
  kind === 'map' || (KEEPS[kind] !== undefined && KEEPS[kind] === Boolean(result));

/** Copies of items that were all there. */
class OwnItems {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    this.#items = items;
  }

  values(): Iterator<unknown> {
    return this.#items.values();
  }
}

/** Copies items that are all there. Those that are made one by one stay, and those of which one cannot be cloned. */
function ownIfItems(items: unknown): unknown {
  const isArray = Array.isArray(items) && items[Symbol.iterator] === Array.prototype[Symbol.iterator];
  if (!isArray && !ArrayBuffer.isView(items)) return items;
  try {
    return new OwnItems(Array.from(items as unknown[], (item) => cloneOfValue(item, String)));
  } catch {
    return items;
  }
}

type ItemIterator = Iterator<unknown> | AsyncIterator<unknown>;

function iteratorOf({ plan: { called } }: Step, result: unknown, scope: Scope | undefined): ItemIterator {
  if (!isIterable(result))
    throw new TypeError(
      `furcate: ${called} must return an iterable, such as an array, or an asynchronous one; it returned ${show(result)}.`,
    );
  const isAsync = scope !== undefined && Symbol.asyncIterator in result;
  if (!isAsync && !(Symbol.iterator in result))
    throw new TypeError(
      `furcate: ${called} returned an asynchronous iterable, but it may fork, so it runs in a synchronous task. Use asyncForkable() for what awaits.`,
    );
  const iterator: unknown = isAsync ? result[Symbol.asyncIterator]() : (result as Iterable<unknown>)[Symbol.iterator]();
  if (typeof Object(iterator).next === 'function') return iterator as ItemIterator;
  throw new TypeError(
    `furcate: ${called} must return an iterable that gives an iterator, with a method next(); it gave ${show(iterator)}.`,
  );
}

/** The items that a value becomes. Begins when the first is asked for; what it gives may be promises where there is a scope. */
export class Many {
  readonly #step: Step;
  readonly #scope: Scope | undefined;
  /** Items that the steps before it make of the value. */
  readonly #before: () => readonly unknown[] | PromiseLike<readonly unknown[]>;
  #iterator: ItemIterator | undefined;
  readonly #yielded = new Returned(ownCopy);
  /** True if its items are copies already. */
  #areOwn = false;
  /** True if the iterator has failed by itself, so that nobody is to close it. */
  #isOver = false;

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
    const iterator = this.#iterator;
    if (iterator === undefined) return this.#begin();
    let next: unknown;
    try {
      next = this.#areOwn ? iterator.next() : this.#yielded.by(() => iterator.next());
    } catch (error) {
      return this.#fail(error);
    }
    return isPromise(next)
      ? Promise.resolve(next).then(
          (result) => this.#own(result),
          (error: unknown) => this.#fail(error),
        )
      : this.#own(next);
  }

  /**
   * Returns what the iterator has given, as `for...of` takes it, with a copy of the item before the generator changes it.
   */
  #own(result: unknown): unknown {
    if (Object(result) !== result) {
      this.#isOver = true;
      throw new TypeError(`furcate: the iterator of ${this.#step.plan.called} gave ${show(result)} for a result.`);
    }
    const given = result as IteratorResult<unknown>;
    if (given.done) return { done: true, value: undefined };
    return this.#areOwn ? given : this.#copied(given.value);
  }

  #copied(value: unknown): unknown {
    if (this.#scope !== undefined && isPromise(value)) return Promise.resolve(value).then((item) => this.#copied(item));
    if (isPrimitive(value)) return { done: false, value };
    const copy = this.#yielded.copyOf(value);
    return {
      done: false,
      value: copy === value ? cloneOfValue(value, () => `the result of ${this.#step.plan.called}`) : copy,
    };
  }

  #fail(error: unknown): never {
    this.#isOver = true;
    throw this.#step.explained(error);
  }

  #begin(): unknown {
    const made = this.#before();
    return isPromise(made) ? made.then((some) => this.#of(some as readonly unknown[])) : this.#of(made);
  }

  #of(made: readonly unknown[]): unknown {
    if (made.length === 0) return { done: true, value: undefined };
    const result = this.#step.call(this.#scope, [ownCopy(made[0])], ownIfItems); // the item: it may be paused
    if (!isPromise(result)) return this.#from(ownIfItems(result));
    return (result as Promise<unknown>).then((items) => {
      throwIfAborted(this.#scope);
      return this.#from(items);
    });
  }

  #from(result: unknown): unknown {
    this.#areOwn = result instanceof OwnItems;
    this.#iterator = result instanceof OwnItems ? result.values() : iteratorOf(this.#step, result, this.#scope);
    return this.next();
  }

  /** Ends it. Undefined, or a promise. @throws what the generator throws then, explained, as the promise does */
  return(): unknown {
    if (this.#isOver) return undefined;
    const failed = (error: unknown): never => {
      throw this.#step.explained(error);
    };
    let ended: unknown;
    try {
      ended = this.#iterator?.return?.();
    } catch (error) {
      failed(error);
    }
    return isPromise(ended) ? Promise.resolve(ended).catch(failed) : undefined;
  }
}
