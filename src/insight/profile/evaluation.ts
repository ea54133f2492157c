/** Work and span of a course, by the same model as observer.ts; on the thread that called `profile`. */
import { type Course, type CourseStep, kindOf, type StrandKind } from './course.js';
import { leastOfEach, piecesOf } from './cover.js';
import { endOfGraph, type NodeCost } from './graph-path.js';
import { type Label, labelOf, later, type Point, type SpanLink, START } from './point.js';
import { OUTSIDE } from './strand.js';

/** Assumptions about the costs of a course (us). */
export interface Assumptions {
  /** So much of each strand is not of the program, but of the observer. */
  lessUs(kind: StrandKind): number;
  /** From a fork to the begin of its task, and from the end of a task to its join, if another thread runs the task. Not of invocations, which always go to another thread. */
  readonly stealUs: number;
  readonly returnUs: number;
}

export interface Evaluation {
  readonly work: number;
  readonly span: number;
  readonly way: SpanLink | undefined;
  readonly byLabel: ReadonlyMap<Label, number>;
  readonly regions: ReadonlyMap<string, { calls: number; work: number; span: number }>;
}

/** On the path of a burdened span. */
const STEAL = labelOf('(steal)', '');
const RETURN = labelOf('(return)', '');

/** A task, as far as it has been evaluated. */
interface EvaluatedTask {
  readonly course: Course;
  readonly label: Label;
  readonly forks: Point[];
  readonly regions: { readonly name: string; readonly work: number; readonly span: number }[];
  next: number;
  point: Point;
  beside: Point;
}

const frameOf = (course: Course, label: Label, point: Point): EvaluatedTask => ({
  course,
  label: course.label ?? label,
  forks: [],
  regions: [],
  next: 0,
  point,
  beside: START,
});

export function evaluate(program: Course, { lessUs, stealUs, returnUs }: Assumptions): Evaluation {
  const byLabel = new Map<Label, number>();
  const regions = new Map<string, { calls: number; work: number; span: number }>();
  const lessOfUnits = lessUs('stage stage');
  let work = 0;
  const works = (label: Label, us: number): void => {
    work += us;
    byLabel.set(label, (byLabel.get(label) ?? 0) + us);
  };

  const stageEnds = (frame: EvaluatedTask, at: number): void => {
    const { runs, lanesUs, edges } = frame.course.stages[at] as Course['stages'][number];
    works(frame.label, lanesUs);
    if (edges !== undefined) {
      const nodes = new Map<number, NodeCost>();
      for (const { calls, lo, work, span } of leastOfEach(runs)) {
        works(calls, Math.max(0, work - lessOfUnits));
        nodes.set(lo, { label: calls, cost: Math.max(0, span - lessOfUnits) });
      }
      frame.point = endOfGraph(frame.point, nodes, edges);
      return;
    }
    let costliest: Point | undefined;
    for (const { calls, lo, hi, work, span } of piecesOf(runs)) {
      works(calls, Math.max(0, work - lessOfUnits));
      const us = Math.max(0, span - lessOfUnits / (hi - lo));
      if (costliest === undefined || frame.point.cost + us > costliest.cost) costliest = frame.point.plus(calls, us);
    }
    if (costliest !== undefined) frame.point = costliest;
  };

  const step = (frame: EvaluatedTask, { kind, at }: CourseStep): EvaluatedTask | undefined => {
    if (kind === 'fork') frame.forks.push(frame.point);
    else if (kind === 'stage') stageEnds(frame, at);
    else if (kind === 'meet') frame.point = later(frame.point, frame.beside);
    else if (kind === 'region')
      frame.regions.push({ name: (frame.course.regions[at] as Label).name, work, span: frame.point.cost });
    else if (kind === 'regionEnd') {
      frame.point = later(frame.point, frame.beside);
      const begun = frame.regions.pop();
      if (begun === undefined) return undefined;
      const region = regions.get(begun.name) ?? { calls: 0, work: 0, span: 0 };
      regions.set(begun.name, region);
      region.calls++;
      region.work += work - begun.work;
      region.span += frame.point.cost - begun.span;
    } else {
      const child = frame.course.children[at];
      if (child !== undefined) {
        const fork = frame.forks[at] ?? frame.point;
        return frameOf(child, frame.label, frame.course === program ? fork : fork.plus(STEAL, stealUs));
      }
    }
    return undefined;
  };

  const open = [frameOf(program, OUTSIDE, START)];
  for (;;) {
    const frame = open.at(-1) as EvaluatedTask;
    const { course } = frame;
    const us = Math.max(0, (course.costs[frame.next] as number) - lessUs(kindOf(course, frame.next)));
    works(frame.label, us);
    frame.point = frame.point.plus(frame.label, us);
    const next = course.steps[frame.next++];
    if (next !== undefined) {
      const child = step(frame, next);
      if (child !== undefined) open.push(child);
      continue;
    }
    open.pop();
    const end = later(frame.point, frame.beside);
    const outer = open.at(-1);
    if (outer === undefined) return { work, span: end.cost, way: end.way, byLabel, regions };
    const back = outer.course === program ? end : end.plus(RETURN, returnUs);
    if (outer.course.steps[outer.next - 1]?.kind === 'joinBeside') outer.beside = later(outer.beside, back);
    else outer.point = later(outer.point, back);
  }
}
