/**
 * The task of a reduction: a range of units, of which it gives parts away; runs on every thread that computes.
 */
import { jobKind, jobState } from '../../core/call/job.js';
import { builtin } from '../../core/code/registry.js';
import { type Fork, type Forkable, fork, join } from '../../core/task/function-task.js';
import { splitRange } from '../schedule/split.js';
import { countElements } from '../schedule/stages.js';
import type { ReduceSpec } from './reduce-folds.js';
import { openReduce, type ReduceState } from './reduce-job.js';

export const REDUCE = jobKind<ReduceSpec, ReduceState>('reduce', openReduce);

/**
 * What a task gives back: milliseconds spent on its blocks, by all threads together, then its partial results; of a task that
 * has all units, the result, since what forks cannot run on the caller.
 */
export type ReduceResult = [busyMs: number, ...values: unknown[]];

export const reduceTask: Forkable<[job: number, lo: number, hi: number], ReduceResult> = builtin(
  'reduce',
  (job: number, lo: number, hi: number): ReduceResult => {
    const state = jobState(REDUCE, job);
    const partials = state.partials(lo);
    let stolenMs = 0;
    const forkPart = (from: number, to: number): Fork<ReduceResult> => fork(reduceTask, job, from, to);
    const block = (from: number, to: number): number => {
      state.run(partials, from, to);
      countElements(job, state.elements(from, to));
      return to - from;
    };
    const busyMs = splitRange(lo, hi, state.grain, forkPart, block, (part, from, to) => {
      const [ms, ...values] = join(part);
      stolenMs += ms;
      state.append(partials, values, from, to);
    });
    const isWhole = lo === 0 && hi === state.units;
    return isWhole ? [busyMs + stolenMs, state.result(partials)] : [busyMs + stolenMs, ...partials.values];
  },
);
