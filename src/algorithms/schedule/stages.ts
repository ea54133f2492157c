/**
 * Algorithms as stages: what the tasks of a call run, one stage after the other; runs on every thread that computes.
 *
 * Within a stage the units are independent. Between two stages all threads have seen what was written. One task, the root,
 * goes through the stages. For each stage it shares the units among lanes (ranges.ts), forks a small task for each lane but
 * the first, runs the first lane itself, and joins the others. A lane that starts late finds all ranges empty and returns.
 * A stage leaves its results for the next one in the arrays of the specification, so tasks carry numbers only. A stage whose
 * results have no known place (a reduction's) lets each lane collect them.
 *
 * Errors: a lane that fails goes on with the tiles before the least failure of all lanes, and drops the others. So the error of
 * the lowest index surfaces. An error that is not a unit's (a cancellation between two chunks) ends the lane at once.
 */

import {
  builtin,
  type Forkable,
  fork,
  type JobKind,
  jobKind,
  jobName,
  jobState,
  jobWords,
  join,
  loopCheckpoint,
  observerHere,
  progress,
} from '../../core/engine.js';
import type { Grain } from './grain.js';
import * as ranges from './ranges.js';
import { checkWrites, explained, explaining, type UserPiece } from './user-piece.js';

export { eachUnit } from './cut.js';

/**
 * `calls` and `context` describe the user's functions that a stage calls, in `after` too. The stages of small calls are written
 * without spreads (`...user`): a spread of an object takes V8 about a microsecond, where a call for ten elements takes two.
 */
export interface WorkStage extends UserPiece {
  /** Number of units: elements, blocks, segments. */
  readonly units: number;
  readonly grain: Grain;
  /**
   * Runs units [lo, hi), on any thread; returns how many elements that counts as progress.
   *
   * @param lane the lane that runs them; one thread at a time runs units of a lane
   */
  run(lo: number, hi: number, lane: number): number;
  /** True if the stage has data of each lane, as one that collects has: then no part of a tile runs outside of its lane. */
  readonly byLane?: boolean;
  /** True if the root runs all units alone: the data is that of one lane. */
  readonly isAlone?: boolean;
  /**
   * Dealing by which lanes share the units if the user has chosen a partition. Such a stage does not stop early, and collects
   * nothing.
   */
  readonly dealing?: Dealing | undefined;
  /**
   * For a stage that may stop early: whether nothing from this unit on matters any more, errors included. The units of such a
   * stage are elements, and its `run` returns how many it has dealt with.
   */
  readonly isSuperseded?: ((unit: number) => boolean) | undefined;
  /** Does what the root does alone before the stage; it calls no functions of the user. The first stage has none. */
  before?(): void;
  /** For a stage of several rounds: whether another round follows. Each begins with `before`; `after` comes after the last one. */
  repeats?(): boolean;
  /** Does what the root does alone after the stage. It may return the index of an earlier stage to go on with. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to return
  after?(): number | undefined | void;
  /**
   * For a stage that has a value: what a lane has made of its units, as a list. Called once, when the lane runs no more units.
   * Such a stage is the only one of its call.
   */
  collect?(lane: number): unknown[];
  /**
   * The value, from the lists of all lanes, one after the other in any order. Without lists if lane 0 has run every unit in order on
   * the caller.
   */
  value?(collected?: readonly unknown[]): unknown;
}

/** Result of a lane: milliseconds spent on units, and what it has collected if the stage asks for that. */
type LaneResult = number | [busyMs: number, ...collected: unknown[]];

/** Runs one lane of a stage that begins at unit `from`. */
export type LaneTask = Forkable<[job: number, index: number, lane: number, from: number], LaneResult>;

/** Another way for lanes to share units than equal ranges whose halves are stolen: partition.ts. */
export interface Dealing {
  readonly lane: LaneTask;
  /** Gives each lane its units of [from, units), before any runs; returns how many lanes have some. */
  shareOut(words: Int32Array, from: number, units: number): number;
}

