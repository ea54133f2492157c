/** Tasks in flight; on the calling thread. */
import { CallSignal, isPromise } from '../core/engine.js';
import type { Horizon, Rank } from './order.js';

/** A task in flight. */
interface TaskInFlight {
  readonly rank: Rank;
  readonly signal: CallSignal;
}

/** Callbacks for the end of a task. If `done` throws, the task has failed with that error. */
export interface TaskEnds<A> {
  done(answer: A): void;
  failed(error: unknown): void;
}

/** The tasks of a stage that are in flight, each for items from one rank on. */
export class TasksInFlight {
  readonly #horizon: Horizon;
  readonly #onEnd: () => void;
  readonly #flights = new Set<TaskInFlight>();

  /** @param onEnd called when one has ended, and what it has led to is done */
  constructor(horizon: Horizon, onEnd: () => void) {
    this.#horizon = horizon;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#flights.size;
  }

  /** @param begin starts the task; what it throws, the task has failed with */
  start<A>(rank: Rank, begin: (signal: CallSignal) => A | Promise<A>, ends: TaskEnds<A>): void {
    const flight = { rank, signal: new CallSignal() };
    this.#flights.add(flight);
    const ended = (act: () => void): void => {
      try {
        act();
      } catch (error) {
        ends.failed(error);
      }
      this.#flights.delete(flight);
      this.#onEnd();
    };
    let begun: A | Promise<A>;
    try {
      begun = begin(flight.signal);
    } catch (error) {
      ended(() => ends.failed(error));
      return;
    }
    const done = (answer: A): void => ended(() => ends.done(answer));
    if (isPromise(begun)) begun.then(done as never, (error: unknown) => ended(() => ends.failed(error)));
    else done(begun);
  }

  /** Cancels what is of no use any more. */
  prune(): void {
    for (const { rank, signal } of this.#flights) if (this.#horizon.isCut(rank)) signal.abort(this.#horizon.reason);
  }
}
