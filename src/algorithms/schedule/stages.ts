/**
 * Algorithms as stages: what the tasks of a call run, one stage after the other; runs on every thread that computes.
 *
 * Within a stage the units are independent; between two stages all threads have seen what was written. One task, the root,
 * goes through the stages. For each stage it shares the units among lanes (ranges.ts), forks a small task for each lane but
 * the first, runs the first lane itself, and joins the others. A lane that nobody has taken by then finds all ranges empty.
 * What a stage tells the next lies in the specification's arrays, so tasks carry numbers only. A stage whose results are not
 * numbers of a known place (a reduction's) lets each lane collect them.
 *
 * Errors: a lane that fails goes on with what lies before the least failure of all lanes, and drops the rest. So the error of
 * the lowest index surfaces. What is no failure of a unit (a cancellation between two chunks) ends the lane at once.
 */

import { addProgress, type JobKind, jobKind, jobState, jobWords } from '../../core/call/job.js';
import { builtin } from '../../core/code/registry.js';
import { type Fork, type Forkable, fork, join } from '../../core/task/function-task.js';
import { checkpoint } from '../../core/worker/checkpoint.js';
import { thread } from '../../core/worker/worker-slot.js';
import type { Grain } from './grain.js';
import { runOnCaller } from './on-caller.js';
import {
  claim,
  drop,
  endOf,
  failureIn,
  firstOf,
  lanesIn,
  leastFailure,
  NO_SLOT,
  NONE,
  noteFailure,
  shareOut,
  steal,
} from './ranges.js';
import { checkWrites, explained, type UserPiece } from './user-piece.js';

/** `calls` and `context` are about the user's functions that a stage calls, before and after too. */
export interface Stage extends UserPiece {
  /** How many units there are: elements, blocks, segments. */
  readonly units: number;
  readonly grain: Grain;
  /**
   * Runs units [lo, hi), on any thread; returns how many elements that counts as progress.
   *
   * @param lane who runs them: one thread at a time
   */
  run(lo: number, hi: number, lane: number): number;
  /**
   * Of a stage that may stop early, whose units are elements and whose `run` returns how many it came to: whether nothing
   * from this unit on matters any more, errors included.
   */
  isSuperseded?(unit: number): boolean;
  /** What the root does alone before the stage, and after it. The first stage has nothing before it. */
  before?(): void;
  /** May name an earlier stage to go on with, by its index. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to say
  after?(): number | undefined | void;
  /**
   * Of a stage that has a value: what a lane has made of the units that it ran, as a list; once, when it runs no more of them.
   * Such a stage is the only one.
   */
  collect?(lane: number): unknown[];
  /** The value, of all lanes' lists behind each other, in any order; without lists, where lane 0 ran every unit in order. */
  value?(collected?: readonly unknown[]): unknown;
}

/** What the root gives back: milliseconds spent on units, by all threads together, and the value, if the stage has one. */
export type StagesResult = number | readonly [busyMs: number, value: unknown];

/** A kind of call; opening its specification gives the stages. */
export type StagedKind<Spec extends object> = JobKind<Spec, readonly Stage[]>;

/** Declares a kind, at import. */
export const stagedKind = <Spec extends object>(
  name: string,
  open: (spec: Spec) => readonly Stage[],
): StagedKind<Spec> => jobKind(name, open);

const MAX_INT32 = 0x7fffffff;

/** `jobState` looks at the job only, whatever the kind. */
const ANY = undefined as unknown as StagedKind<never>;

/** Counts elements that a leaf has finished, for `onProgress` and `stats()`. */
export function countElements(job: number, elements: number): void {
  addProgress(job, elements);
  thread.own?.counters.count('elements', elements);
}