/** Result of the root: milliseconds spent on units, by all threads together, and the value if the stage has one. */
export type StagesResult = number | readonly [busyMs: number, value: unknown];

/** A kind of call; opening its specification gives the stages. */
export type StagedKind<Spec extends object> = JobKind<Spec, readonly WorkStage[]>;

/** Declares a kind, at import. */
export const stagedKind = <Spec extends object>(
  name: string,
  open: (spec: Spec) => readonly WorkStage[],
): StagedKind<Spec> => jobKind(name, open);

const labelOf = (job: number, index: number): string => stageOf(job, index).calls ?? jobName(job);

/** Names of the tasks of a stage on timelines: the function of the user that it calls, or else the algorithm. */
export const NAMES = { label: labelOf };

const MAX_INT32 = 0x7fffffff;

/** A stage of a call, as this realm has opened it. */
export const stageOf = (job: number, index: number): WorkStage => jobState<readonly WorkStage[]>(job)[index];

/** Runs units [lo, hi). Bounds are converted to integers here: a loop that V8 compiles for doubles is two to eight times slower. */
export function runUnits(stage: WorkStage, lo: number, hi: number, lane: number): number {
  const observer = observerHere();
  if (observer === undefined) return runAtOnce(stage, lo, hi, lane);
  return observer.units(lo, hi, stage.calls ?? '', (from, to) =>
    isSuperseded(stage, from) ? undefined : runAtOnce(stage, from, to, lane),
  );
}

const runAtOnce = (stage: WorkStage, lo: number, hi: number, lane: number): number =>
  hi <= MAX_INT32 ? stage.run(lo | 0, hi | 0, lane) : stage.run(lo, hi, lane);

/** Runs units [lo, hi) as a piece of its own. */
function runPiece(stage: WorkStage, lo: number, hi: number, lane: number): number {
  let elements: number;
  try {
    elements = runUnits(stage, lo, hi, lane);
  } catch (error) {
    throw explained(stage, error); // not by `explaining`, whose closure takes 0.1 us of a short call
  }
  if (stage.context !== undefined) checkWrites(stage, false);
  return elements;
}

function after(stage: WorkStage): number | undefined {
  if (stage.after === undefined && stage.context === undefined) return undefined;
  return explaining(stage, () => stage.after?.() ?? undefined);
}

/** The value of a stage that has one. */
export const stageValue = (stage: WorkStage, collected?: readonly unknown[]): unknown =>
  explaining(stage, () => stage.value?.(collected));

const unitsRun = (stage: WorkStage, lo: number, hi: number, elements: number): number =>
  stage.isSuperseded === undefined ? hi - lo : elements;

const isSuperseded = (stage: WorkStage, unit: number): boolean => stage.isSuperseded?.(unit) === true;

/** In a constant: Node makes the global a getter, which costs each chunk two calls. */
export const clock = performance;

/** Runs units [lo, hi) at once; returns the milliseconds that took. */
function runChunk(job: number, stage: WorkStage, lo: number, hi: number, lane: number): number {
  const startMs = clock.now();
  const elements = runPiece(stage, lo, hi, lane);
  if (elements !== 0) progress(job, elements);
  const ran = unitsRun(stage, lo, hi, elements);
  const ms = clock.now() - startMs;
  if (ran > 0) stage.grain.note(ran, ms);
  return ms;
}

/** Runs units [lo, hi) chunk by chunk. */
function runChunks(job: number, stage: WorkStage, lo: number, hi: number, lane: number): number {
  let busyMs = 0;
  while (lo < hi && !isSuperseded(stage, lo)) {
    const end = stage.grain.chunkEnd(lo, hi);
    busyMs += runChunk(job, stage, lo, end, lane);
    lo = end;
    if (lo < hi) loopCheckpoint();
  }
  return busyMs;
}

/**
 * Runs units [lo, hi) at once if they are a chunk. Otherwise they are one tile, whose units are expensive or of unknown cost. No lane
 * can steal a part of a tile, so halves are forked until a half is a chunk.
 */
