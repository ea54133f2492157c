/** The options of calls, and their checks; runs on the thread that calls. */
import { type Check, mustBe } from '../options.js';
import type { Scope } from '../task/async-task.js';
import { type Executor, isExecutor } from './executor.js';
import { checkSignal, type InvokeOptions, PROMISE_ONLY, type SubmitOptions } from './options.js';

/** `parallelFor` returns a promise, `parallelForSync` the result itself. */
type Form = 'promise' | 'sync';

/** The public function that a user has called. */
export interface Callee {
  readonly form: Form;
  /** Name for error messages. */
  readonly name: string;
  /** The names of both forms, for cures. */
  readonly names: Readonly<Record<Form, string>>;
}

/** Options that say how a call runs. */
export interface CallOptions extends Omit<InvokeOptions, 'onReport' | 'limit' | 'transfer'> {
  /** The pool to run in; the common pool by default. */
  readonly pool?: Executor | undefined;
  /** In an asynchronous task: its scope. The call runs in the task's pool, as a fork of the task. */
  readonly scope?: Scope | undefined;
  /**
   * Called now and then, and at the end, with the number of elements that are done. If it throws, the call is cancelled, and fails with what it
   * threw.
   */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Options of a call that were checked. */
export type AdmittedOptions = CallOptions & Omit<SubmitOptions, 'onReport' | 'limit'>;

const given: Check<never> = (value) => value as never;

/** The options of calls that may run in a pool or in a scope. Those of the call itself are checked when it is admitted (`Call.admit`). */
export const CALL_OPTIONS = {
  pool: mustBe<Executor>(isExecutor, 'a ForkJoinPool or SequentialExecutor'),
  scope: given,
  signal: given,
  timeoutMs: given,
  graceMs: given,
  priority: given,
  carry: given,
};

/** The options of a call: what it was given, or the last of its arguments, which may be a list. @throws TypeError for revoked proxies */
export function lastOptions(given: unknown): unknown {
  let options = given;
  while (Array.isArray(options)) options = options[options.length - 1];
  return options;
}

const CALL_LIMITS = ['timeoutMs', 'graceMs', 'priority', 'carry', 'limit'] as const;

/** Checks the signal, the time limits and the priority of a call, which may be of any type. */
export function checkCall(given: Omit<InvokeOptions, 'onReport' | 'transfer'>, { name, form, names }: Callee): void {
  if (given.signal !== undefined) checkSignal(given.signal, `${name}: options.signal`);
  for (const option of CALL_LIMITS) {
    if (given[option] === undefined) continue;
    if (form === 'promise') PROMISE_ONLY[option](given[option], `${name}: options.${option}`);
    else {
      throw new TypeError(
        `furcate: ${name}: options.${option} is of no use to a call that blocks. Use await ${names.promise}() for it.`,
      );
    }
  }
}
