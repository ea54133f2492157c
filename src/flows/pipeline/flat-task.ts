/**
 * The tasks of `flatMap`, which take some items of a generator and pause it; runs on every thread that computes.
 *
 * A paused generator lies in a table of its thread, and a task for that thread goes on with it. What the end of the call leaves there is ended when the
 * thread is idle. Two things end with a task, and so with a pause:
 *
 * - the frame of a synchronous task. What a generator forks it joins before it yields.
 * - the scope of an asynchronous one. So a task whose function has a scope stays open until its generator is over. It reports its first part,
 *   others go on with the generator, and the task waits for them.
 */
import {
  host,
  isPromise,
  jobState,
  loopCheckpoint,
  observerHere,
  type Parcel,
  report,
  residents,
  type Scope,
  turn,
} from '../../core/engine.js';
import { Cargo, valuesAt } from '../../flow/cargo.js';
import { taskPair } from '../../flow/task-pair.js';
import { TurnClock } from '../../flow/turn-clock.js';
import { labelOf, resultOf } from './calls-task.js';
import { MAX_ITEMS, TASK_MS } from './pace.js';
import { type Many, type Paused, type Steps, throwIfAborted } from './steps.js';
import { nextCall } from './watch.js';

/**
 * Of items that went together, with some of what those have become that were begun: how long that took; the number of the worker where the rest is to be had;
 * whether a function has given a promise; for each, how many items it has become now, and what has become of its generator; whether the last one has failed after
 * them.
 */
export type PartHead = [
  ms: number,
  worker: number,
  isAsync: boolean,
  counts: readonly number[],
  states: readonly number[],
  hasFailed: boolean,
];

export const OVER = 0;
export const PAUSED = 1;
/** The generator is gone, with the worker that it was on. */
export const GONE = 2;
/** It was ended, because nobody needs its items, and has thrown then: the task has failed with that. */
export const NOT_CLOSED = 3;

/** A call that makes items on this thread. */
class Making implements Paused {
  /** Names it among those of its stage. */
  readonly id: number;
  readonly steps: Steps;
  readonly items: Many;
  /** While somebody observes the run: its number, and that of the latest call. */
  readonly watched: { readonly graph: number; call: number } | undefined;
  state: typeof OVER | typeof PAUSED | typeof NOT_CLOSED = OVER;
  /** Called when it is over, if a task waits for that. */
  over: (() => void) | undefined;
  /** True once it has been paused, so that it belongs to this thread. */
  #isResident = false;

  constructor(id: number, steps: Steps, items: Many, watched: Making['watched']) {
    this.id = id;
    this.steps = steps;
    this.items = items;
    this.watched = watched;
  }

