/** Options of calls that may run in a pool or in a scope; nothing of the core itself needs them. */
import { type Check, mustBe } from '../options.js';
import { type Executor, isExecutor } from './executor.js';

const given: Check<never> = (value) => value as never;

/** The options of calls that may run in a pool or in a scope. Those of the call itself are checked when it begins (`admit`). */
export const CALL_OPTIONS = {
  pool: mustBe<Executor>(isExecutor, 'a ForkJoinPool or SequentialExecutor'),
  scope: given,
  signal: given,
  timeoutMs: given,
  graceMs: given,
  priority: given,
  carry: given,
};