const tileTask: Forkable<[job: number, index: number, lo: number, hi: number], number> = builtin(
  'tile',
  (job: number, index: number, lo: number, hi: number): number => {
    const stage = stageOf(job, index);
    if (isSuperseded(stage, lo)) return 0;
    if (hi - lo <= stage.grain.chunkUnits() || observerHere()?.isFine === true) return runChunk(job, stage, lo, hi, 0);
    const middle = lo + Math.ceil((hi - lo) / 2);
    const rest = fork(tileTask, job, index, middle, hi);
    const busyMs = tileTask(job, index, lo, middle);
    try {
      return busyMs + join(rest);
    } catch (error) {
      if (!isSuperseded(stage, middle)) throw error;
      return busyMs;
    }
  },
  NAMES,
);

/** The unit at which tile 0 begins: no tile may cut through a group of units that are faster together. */
const firstUnit = ({ together }: Grain, from: number): number => from - (from % together);

const laneTask: LaneTask = builtin(
  'lane',
  (job: number, index: number, lane: number, from: number): LaneResult => {
    const stage = stageOf(job, index);
    const words = jobWords(job);
    const { units, grain } = stage;
    const { together } = grain;
    const first = firstUnit(grain, from);
    const tileUnits = grain.tileUnits(units - first);
    let busyMs = 0;
    let failed = false;
    let failure: unknown;
    for (;;) {
      const wanted = Math.max(1, Math.floor(grain.chunkUnits() / tileUnits));
      let claimed = ranges.claim(words, lane, wanted, together);
      if (claimed === ranges.NONE && observerHere()?.leaves?.() !== true)
        claimed = ranges.steal(words, lane, wanted, together);
      if (claimed === ranges.NONE) break;
      const tile = ranges.firstOf(claimed);
      const endTile = ranges.endOf(claimed);
      const lo = Math.max(from, first + tile * tileUnits);
      const hi = Math.min(units, first + endTile * tileUnits);
      if (tile > ranges.leastFailure(words) || isSuperseded(stage, lo)) {
        ranges.drop(words, lane);
        continue;
      }
      try {
        if (stage.byLane === true) busyMs += runChunks(job, stage, lo, hi, lane);
        else busyMs += tileTask(job, index, lo, hi);
      } catch (error) {
        failure = error; // of a lower tile than any failure before
        failed = true;
        ranges.noteFailure(words, lane, tile);
      }
      loopCheckpoint();
    }
    if (failed) throw failure;
    return stage.collect === undefined ? busyMs : [busyMs, ...stage.collect(lane)];
  },
  NAMES,
);

/** Gives each lane an equal share of units [from, units), as tiles; returns how many lanes have one. */
function shareOut(words: Int32Array, grain: Grain, from: number, units: number): number {
  const first = firstUnit(grain, from);
  const tileUnits = grain.tileUnits(units - first);
  const firstTile = Math.floor((from - first) / tileUnits);
  const endTile = Math.ceil((units - first) / tileUnits);
  const lanes = Math.min(ranges.lanesIn(words), endTile - firstTile);
  ranges.shareOut(words, firstTile, endTile, lanes, grain.together);
  return lanes;
}

/**
 * Runs units of a stage from `from` on, step by step; appends to `collected` what its lanes have collected. Alone, a step is a chunk;
 * all lanes together are one step.
 */
