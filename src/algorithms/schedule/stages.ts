/**
 * Algorithms as stages: what the tasks of a call run, one stage after the other; runs on every thread that computes.
 *
 * Within a stage the units are independent and go to whoever steals them; between two stages all threads have seen what
 * was written. One task, the root, goes through the stages. What a stage tells the next lies in the specification's
 * arrays, so tasks carry and return numbers only.
 */

import { addProgress, type JobKind, jobKind, jobState } from '../../core/call/job.js';
import { builtin } from '../../core/code/registry.js';
import { type Fork, type Forkable, fork, join } from '../../core/task/function-task.js';
import { checkWrites, explained, type UserPiece } from '../call/user-function.js';
import { type Grain, runOnCaller, splitRange } from './split.js';

/** `calls` and `context` are about the user's functions that a stage calls, before and after too. */
export interface Stage extends UserPiece {
  /** How many units there are: elements, blocks, segments. */
  readonly units: number;
  readonly grain: Grain;
  /** Runs units [lo, hi), on any thread; returns how many elements that counts as progress. */
  run(lo: number, hi: number): number;
  /**
   * Of a stage that may stop early, whose units are elements and whose `run` returns how many it came to: whether nothing
   * from this unit on matters any more, errors included.
   */
  isMoot?(unit: number): boolean;
  /** What the root does alone before the stage, and after it. The first stage has nothing before it. */
  before?(): void;
  /** May name an earlier stage to go on with, by its index. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to say
  after?(): number | undefined | void;
}

/** A kind of call; opening its specification gives the stages. */
export type StagedKind<Spec extends object> = JobKind<Spec, readonly Stage[]>;

/** Declares a kind, at import. */
export const stagedKind = <Spec extends object>(
  name: string,
  open: (spec: Spec) => readonly Stage[],
): StagedKind<Spec> => jobKind(name, open);

/** `jobState` looks at the job only, whatever the kind. */
const ANY = undefined as unknown as StagedKind<never>;

function runUnits(stage: Stage, lo: number, hi: number): number {
  let elements: number;
  try {
    elements = stage.run(lo, hi);
  } catch (error) {
    throw explained(stage, error);
  }
  if (stage.context !== undefined) checkWrites(stage, false);
  return elements;
}

function before(stage: Stage): void {
  if (stage.before === undefined) return;
  try {
    stage.before();
  } catch (error) {
    throw explained(stage, error);
  }
}

function after(stage: Stage): number | undefined {
  let next: number | undefined;
  try {
    next = stage.after?.() ?? undefined;
  } catch (error) {
    throw explained(stage, error);
  }
  if (stage.context !== undefined) checkWrites(stage, true);
  return next;
}

const unitsRun = (stage: Stage, lo: number, hi: number, elements: number): number =>
  stage.isMoot === undefined ? hi - lo : elements;

/** Runs units [lo, hi) of one stage; returns the milliseconds that took, on all threads together. */
const stageTask: Forkable<[job: number, lo: number, hi: number, index: number], number> = builtin(
  'stage',
  (job: number, lo: number, hi: number, index: number): number => {
    const stage = jobState(ANY, job)[index];
    let stolenMs = 0;
    const forkPart = (from: number, to: number): Fork<number> => fork(stageTask, job, from, to, index);
    const block = (from: number, to: number): number => {
      const elements = runUnits(stage, from, to);
      if (elements !== 0) addProgress(job, elements);
      return unitsRun(stage, from, to, elements);
    };
    const busyMs = splitRange(lo, hi, stage.grain, forkPart, block, (part, from) => {
      try {
        stolenMs += join(part);
      } catch (error) {
        if (stage.isMoot?.(from) !== true) throw error;
      }
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
    let from = lo;
    for (let index = 0; index < stages.length; ) {
      const stage = stages[index];
      before(stage);
      busyMs += stageTask(job, from, stage.units, index);
      from = 0;
      index = after(stage) ?? index + 1;
    }
    return busyMs;
  },
);

/**
 * Runs the stages on the calling thread, in one piece each but for the first, which stops when `limitUs` have passed. For
 * stages of which none goes back to an earlier one.
 *
 * @param count hears of elements done
 * @returns the unit of the first stage from which a pool has to go on, and do all else; or undefined when all is done
 */
export function runStagesHere(
  stages: readonly Stage[],
  limitUs: number,
  count: (elements: number) => void,
): number | undefined {
  const first = stages[0];
  const stop = runOnCaller(0, first.units, first.grain, limitUs, (lo, hi) => {
    const elements = runUnits(first, lo, hi);
    count(elements);
    return unitsRun(first, lo, hi, elements);
  });
  if (stop < first.units) return stop;
  after(first);
  for (let index = 1; index < stages.length; index++) {
    const stage = stages[index];
    before(stage);
    if (stage.units > 0) count(runUnits(stage, 0, stage.units));
    after(stage);
  }
  return undefined;
}
