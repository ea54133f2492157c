/**
 * Algorithms as stages: what the tasks of a call run, one stage after the other; runs on every thread that computes.
 *
 * Within a stage the units are independent and go to whoever steals them; between two stages all threads have seen what
 * was written. One task, the root, goes through the stages. What a stage tells the next lies in the specification's
 * arrays, so tasks carry and return numbers only.
 */
import { builtin } from '../core/code/registry.js';
import { type Fork, type Forkable, fork } from '../core/task/function-task.js';
import { addProgress, type JobKind, jobKind, jobState } from '../core/worker/job.js';
import { type Grain, runOnCaller, splitRange } from './split.js';

export interface Stage {
  /** How many units there are: elements, blocks, segments. */
  readonly units: number;
  readonly grain: Grain;
  /** Runs units [lo, hi), on any thread; returns how many elements that counts as progress. */
  run(lo: number, hi: number): number;
  /** What the root does alone before the stage, and after it. The first stage has nothing before it. */
  before?(): void;
  after?(): void;
}

/** A kind of call; opening its specification gives the stages. */
export type StagedKind<Spec extends object> = JobKind<Spec, readonly Stage[]>;

/** Declares a kind; at import, in every realm, in the same order. */
export const stagedKind = <Spec extends object>(
  name: string,
  open: (spec: Spec) => readonly Stage[],
): StagedKind<Spec> => jobKind(name, open);

/** `jobState` looks at the job only, whatever the kind. */
const ANY = undefined as unknown as StagedKind<never>;

/** Runs units [lo, hi) of one stage; returns the milliseconds that took, on all threads together. */
const stageTask: Forkable<[job: number, lo: number, hi: number, index: number], number> = builtin(
  'stage',
  (job: number, lo: number, hi: number, index: number): number => {
    const stage = jobState(ANY, job)[index];
    let stolenMs = 0;
    const forkPart = (from: number, to: number): Fork<number> => fork(stageTask, job, from, to, index);
    const block = (from: number, to: number): void => {
      const elements = stage.run(from, to);
      if (elements !== 0) addProgress(job, elements);
    };
    const busyMs = splitRange(lo, hi, stage.grain, forkPart, block, (ms) => {
      stolenMs += ms;
    });
    return busyMs + stolenMs;
  },
);

/** The root: all stages, the first one from unit `lo` on; returns their milliseconds, on all threads together. */
export const stagesTask: Forkable<[job: number, lo: number, hi: number], number> = builtin(
  'stages',
  (job: number, lo: number): number => {
    const stages = jobState(ANY, job);
    let busyMs = 0;
    for (let index = 0; index < stages.length; index++) {
      const stage = stages[index];
      stage.before?.();
      busyMs += stageTask(job, index === 0 ? lo : 0, stage.units, index);
      stage.after?.();
    }
    return busyMs;
  },
);

/**
 * Runs the stages on the calling thread, in one piece each but for the first, which stops when `limitUs` have passed.
 *
 * @param count hears of elements done
 * @returns the unit of the first stage from which a pool has to go on, and do all else; or undefined when all is done
 */
export function runStagesHere(
  stages: readonly Stage[],
  limitUs: number,
  count: (elements: number) => void,
): number | undefined {
  const [first, ...others] = stages;
  const stop = runOnCaller(0, first.units, first.grain, limitUs, (lo, hi) => count(first.run(lo, hi)));
  if (stop < first.units) return stop;
  first.after?.();
  for (const stage of others) {
    stage.before?.();
    if (stage.units > 0) count(stage.run(0, stage.units));
    stage.after?.();
  }
  return undefined;
}