function* stepsOfStage(job: number, index: number, from: number, collected: unknown[]): Generator<void, number, void> {
  const stage = stageOf(job, index);
  const { units, grain } = stage;
  const words = jobWords(job);
  const isAlone = stage.isAlone === true || ranges.lanesIn(words) === 1;
  let busyMs = 0;
  // Lanes would not pay for what is known to be one chunk. Half of it is run first, in case it proves more expensive.
  while (from < units && (isAlone || units - from <= grain.loneUnits()) && !isSuperseded(stage, from)) {
    const end = isAlone ? grain.chunkEnd(from, units) : from + Math.ceil((units - from) / 2);
    busyMs += runChunk(job, stage, from, end, 0);
    from = end;
    if (from < units) yield;
  }
  if (from >= units || isSuperseded(stage, from)) {
    if (stage.collect !== undefined) collected.push(...stage.collect(0));
    return busyMs;
  }
  const first = firstUnit(grain, from);
  const tileUnits = grain.tileUnits(units - first);
  const run = stage.dealing?.lane ?? laneTask;
  const lanes = stage.dealing?.shareOut(words, from, units) ?? shareOut(words, grain, from, units);
  const forks = Array.from({ length: lanes - 1 }, (_, k) => fork(run, job, index, k + 1, from));
  let leastTile = ranges.NO_TILE;
  let failure: unknown;
  const finish = (lane: number): void => {
    try {
      const result = lane === 0 ? run(job, index, 0, from) : join(forks[lane - 1]);
      if (typeof result === 'number') busyMs += result;
      else {
        busyMs += result[0];
        for (let k = 1; k < result.length; k++) collected.push(result[k]);
      }
    } catch (error) {
      const tile = ranges.failureIn(words, lane);
      if (tile === ranges.NO_TILE) throw error; // not a unit's failure: the other lanes are cancelled, or awaited
      if (tile >= leastTile) return;
      leastTile = tile;
      failure = error;
    }
  };
  finish(0);
  for (let lane = lanes - 1; lane > 0; lane--) finish(lane); // the newest fork first
  if (leastTile !== ranges.NO_TILE && !isSuperseded(stage, first + leastTile * tileUnits)) throw failure;
  return busyMs;
}

/**
 * Runs all stages step by step, the first one from unit `from` on. A call that began on its caller gets the collected lists instead of the
 * value, since the caller has collected too.
 */
export function* stepsOf(job: number, from: number): Generator<void, StagesResult, void> {
  const stages = jobState<readonly WorkStage[]>(job);
  const collected: unknown[] = [];
  let busyMs = 0;
  let start = from;
  for (let index = 0; index < stages.length; start = 0) {
    const stage = stages[index];
    stage.before?.();
    busyMs += yield* stepsOfStage(job, index, start, collected);
    observerHere()?.stageEnded();
    if (stage.repeats?.() !== true) index = after(stage) ?? index + 1;
    yield;
  }
  const [stage] = stages;
  if (stage?.collect === undefined) return busyMs;
  return [busyMs, from === 0 ? stageValue(stage, collected) : collected];
}

/** The root: all steps, one after the other. */
export const stagesTask: Forkable<[job: number, from: number], StagesResult> = builtin(
  'stages',
  (job: number, from: number): StagesResult => {
    const steps = stepsOf(job, from);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      loopCheckpoint();
    }
  },
  { label: (job) => labelOf(job, 0) },
);

/**
 * Runs the stages on the calling thread, in one piece each but for the first, which stops when `limitUs` have passed. For
 * stages of which none goes back to an earlier one.
 *
 * @param count is told how many elements each piece was
 * @returns the unit of the first stage from which a pool has to go on and do everything else; undefined when all is done
 */
export function runStagesHere(
  stages: readonly WorkStage[],
  limitUs: number,
  count: (elements: number) => void,
): number | undefined {
  const [first] = stages;
  const { units, grain } = first;
  const startMs = performance.now();
  let nowMs = startMs;
  for (let lo = 0; lo < units; ) {
    if ((nowMs - startMs) * 1000 >= limitUs) return lo;
    const end = Math.min(units, lo + grain.callerUnits());
    const elements = runPiece(first, lo, end, 0);
    count(elements);
    const ran = unitsRun(first, lo, end, elements);
    const thenMs = nowMs;
    nowMs = performance.now();
    if (ran > 0) grain.note(ran, nowMs - thenMs);
    lo = ran < end - lo ? units : end;
  }
  observerHere()?.stageEnded();
  after(first);
  for (let index = 1; index < stages.length; index++) {
    const stage = stages[index];
    stage.before?.();
    if (stage.units > 0) count(runPiece(stage, 0, stage.units, 0));
    observerHere()?.stageEnded();
    after(stage);
  }
  return undefined;
}
