/**
 * What an element of some function costs, as measured; runs on every thread, each with its own figures.
 *
 * A figure belongs to a function (by source: a realm compiles a source once), so a second call starts where the first
 * one ended. Zero means unknown. A measurement that is long enough replaces the figure. A short one, where the clock, the
 * collector and code that is not compiled yet have their say, can only lower it: work that has become more expensive takes long.
 * What a pool's threads spent together says little when it is more: they wait for memory and cores, which V8's compiler
 * takes from them in a function's first calls; so it raises the figure slowly.
 */
import { POOL_DOUBT } from '../tuning.js';

/** Measurements shorter than this say little (milliseconds). */
const TELLING_MS = 0.024;

export class Cost {
  /** Nanoseconds an element; 0 while unknown. */
  nsPerElement: number;
  /** Most elements that one measurement stood for: how far the figure may be extrapolated. */
  measuredElements = 0;

  constructor(assumedNs = 0) {
    this.nsPerElement = assumedNs;
  }

  /** Takes in a measurement. A clock too coarse to see the work counts as a small fraction of its step. */
  note(elements: number, ms: number): void {
    const measured = (Math.max(ms, 1e-5) * 1e6) / elements;
    if (elements > this.measuredElements) this.measuredElements = elements;
    if (ms >= TELLING_MS || this.nsPerElement === 0 || measured < this.nsPerElement) this.nsPerElement = measured;
  }

  /** Takes in what all threads of a pool spent together. */
  noteShared(elements: number, ms: number): void {
    const before = this.nsPerElement;
    this.note(elements, ms);
    if (before > 0 && this.nsPerElement > before)
      this.nsPerElement = before + (this.nsPerElement - before) / POOL_DOUBT;
  }

  /** What so many elements should take, in microseconds; Infinity while unknown. */
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
