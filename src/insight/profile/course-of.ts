/** Reads a course from the journal of a program; on the thread that called `profile`. */
import type { Course, CourseStep, CourseStepKind, StageCourse } from './course.js';
import type { UnitPiece } from './cover.js';
import type { GraphEdges } from './graph-path.js';
import {
  ARGUMENTS,
  BEGINS,
  CALLS,
  EDGE,
  ENDS,
  FORKS,
  JOINS,
  JOINS_BESIDE,
  type JournalData,
  MEETS,
  REGION,
  REGION_ENDS,
  TASK,
  UNITS,
} from './journal.js';
import { type Label, labelOf } from './point.js';

/** A step, while its task is read. */
interface Entry {
  readonly kind: CourseStepKind;
  us: number;
  /** Since units of the stage have begun. */
  readonly isInStage: boolean;
  /** Of a join. */
  readonly fork?: Entry | undefined;
  child?: Course | undefined;
  /** Of a stage, a region, or a call: for how long nothing had run before. */
  readonly of?: StageCourse | Label | number;
  /** A lane of a stage: the pieces of the stage stand for it. Or a task of the library that did nothing. */
  isLane?: boolean;
  /** Of a fork. */
  number?: number;
}

/** A task that is being read. */
class TaskReading {
  label: Label | undefined;
  /** The join that it is read for. */
  readonly join: Entry | undefined;
  readonly #forks: Entry[] = [];
  #entries: Entry[] = [];
  #pieces: UnitPiece[] = [];
  #lanesUs = 0;
  #edges: (readonly [number, number])[] = [];
  /** Spent before the units of the stage. */
  #beforeUs = 0;
  #isInStage = false;

  constructor(join: Entry | undefined) {
    this.join = join;
  }

  add(kind: CourseStepKind, us: number, of?: Entry['of']): void {
    const entry: Entry = { kind, us, of, isInStage: this.#isInStage };
    this.#entries.push(entry);
    if (kind === 'fork') this.#forks.push(entry);
  }

  joins(kind: CourseStepKind, us: number, fork: number): Entry {
    const entry: Entry = { kind, us, fork: this.#forks[fork], isInStage: this.#isInStage };
    this.#entries.push(entry);
    return entry;
  }

  begins(us: number): void {
    if (this.#isInStage) this.#lanesUs += us;
    else this.#beforeUs += us;
    this.#isInStage = true;
  }

  piece(us: number, piece: UnitPiece): void {
    this.#lanesUs += us;
    this.#pieces.push(piece);
  }

  edge(edge: readonly [number, number]): void {
    this.#edges.push(edge);
  }

  meets(us: number): void {
    if (this.#pieces.length === 0) {
      this.add('meet', us);
      return;
    }
    this.#dropLanes();
    const [beforeUs, lanesUs] = [this.#beforeUs, this.#lanesUs + us];
    const edges: GraphEdges | undefined = this.#edges.length > 0 ? this.#edges : undefined;
    this.#isInStage = false;
    this.add('stage', beforeUs, { runs: [this.#pieces], lanesUs, edges });
    this.#pieces = [];
    this.#lanesUs = this.#beforeUs = 0;
    this.#edges = [];
  }

  #dropLanes(): void {
    for (const { isLane, isInStage, us } of this.#entries) {
      if (isLane !== true) continue;
      if (isInStage) this.#lanesUs += us;
      else this.#beforeUs += us;
    }
    this.#entries = this.#entries.filter(({ isLane }) => isLane !== true);
  }

  /** The task has ended; a lane leaves its pieces, and what it has cost beside them, to the task that joins it. */
  end(us: number, outer: TaskReading | undefined): Course {
    const isEmpty = this.#pieces.length === 0 && this.#entries.every(({ isLane }) => isLane === true);
    if (this.label === undefined && outer !== undefined && (isEmpty || this.#pieces.length > 0)) {
      outer.#isInStage ||= !isEmpty;
      for (const piece of this.#pieces) outer.#pieces.push(piece);
      for (const entry of this.#entries) this.#lanesUs += entry.us;
      outer.#lanesUs += this.#lanesUs + this.#beforeUs + us;
      for (const entry of [this.join, this.join?.fork]) if (entry !== undefined) entry.isLane = true;
      this.#entries = [];
      this.#lanesUs = this.#beforeUs = us = 0;
    } else if (this.#pieces.length > 0) this.meets(0);
    this.#dropLanes();
    const steps: CourseStep[] = [];
    const costs: number[] = [];
    const children: (Course | undefined)[] = [];
    const stages: StageCourse[] = [];
    const regions: Label[] = [];
    const between: number[] = [];
    for (const entry of this.#entries) {
      let at = 0;
      if (entry.kind === 'fork') {
        at = entry.number = children.push(undefined) - 1;
        between.push(typeof entry.of === 'number' ? entry.of : 0);
      } else if (entry.kind === 'stage') at = stages.push(entry.of as StageCourse) - 1;
      else if (entry.kind === 'region') at = regions.push(entry.of as Label) - 1;
      else if (entry.fork !== undefined) {
        at = entry.fork.number ?? 0;
        children[at] = entry.child;
      }
      steps.push({ kind: entry.kind, at });
      costs.push(entry.us);
    }
    costs.push(us + this.#beforeUs + this.#lanesUs);
    return { label: this.label, steps, costs, children, stages, regions, between };
  }
}

export function courseOf({ entries, labels }: JournalData): Course {
  const labelAt = (k: number): Label => labelOf(...(labels[entries[k] as number] as [string, string]));
  const open: TaskReading[] = [new TaskReading(undefined)];
  for (let k = 0; ; ) {
    const [us, code] = [entries[k], entries[k + 1]] as [number, number];
    const at = k + 2;
    k = at + (ARGUMENTS[code] as number);
    const now = open.at(-1) as TaskReading;
    if (code === FORKS) now.add('fork', us);
    else if (code === JOINS || code === JOINS_BESIDE)
      open.push(new TaskReading(now.joins(code === JOINS ? 'join' : 'joinBeside', us, entries[at] as number)));
    else if (code === CALLS) now.add('fork', us, entries[at] as number);
    else if (code === MEETS) now.meets(us);
    else if (code === BEGINS) now.begins(us);
    else if (code === EDGE) now.edge([entries[at] as number, entries[at + 1] as number]);
    else if (code === REGION) now.add('region', us, labelAt(at));
    else if (code === REGION_ENDS) now.add('regionEnd', us);
    else if (code === TASK) now.label = labelAt(at);
    else if (code === UNITS) {
      const [lo, hi, work, span] = entries.slice(at + 1, k) as [number, number, number, number];
      now.piece(us, { calls: labelAt(at), lo, hi, work, span });
    } else if (code === ENDS) {
      open.pop();
      const course = now.end(us, open.at(-1));
      if (open.length === 0) return course;
      (now.join as Entry).child = course;
    }
  }
}