  pause(): void {
    this.steps.paused.set(this.id, this);
    if (!this.#isResident) residents.moveIn();
    this.#isResident = true;
  }

  /** It is over: nothing of it is left on this thread. */
  leave(): void {
    this.steps.paused.delete(this.id);
    if (this.#isResident) residents.moveOut();
    this.#isResident = false;
    this.over?.();
  }

  abandon(): void {
    this.state = OVER;
    const left = (): void => this.leave();
    try {
      const ended = this.items.return();
      if (isPromise(ended)) ended.then(left, left);
      else left();
    } catch {
      left(); // the run has failed already
    }
  }
}

/** Items that one task takes from generators, one after the other. A generator runs to its end where it may not be paused. */
class Part {
  readonly #steps: Steps;
  readonly #startMs = host().nowMs();
  readonly #limit: number;
  /** Turns of the event loop bring requests to cancel. */
  readonly #turns = new TurnClock();
  readonly #values: Cargo;
  readonly #makings: Making[] = [];
  /** Number of items that each has made. */
  readonly #counts: number[] = [];
  isAsync = false;
  /** True once the task was cancelled. */
  isCancelled = false;

  constructor(steps: Steps, count: number, mayPause: boolean) {
    this.#steps = steps;
    this.#limit = mayPause ? count : Number.POSITIVE_INFINITY;
    this.#values = new Cargo(() => resultOf(steps));
  }

  /** The next items are those of this one. */
  begin(of: Making): void {
    this.#makings.push(of);
    this.#counts.push(0);
  }

  /** Takes an item; returns whether that is enough of this generator. */
  isFullWith(value: unknown): boolean {
    this.#values.add(value, true);
    const last = this.#counts.length - 1;
    this.#counts[last] = (this.#counts[last] as number) + 1;
    return (this.#counts[last] as number) >= this.#limit;
  }

  /** True if the items that went together, and were not begun, should wait. */
  get isEnough(): boolean {
    return this.#values.size >= MAX_ITEMS || host().nowMs() - this.#startMs >= TASK_MS;
  }

  /** Checks whether the event loop is due. */
  isTurnDue(): boolean {
    const { isDue } = this.#turns;
    if (isDue) this.#turns.restart();
    return isDue;
  }

  /** @throws the reason, once the task is cancelled */
  checkCancelled(scope: Scope | undefined): void {
    this.isCancelled = true;
    if (scope === undefined) loopCheckpoint();
    else throwIfAborted(scope);
    this.isCancelled = false;
  }

  get paused(): readonly Making[] {
    return this.#makings.filter(({ state }) => state === PAUSED);
  }

  /** @throws what the functions have written that they should not, in a checked pool */
  answer(): Parcel {
    this.#steps.checkWrites();
    return this.#packed();
  }

  /** @throws the error, unless there is something before it */
  failed(error: unknown): Parcel {
    if (this.#values.size === 0 && this.#makings.length === 1 && this.#makings[0]?.state === OVER) throw error;
    return this.#packed({ error });
  }

  #packed(failed?: { readonly error: unknown }): Parcel {
    const states = this.#makings.map(({ state }) => state);
    const head = [host().nowMs() - this.#startMs, residents.address(), this.isAsync, this.#counts, states];
    const answer = this.#values.answer(head, failed);
    for (const of of this.paused) of.pause(); // last: the heap may be full
    return answer;
  }
}

/** Gives the next item of a generator, or a promise of it; an observer is told of each as of a call. */
function nextOf({ items, steps, watched }: Making): () => unknown {
  const observer = watched && observerHere();
  if (watched === undefined || observer === undefined) return () => items.next();
  const run = { job: watched.graph, spec: { name: 'pipeline' } };
  return () => {
    watched.call = nextCall(watched.call);
    return observer.node(run, watched.call, steps.called, () => items.next());
  };
}

/** Takes items from a generator until it is over, or is to be paused. Its failure, or what it has thrown when it was ended. */
function* take(
  of: Making,
  made: Part,
  scope: Scope | undefined,
): Generator<unknown, { readonly error: unknown } | undefined, unknown> {
  made.begin(of);
  const next = nextOf(of);
  try {
    for (;;) {
      const given = next();
      if (isPromise(given)) made.isAsync = true;
      const { done, value } = (yield given) as IteratorResult<unknown>;
      if (done === true) {
        of.state = OVER;
        return undefined;
      }
      if (scope !== undefined) made.checkCancelled(scope);
      if (made.isFullWith(value)) {
        of.state = PAUSED;
        return undefined;
      }
      if (scope === undefined) made.checkCancelled(scope);
      else if (made.isTurnDue()) {
        yield turn();
        made.checkCancelled(scope);
      }
    }
  } catch (error) {
    const notClosed = yield* ended(of); // it goes on unless the error is its own
    if (!made.isCancelled || notClosed === undefined) return { error };
    of.state = NOT_CLOSED;
    return notClosed;
  }
}

/** Takes up to so many items from each generator, as long as there is time, and pauses those that have more. */
function* part(makings: Iterable<Making>, made: Part, scope: Scope | undefined): Generator<unknown, Parcel, unknown> {
  let failed: { readonly error: unknown } | undefined;
  for (const of of makings) {
    failed = yield* take(of, made, scope);
    if (failed !== undefined || made.isEnough) break;
  }
  try {
    return failed === undefined ? made.answer() : made.failed(failed.error);
  } catch (error) {
    for (const of of made.paused) yield* ended(of);
    return made.failed(error);
  }
}

/** Ends a generator. What it has thrown then, if it has. */
function* ended(of: Making): Generator<unknown, { readonly error: unknown } | undefined, unknown> {
  of.state = OVER;
  try {
    yield of.items.return();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** As `ended`, of one that is paused here: an answer that tells what it has thrown, if it has. */
function* endedHere(of: Making): Generator<unknown, Parcel | undefined, unknown> {
  of.over = undefined;
  of.leave();
  return notClosed(yield* ended(of));
}

const notClosed = (failed: { readonly error: unknown } | undefined): Parcel | undefined =>
  failed && nothing(NOT_CLOSED, failed);

const nothing = (state = OVER, failed?: { readonly error: unknown }): Parcel =>
  new Cargo(String).answer([0, 0, false, [0], [state]], failed);

type FlatArguments = [
  job: number,
  at: number,
  length: number,
  isMarked: boolean,
  firstId: number,
  count: number,
  mayPause: boolean,
  staysOpen: boolean,
  graph?: number,
  calls?: readonly (number | undefined)[],
];

/** Its argument `staysOpen`: whether it goes on until the generator is over, of a single item, and reports the first part. */
export const flatTask = taskPair(
  'pipelineFlat',
  labelOf,
  function* (scope, ...[job, at, length, isMarked, firstId, count, mayPause, staysOpen, graph, calls]: FlatArguments) {
    const steps = jobState<Steps>(job);
    const makings = valuesAt([at, length, isMarked]).map((value, k) => {
      const call = calls?.[k];
      const watched = graph === undefined || call === undefined ? undefined : { graph, call };
      return new Making(firstId + k, steps, steps.many(value, scope), watched);
    });
    const first = yield* part(makings, new Part(steps, count, mayPause), scope);
    const [of] = makings as [Making];
    if (scope === undefined || !staysOpen || of.state !== PAUSED) return first;
    const over = new Promise<void>((resolve) => {
      of.over = resolve;
      if (scope.signal.aborted) resolve();
      else scope.signal.addEventListener('abort', () => resolve());
    });
    try {
      scope.report(first);
    } catch (error) {
      yield* endedHere(of); // there was no room for it
      throw error;
    }
    yield over;
    if (scope.signal.aborted) {
      const answer = yield* endedHere(of);
      if (answer !== undefined) return answer;
      throwIfAborted(scope);
    }
    return nothing();
  },
);

residents.areLeftBy(flatTask.sync);

/** Reports that a generator begins to end, unless there is no room for that. */
function tellBeginning(scope: Scope | undefined): void {
  try {
    if (scope === undefined) report(true);
    else scope.report(true);
  } catch {
    // The run does not wait for it as long as it might.
  }
}

/** Goes on with a generator; ends it, if `count` is 0, and reports when it begins to. */
export const restTask = taskPair('pipelineRest', labelOf, function* (scope, job: number, id: number, count: number) {
  const steps = jobState<Steps>(job);
  const { paused } = steps;
  const found = paused.get(id) as Making | undefined;
  if (found === undefined) return nothing(GONE); // with the thread that was here before
  paused.delete(id);
  try {
    if (count > 0) return yield* part([found], new Part(steps, count, true), scope);
    tellBeginning(scope);
    return notClosed(yield* ended(found)) ?? nothing();
  } finally {
    if (found.state !== PAUSED) found.leave();
  }
});
