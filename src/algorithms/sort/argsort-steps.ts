/**
 * The two forms of a call that needs several argsorts, one after the other: it gives a promise, or the value itself; runs on the
 * calling thread.
 */
import { beginCall, type Callee, explainRevoked, turn } from '../../core/engine.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import type { Checked } from '../call/options.js';
import { MERGE_SLICE_MS } from '../tuning.js';
import { orderBy } from './comparator.js';
import type { Argsort } from './item-order.js';
import { startArgsort } from './sort-job.js';

/**
 * Checks everything up to the first pause. Then it asks for argsorts, and gets the indices. A pause is a `yield` of nothing, between two pieces of
 * work on the calling thread, where the event loop may have a turn; what it gets back means nothing.
 */
export type ArgsortSteps<R> = Generator<Start<Uint32Array> | Later | undefined, R, Uint32Array>;

const NOTHING = new Uint32Array(0);

/** Another way to get indices that sort: on this thread, or by a promise. */
export class Later {
  readonly here: () => Uint32Array;
  readonly promise: () => Promise<Uint32Array>;

  constructor(here: () => Uint32Array, promise: () => Promise<Uint32Array>) {
    this.here = here;
    this.promise = promise;
  }
}

/** An algorithm whose calls are several argsorts, one after the other, in its two forms. */
export class SteppedAlgorithm<Args extends unknown[], R> {
  readonly #step: Algorithm<[start: Start<Uint32Array>, given?: unknown], Uint32Array>;
  readonly #stepsOf: (callee: Callee, ...args: Args) => ArgsortSteps<R>;

  /**
   * @param name of the promise form
   * @param stepsOf makes the steps of a call by its arguments
   */
  constructor(name: string, stepsOf: (callee: Callee, ...args: Args) => ArgsortSteps<R>) {
    this.#step = new Algorithm(name, (_, start) => start);
    this.#stepsOf = stepsOf;
  }

  /** The promise form. */
  promise(...args: Args): Promise<R> {
    const callee = this.#step.callees.promise;
    const check = (): unknown => this.#stepsOf(callee, ...args).next();
    return beginCall(callee.name, args, {}, () => this.#run(callee, args), check).promise;
  }

  async #run(callee: Callee, args: Args): Promise<R> {
    const steps = this.#stepsOf(callee, ...args);
    let step = steps.next();
    let untilMs = performance.now() + MERGE_SLICE_MS;
    while (step.done !== true) {
      const { value } = step;
      if (value !== undefined) {
        const order = value instanceof Later ? value.promise() : this.#step.promise(value, scopeIn(args));
        step = steps.next(await order);
      } else if (performance.now() > untilMs) {
        await turn();
        untilMs = performance.now() + MERGE_SLICE_MS;
        step = steps.next(NOTHING);
      } else step = steps.next(NOTHING);
    }
    return step.value;
  }

  /** The Sync form. */
  sync(...args: Args): R {
    const { sync } = this.#step.callees;
    try {
      return this.#runHere(this.#stepsOf(sync, ...args));
    } catch (error) {
      throw explainRevoked(error, sync.name, args);
    }
  }

  #runHere(steps: ArgsortSteps<R>): R {
    let step = steps.next();
    while (step.done !== true) {
      const { value } = step;
      if (value === undefined) step = steps.next(NOTHING);
      else step = steps.next(value instanceof Later ? value.here() : this.#step.sync(value));
    }
    return step.value;
  }
}

/** Of the options of a call, what a step of it needs: the call itself has its permits. */
const scopeIn = (args: readonly unknown[]): object => ({ scope: Object(args[args.length - 1]).scope });

/** The argsorts that are asked for to order items of a call. They report the progress of the call, but not its end. */
export function* argsorts(callee: Callee, options: Checked, length: number, asked: Argsort): ArgsortSteps<Uint32Array> {
  const ordering = orderBy(callee, withoutEnd(options, length));
  let step = asked.next();
  for (;;) {
    options.call.checkAgain(); // it may have been aborted between two steps, or by a function of the user's
    if (step.done === true) return step.value;
    const keys = step.value;
    step = asked.next(yield keys && (() => startArgsort(keys, ordering)));
  }
}

/** Options for the steps of a call: they report progress in the elements of the call, which only grows, but not its end. */
function withoutEnd(options: Checked, length: number): Checked {
  const { onProgress } = options.call;
  if (onProgress === undefined) return options;
  let latest = 0;
  const report = (done: number, total: number): void => {
    if (total !== length || done <= latest || done === total) return; // steps for what is still tied have fewer
    latest = done;
    onProgress(done, total);
  };
  return { ...options, call: options.call.with({ onProgress: report }) };
}
