/** The function of a stage, as one thread calls it, and the stage in its errors; runs on every thread. */
import {
  compiled,
  endPiece,
  explainThrown,
  isChecked,
  openContext,
  type Scope,
  type ShippedContext,
  type ShippedFunction,
} from '../../core/engine.js';
import { Calling } from '../../flow/calling.js';
import { ownCopy, Returned } from '../../flow/returned.js';

/** Methods of a pipeline that call a function on workers. */
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
  /** True if it is an `asyncForkable`, which gets the scope first. */
  readonly takesScope: boolean;
  /** Name for error messages: `fn of map(), stage 2 of the pipeline`. */
  readonly called: string;
  /** Value of `stage` in errors that it throws: `map(), stage 2 of the pipeline`. */
  readonly stage: string;
}

type StepFunction = (...args: unknown[]) => unknown;

/** A step as one thread has it. */
export class Step {
  readonly plan: StepPlan;
  readonly #fn: StepFunction;
  readonly #calling: Calling;
  /** Last argument of the function, if there is a context. */
  readonly #given: readonly unknown[];
  #hasRun = false;

  constructor(plan: StepPlan, isSynchronous: boolean) {
    this.plan = plan;
    this.#fn = compiled(plan.fn) as StepFunction;
    this.#calling = new Calling(plan.called, isSynchronous);
    this.#given = plan.context === undefined ? [] : [openContext(plan.context)];
  }

  /**
   * Calls the function.
   *
   * @param copy makes of a result that was promised what is to stay of it, before the thread writes to it again
   * @returns a promise of what `copy` gives, if the function has returned a promise
   * @throws what it throws, explained, as the promise does
   */
  call(scope: Scope | undefined, args: readonly unknown[], copy: (result: unknown) => unknown = ownCopy): unknown {
    try {
      const calling = this.#calling;
      const returned = calling.mayWait ? new Returned(copy) : undefined;
      const made = returned === undefined ? this.#invoke(scope, args) : returned.by(() => this.#invoke(scope, args));
      if (!calling.waits(made)) return made;
      return Promise.resolve(made).then(
        (result) => (returned === undefined ? copy(result) : returned.copyOf(result)),
        this.#fail,
      );
    } catch (error) {
      return this.#fail(error);
    }
  }

  #invoke(scope: Scope | undefined, args: readonly unknown[]): unknown {
    const [fn, given] = [this.#fn, this.#given];
    if (this.plan.takesScope) return fn(scope, ...args, ...given);
    return args.length + given.length === 1 ? fn(args[0]) : fn(...args, ...given); // to spread arguments takes as long as many a function
  }

  /** Returns what the function is to be given of what one before it has returned: a copy, if it may wait meanwhile. */
  given(value: unknown): unknown {
    return this.#calling.mayWait ? ownCopy(value) : value;
  }

  readonly #fail = (error: unknown): never => {
    throw this.explained(error);
  };

  explained(error: unknown): unknown {
    return withStage(explainThrown(error, this.plan.called, this.plan.context), this.plan.stage);
  }

  /** @throws TypeError for a function that has written to its context */
  checkWrites(): void {
    const { context, called } = this.plan;
    endPiece(context, called, !this.#hasRun || isChecked());
    this.#hasRun = true;
  }
}

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
