/**
 * Cost of an element for some function, as measured; runs on every thread, each with figures of its own.
 *
 * A figure belongs to a function (by source: a realm compiles a source once), so a second call starts where the first one
 * ended. Zero means unknown. A measurement that is long enough replaces the figure. A short one can only lower it, because short
 * measurements are disturbed by the clock, the collector and code that is not compiled yet. A measurement by the threads of a
 * pool together raises the figure slowly: they wait for memory and for cores, which V8's compiler takes from them in the first
 * calls of a function.
 */
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { POOL_DOUBT } from '../tuning.js';

/** Shorter measurements are too inexact to raise a figure (milliseconds). */
const TELLING_MS = 0.024;

export class Cost {
  /** Nanoseconds an element; 0 while unknown. */
  nsPerElement: number;
  /** Most elements in one measurement: how far the figure may be extrapolated. */
  measuredElements: number;

  constructor(assumedNs = 0, measuredElements = 0) {
    this.nsPerElement = assumedNs;
    this.measuredElements = measuredElements;
  }

  /** Takes in a measurement. Where the clock is too coarse to see the work, a small fraction of its step counts. */
  note(elements: number, ms: number): void {
    const measured = (Math.max(ms, 1e-5) * 1e6) / elements;
    if (elements > this.measuredElements) this.measuredElements = elements;
    if (ms >= TELLING_MS || this.nsPerElement === 0 || measured < this.nsPerElement) this.nsPerElement = measured;
  }

  /** Takes in what all threads of a pool took together. */
  noteShared(elements: number, ms: number): void {
    const before = this.nsPerElement;
    this.note(elements, ms);
    if (before > 0 && this.nsPerElement > before)
      this.nsPerElement = before + (this.nsPerElement - before) / POOL_DOUBT;
  }

  /** Time that so many elements should take (microseconds); Infinity while unknown. */
  estimateUs(elements: number): number {
    return this.nsPerElement === 0 ? Number.POSITIVE_INFINITY : (this.nsPerElement * elements) / 1000;
  }
}

const costs = new WeakMap<object, Cost>();

/** The figure that belongs to a function in this realm. */
export function costOf(fn: object, assumedNs = 0): Cost {
  let cost = costs.get(fn);
  if (cost === undefined) {
    cost = new Cost(assumedNs);
    costs.set(fn, cost);
  }
  return cost;
}

/** From now on a function has the figure of another one, which does the same. */
export function shareCost(fn: object, known: object): void {
  costs.set(fn, costOf(known));
}

/** The figures of work that costs the same for all arrays of one element type. */
export function costsByType(assumedNs: number): (xs: TypedArray) => Cost {
  const ofType: Cost[] = [];
  return (xs) => {
    const type = typeOfView(xs);
    ofType[type] ??= new Cost(assumedNs);
    return ofType[type];
  };
}
