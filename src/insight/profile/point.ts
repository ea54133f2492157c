/** Points of a computation: what the costliest way costs that leads there, and which way that is. Runs on every thread that is observed. */

/** Label of what runs: a class, a function, or an algorithm. There is one object for each name and module in a realm. */
export interface Label {
  readonly name: string;
  /** Empty for what the library runs itself. */
  readonly module: string;
}

const labels = new Map<string, Label>();

export function labelOf(name: string, module: string): Label {
  const key = `${module} ${name}`;
  let label = labels.get(key);
  if (label === undefined) {
    label = { name, module };
    labels.set(key, label);
  }
  return label;
}

/** Longest way that is kept in order; longer ones are summed up by label. */
const MAX_STEPS = 1000;

/** A way, from its end. Other ways may begin in the same manner, so a step never changes. */
export class SpanLink {
  readonly label: Label;
  readonly units: number;
  readonly before: SpanLink | undefined;
  readonly length: number;

  constructor(label: Label, units: number, before: SpanLink | undefined) {
    this.label = label;
    this.units = units;
    this.before = before;
    this.length = (before?.length ?? 0) + 1;
  }

  /** This way, and then so much more. */
  static after(way: SpanLink | undefined, label: Label, units: number): SpanLink {
    if (way?.label === label) return new SpanLink(label, way.units + units, way.before);
    return new SpanLink(label, units, way !== undefined && way.length >= MAX_STEPS ? summed(way) : way);
  }
}

/** A way in order. */
export function stepsOf(way: SpanLink | undefined): SpanLink[] {
  const steps: SpanLink[] = [];
  for (let step = way; step !== undefined; step = step.before) steps.push(step);
  return steps.reverse();
}

/** One step for each label, in the order in which the way meets them first. */
function summed(way: SpanLink): SpanLink | undefined {
  const units = new Map<Label, number>();
  for (const step of stepsOf(way)) units.set(step.label, (units.get(step.label) ?? 0) + step.units);
  let sum: SpanLink | undefined;
  for (const [label, all] of units) sum = new SpanLink(label, all, sum);
  return sum;
}

export class Point {
  readonly cost: number;
  readonly way: SpanLink | undefined;

  constructor(cost: number, way: SpanLink | undefined) {
    this.cost = cost;
    this.way = way;
  }

  plus(label: Label, units: number): Point {
    return units === 0 ? this : new Point(this.cost + units, SpanLink.after(this.way, label, units));
  }
}

export const START = new Point(0, undefined);

/** Later of two points, where both have been: the costlier way counts. */
export const later = (a: Point, b: Point): Point => (b.cost > a.cost ? b : a);