/** Grain is reckoned in doubles, and a loop into which that is inlined would count in them: two to eight times slower. */
function runUnits(stage: Stage, lo: number, hi: number, lane: number): number {
  let elements: number;
  try {
    elements = hi <= MAX_INT32 ? stage.run(lo | 0, hi | 0, lane) : stage.run(lo, hi, lane);
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

/** The value of a stage that has one. */
export function stageValue(stage: Stage, collected?: readonly unknown[]): unknown {
  let value: unknown;
  try {
    value = stage.value?.(collected);
  } catch (error) {
    throw explained(stage, error);
  }
  checkWrites(stage, true);
  return value;
}

const unitsRun = (stage: Stage, lo: number, hi: number, elements: number): number =>
  stage.isSuperseded === undefined ? hi - lo : elements;

const isSuperseded = (stage: Stage, unit: number): boolean => stage.isSuperseded?.(unit) === true;

/** Runs units [lo, hi) at once; returns the milliseconds that took. */
function runChunk(job: number, stage: Stage, lo: number, hi: number, lane: number): number {
  const startMs = performance.now();
  const elements = runUnits(stage, lo, hi, lane);
  if (elements !== 0) countElements(job, elements);
  const ran = unitsRun(stage, lo, hi, elements);
  const ms = performance.now() - startMs;
  if (ran > 0) stage.grain.note(ran, ms);
  return ms;
}

/** Runs units [lo, hi) chunk by chunk. */
function runChunks(job: number, stage: Stage, lo: number, hi: number, lane: number): number {
  let busyMs = 0;
  while (lo < hi && !isSuperseded(stage, lo)) {
    const end = stage.grain.chunkEnd(lo, hi);
    busyMs += runChunk(job, stage, lo, end, lane);
    lo = end;
    if (lo < hi) checkpoint();
  }
  return busyMs;
}

/**
 * Runs units [lo, hi) of a slot of which they are expensive, or of unknown cost: no lane can steal a part of a slot, so halves are
 * forked until a chunk is left. Not for stages that collect.
 */
const partTask: Forkable<[job: number, index: number, lo: number, hi: number], number> = builtin(
  'part',
  (job: number, index: number, lo: number, hi: number): number => {
    const stage = jobState(ANY, job)[index];
    if (isSuperseded(stage, lo)) return 0;
    if (hi - lo <= stage.grain.chunkUnits()) return runChunk(job, stage, lo, hi, 0);
    const middle = lo + Math.ceil((hi - lo) / 2);
    const rest = fork(partTask, job, index, middle, hi);
    const busyMs = partTask(job, index, lo, middle);
    try {
      return busyMs + join(rest);
    } catch (error) {
      if (!isSuperseded(stage, middle)) throw error;
      return busyMs;
    }
  },
);

/** Runs the units of some slots. */
function runSlots(
  job: number,
  index: number,
  stage: Stage,
  lo: number,
  hi: number,
  isOne: boolean,
  lane: number,
): number {
  if (!isOne || hi - lo <= stage.grain.chunkUnits()) return runChunk(job, stage, lo, hi, lane);
  return stage.collect === undefined ? partTask(job, index, lo, hi) : runChunks(job, stage, lo, hi, lane);
}

/** Where slot 0 begins, so that slots are not across units that are faster together. */
const firstUnit = ({ together }: Grain, from: number): number => from - (from % together);

/** What a lane gives back: milliseconds, and what it has collected, if the stage asks for that. */
type LaneResult = number | [busyMs: number, ...collected: unknown[]];

/** One lane of a stage that begins at unit `from`. */
const laneTask: Forkable<[job: number, index: number, lane: number, from: number], LaneResult> = builtin(
  'lane',
  (job: number, index: number, lane: number, from: number): LaneResult => {
    const stage = jobState(ANY, job)[index];
    const words = jobWords(job);
    const { units, grain } = stage;
    const { together } = grain;
    const first = firstUnit(grain, from);
    const slotUnits = grain.slotUnits(units - first);
    const lanes = lanesIn(words);
    let busyMs = 0;
    let failed = false;
    let failure: unknown;
    do {
      for (;;) {
        const wanted = Math.max(1, Math.floor(grain.chunkUnits() / slotUnits));
        const claimed = claim(words, lane, wanted, together);
        if (claimed === NONE) break;
        const slot = firstOf(claimed);
        const end = endOf(claimed);
        const lo = Math.max(from, first + slot * slotUnits);
        const hi = Math.min(units, first + end * slotUnits);
        if (slot > leastFailure(words) || isSuperseded(stage, lo)) {
          drop(words, lane);
          break;
        }
        try {
          busyMs += runSlots(job, index, stage, lo, hi, end - slot === 1, lane);
        } catch (error) {
          if (slot < failureIn(words, lane)) failure = error;
          failed = true;
          noteFailure(words, lane, slot);
        }
        checkpoint();
      }
    } while (steal(words, lane, lanes, together));
    if (failed) throw failure;
    return stage.collect === undefined ? busyMs : [busyMs, ...stage.collect(lane)];
  },
);

/** Runs units of a stage as long as one chunk suffices for all that are left; returns the unit to go on from. */
function runAlone(job: number, stage: Stage, from: number): [from: number, busyMs: number] {
  const { units, grain } = stage;
  let busyMs = 0;
  while (from < units && grain.isChunk(units - from) && !isSuperseded(stage, from)) {
    const end = from + Math.ceil((units - from) / 2);
    busyMs += runChunk(job, stage, from, end, 0);
    from = end;
    if (from < units) checkpoint();
  }
  return [isSuperseded(stage, from) ? units : from, busyMs];
}

/** Runs units of a stage from `from` on; takes in what its lanes have collected. */
function runStage(job: number, index: number, from: number, collected: unknown[]): number {
  const stage = jobState(ANY, job)[index];
  const { units, grain } = stage;
  const words = jobWords(job);
  const most = lanesIn(words);
  let busyMs = 0;
  if (most === 1) {
    busyMs = runChunks(job, stage, from, units, 0);
    from = units;
  } else [from, busyMs] = runAlone(job, stage, from);
  if (from >= units) {
    if (stage.collect !== undefined) collected.push(...stage.collect(0));
    return busyMs;
  }
  const first = firstUnit(grain, from);
  const slotUnits = grain.slotUnits(units - first);
  const firstSlot = Math.floor((from - first) / slotUnits);
  const endSlot = Math.ceil((units - first) / slotUnits);
  const lanes = Math.min(most, endSlot - firstSlot);
  shareOut(words, firstSlot, endSlot, lanes, grain.together);
  const forks: Fork<LaneResult>[] = [];
  for (let lane = 1; lane < lanes; lane++) forks.push(fork(laneTask, job, index, lane, from));
  let leastSlot = NO_SLOT;
  let failure: unknown;
  const finish = (lane: number): void => {
    try {
      const result = lane === 0 ? laneTask(job, index, 0, from) : join(forks[lane - 1]);
      if (typeof result === 'number') busyMs += result;
      else {
        busyMs += result[0];
        for (let k = 1; k < result.length; k++) collected.push(result[k]);
      }
    } catch (error) {
      const slot = failureIn(words, lane);
      if (slot === NO_SLOT) throw error; // no unit's failure: the lanes that are left are cancelled, or awaited
      if (slot >= leastSlot) return;
      leastSlot = slot;
      failure = error;
    }
  };
  finish(0);
  for (let lane = lanes - 1; lane > 0; lane--) finish(lane); // the newest fork first
  if (leastSlot !== NO_SLOT && !isSuperseded(stage, first + leastSlot * slotUnits)) throw failure;
  return busyMs;
}

/** The root: all stages, the first one from unit `lo` on. Of a call that began elsewhere it gives back what was collected. */
export const stagesTask: Forkable<[job: number, lo: number, hi: number], StagesResult> = builtin(
  'stages',
  (job: number, lo: number): StagesResult => {
    const stages = jobState(ANY, job);
    const collected: unknown[] = [];
    let busyMs = 0;
    let from = lo;
    for (let index = 0; index < stages.length; ) {
      const stage = stages[index];
      before(stage);
      busyMs += runStage(job, index, from, collected);
      from = 0;
      index = after(stage) ?? index + 1;
    }
    const [stage] = stages;
    if (stage?.collect === undefined) return busyMs;
    return [busyMs, lo === 0 ? stageValue(stage, collected) : collected];
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
    const elements = runUnits(first, lo, hi, 0);
    count(elements);
    return unitsRun(first, lo, hi, elements);
  });
  if (stop < first.units) return stop;
  after(first);
  for (let index = 1; index < stages.length; index++) {
    const stage = stages[index];
    before(stage);
    if (stage.units > 0) count(runUnits(stage, 0, stage.units, 0));
    after(stage);
  }
  return undefined;
}
