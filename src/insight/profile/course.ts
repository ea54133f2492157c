/**
 * The course of a program: its tasks with their forks and joins, and what each strand between them has cost. Courses of several runs are merged: the
 * least cost of each strand counts. On the thread that called `profile`.
 *
 * An interruption lengthens one strand of one run, and a fork that is published lengthens the strand that publishes it. Of fifteen runs, some run
 * spares each strand, while no run spares all. So runs are compared strand by strand, not as wholes. Strands correspond if their tasks do, and these have
 * the same forks and joins: the n-th fork of a task corresponds to the n-th fork of that task in another run.
 *
 * How lanes share the units of an algorithm depends on the schedule. So a stage keeps the pieces of all runs. The cheapest pieces count that together are
 * all units (cover.ts).
 */
import type { UnitPiece } from './cover.js';
import type { GraphEdges } from './graph-path.js';
import type { Label } from './point.js';

export type CourseStepKind = 'fork' | 'join' | 'joinBeside' | 'meet' | 'stage' | 'region' | 'regionEnd';

/** Step that ends a strand of a task. */
export interface CourseStep {
  readonly kind: CourseStepKind;
  /** The number of the fork, which is joined or forked, or of the stage or region. */
  readonly at: number;
}

/** All units between two steps of a task. */
export interface StageCourse {
  /** Of each run. */
  readonly runs: (readonly UnitPiece[])[];
  /** Time that lanes have spent beside their units. */
  lanesUs: number;
  /** If the units are nodes of a graph: which comes before which. */
  readonly edges: GraphEdges | undefined;
}

/** One task. */
export interface Course {
  /** Undefined for a task of the library, and for what is outside of all tasks. */
  readonly label: Label | undefined;
  readonly steps: readonly CourseStep[];
  /** Before each step, and one more: after the last. */
  readonly costs: number[];
  /** By the numbers of their forks. */
  readonly children: (Course | undefined)[];
  readonly stages: readonly StageCourse[];
  readonly regions: readonly Label[];
  /** By the numbers of forks outside of all tasks: for how long nothing had run before. */
  readonly between: number[];
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** All time between the calls of a program. */
export const betweenIn = (program: Course): number => sumOf(program.between);

/** Kind of a strand by what it stands between: kinds of steps, or the begin or end of its task. */
export type StrandKind = `${CourseStepKind | 'begin'} ${CourseStepKind | 'end'}`;

/** Kind of strand `k` of a task, by what it stands between. */
export const kindOf = ({ steps }: Course, k: number): StrandKind =>
  `${steps[k - 1]?.kind ?? 'begin'} ${steps[k]?.kind ?? 'end'}`;

/** The costs of all strands within tasks, by kind. */
export function strandsOf(program: Course): Map<StrandKind, number[]> {
  const costs = new Map<StrandKind, number[]>();
  const open = [program];
  for (let course = open.pop(); course !== undefined; course = open.pop()) {
    for (const child of course.children) if (child !== undefined) open.push(child);
    if (course === program) continue;
    for (const [k, us] of course.costs.entries()) {
      const kind = kindOf(course, k);
      const list = costs.get(kind);
      if (list === undefined) costs.set(kind, [us]);
      else list.push(us);
    }
  }
  return costs;
}

const isAlike = (a: Course, b: Course): boolean =>
  a.label === b.label &&
  a.steps.length === b.steps.length &&
  a.steps.every(({ kind, at }, k) => kind === (b.steps[k] as CourseStep).kind && at === (b.steps[k] as CourseStep).at);

/**
 * Merges two runs of a program. Where a task has taken different steps, so that its strands do not correspond, the cheaper one counts; the tasks that it has
 * forked are merged nevertheless.
 */
export function merged(one: Course, other: Course): Course {
  const result = pairOf(one, other);
  const open: [Course, Course][] = [[result, result === one ? other : one]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [into, from] = pair;
    if (isAlike(into, from)) {
      for (const [k, us] of from.costs.entries()) into.costs[k] = Math.min(into.costs[k] as number, us);
      for (const [k, us] of from.between.entries()) into.between[k] = Math.min(into.between[k] as number, us);
      for (const [k, { runs, lanesUs }] of from.stages.entries()) {
        const stage = into.stages[k] as StageCourse;
        stage.runs.push(...runs);
        stage.lanesUs = Math.min(stage.lanesUs, lanesUs);
      }
    }
    for (const [k, child] of from.children.entries()) {
      const mine = into.children[k];
      if (child === undefined || mine === undefined || child.label !== mine.label) continue;
      const cheaper = pairOf(mine, child);
      into.children[k] = cheaper;
      open.push([cheaper, cheaper === mine ? child : mine]);
    }
  }
  return result;
}

/** The one of two tasks whose steps count. */
const pairOf = (one: Course, other: Course): Course =>
  isAlike(one, other) || sumOf(one.costs) <= sumOf(other.costs) ? one : other;
