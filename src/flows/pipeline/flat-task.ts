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
import { type Many, type Paused, type Steps, throwIfAborted } from './steps.js';
import { nextCall } from './watch.js';

/**
 * With some of what an item has become: how long that took; the number of the worker where the rest is to be had, and what has become of the
 * generator; whether it has failed after them.
 */
export type PartHead = [ms: number, worker: number, state: number, hasFailed: boolean];

const OVER = 0;
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
  state: typeof OVER | typeof PAUSED = OVER;
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

/** The items of one part. A generator runs to its end where it may not be paused. */
class Part {
  readonly #of: Making;
  readonly #startMs = host().nowMs();
  readonly #limit: number;
  /** Turns of the event loop bring requests to cancel. */
  readonly #turns = new TurnClock();
  readonly #values: Cargo;
  /** True once the task was cancelled. */
  isCancelled = false;

  constructor(of: Making, count: number, mayPause: boolean) {
    this.#of = of;
    this.#limit = mayPause ? count : Number.POSITIVE_INFINITY;
    this.#values = new Cargo(() => resultOf(of.steps));
  }

  /** Takes an item; returns whether that is enough. */
  isFullWith(value: unknown): boolean {
    this.#values.add(value, true);
    return this.#values.size >= this.#limit;
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

  paused(): Parcel {
    this.#of.state = PAUSED;
    const answer = this.#checked();
    this.#of.pause(); // last: the heap may be full
    return answer;
  }

  over(): Parcel {
    this.#of.state = OVER;
    return this.#checked();
  }

  /** @throws the error, unless there are items before it */
  failed(error: unknown): Parcel {
    this.#of.state = OVER;
    if (this.#values.size === 0) throw error;
    return this.#answer({ error });
  }

  #checked(): Parcel {
    this.#of.steps.checkWrites();
    return this.#answer();
  }

  #answer(failed?: { readonly error: unknown }): Parcel {
    return this.#values.answer([host().nowMs() - this.#startMs, residents.address(), this.#of.state], failed);
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

/** Takes up to `count` items from a generator, and pauses it. */
function* part(
  of: Making,
  scope: Scope | undefined,
  count: number,
  mayPause: boolean,
): Generator<unknown, Parcel, unknown> {
  const made = new Part(of, count, mayPause);
  const next = nextOf(of);
  try {
    for (;;) {
      const { done, value } = (yield next()) as IteratorResult<unknown>;
      if (done === true) return made.over();
      if (scope !== undefined) made.checkCancelled(scope);
      if (made.isFullWith(value)) return made.paused();
      if (scope === undefined) made.checkCancelled(scope);
      else if (made.isTurnDue()) {
        yield turn();
        made.checkCancelled(scope);
      }
    }
  } catch (error) {
    const notClosed = yield* ended(of); // it goes on unless the error is its own
    return made.isCancelled && notClosed !== undefined ? notClosed : made.failed(error);
  }
}

/** Ends a generator. An answer that tells what it has thrown then, if it has. */
function* ended(of: Making): Generator<unknown, Parcel | undefined, unknown> {
  of.state = OVER;
  try {
    yield of.items.return();
    return undefined;
  } catch (error) {
    return nothing(NOT_CLOSED, { error });
  }
}

/** As `ended`, of one that is paused here. */
function* endedHere(of: Making): Generator<unknown, Parcel | undefined, unknown> {
  of.over = undefined;
  of.leave();
  return yield* ended(of);
}

const nothing = (state = OVER, failed?: { readonly error: unknown }): Parcel =>
  new Cargo(String).answer([0, 0, state], failed);

type FlatArguments = [
  job: number,
  at: number,
  length: number,
  isMarked: boolean,
  id: number,
  count: number,
  mayPause: boolean,
  staysOpen: boolean,
  graph?: number,
  call?: number,
];

/** Its argument `staysOpen`: whether it goes on until the generator is over, and reports the first part. */
export const flatTask = taskPair(
  'pipelineFlat',
  labelOf,
  function* (scope, ...[job, at, length, isMarked, id, count, mayPause, staysOpen, graph, call]: FlatArguments) {
    const steps = jobState<Steps>(job);
    const [value] = valuesAt([at, length, isMarked]);
    const watched = graph === undefined || call === undefined ? undefined : { graph, call };
    const of = new Making(id, steps, steps.many(value, scope), watched);
    const first = yield* part(of, scope, count, mayPause);
    if (scope === undefined || !staysOpen || of.state === OVER) return first;
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
      const notClosed = yield* endedHere(of);
      if (notClosed !== undefined) return notClosed;
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
  const { paused } = jobState<Steps>(job);
  const found = paused.get(id) as Making | undefined;
  if (found === undefined) return nothing(GONE); // with the thread that was here before
  paused.delete(id);
  try {
    if (count > 0) return yield* part(found, scope, count, true);
    tellBeginning(scope);
    return (yield* ended(found)) ?? nothing();
  } finally {
    if (found.state === OVER) found.leave();
  }
});
