/** Compares the answers of Furcate with those of plain loops, under many selections, and times both by the way, once they are warm. */

import { median } from '../../flights/measure.js';
import { setRange } from './crossfilter/bounds.js';
import { DIMENSIONS } from './crossfilter/dimensions.js';
import type { Crossfilter } from './crossfilter/tally.js';
import { ENGINES, type Engine, type PassTime } from './engines.js';
import { passBy } from './frame-loop.js';
import type { Latest } from './latest.js';

/** One selection of everything, then ever narrower ones. */
const SELECTIONS = 14;
/** The first passes compile their loops, and touch memory for the first time: they are not timed. */
const COLD = 5;

/** Whether all tallies were equal. Leaves the bounds open. */
export async function checkTallies(
  crossfilter: Crossfilter,
  onTime: (engine: Engine, time: PassTime) => void,
): Promise<boolean> {
  let areEqual = true;
  for (let selection = 0; selection < SELECTIONS; selection++) {
    DIMENSIONS.forEach(({ low, high }, d) => {
      const cut = Math.round(((high - low) * selection) / (3 * SELECTIONS));
      setRange(crossfilter.bounds, d, { low: low + cut, high: high - cut });
    });
    await aTurn(); // the page stays alive between the passes
    const passes = { plain: await passBy('plain', crossfilter), furcate: await passBy('furcate', crossfilter) };
    if (selection >= COLD) for (const engine of ENGINES) onTime(engine, passes[engine].time);
    areEqual &&= passes.plain.tally.all.every((count, i) => count === passes.furcate.tally.all[i]);
  }
  DIMENSIONS.forEach((_, d) => {
    setRange(crossfilter.bounds, d, undefined);
  });
  return areEqual;
}

export interface SortTimes {
  readonly plainMs: number;
  readonly furcateMs: number;
  readonly areEqual: boolean;
}

/** Sorts all flights in both ways, by turns. @returns the medians */
export async function checkSort(latest: Latest, rounds: number): Promise<SortTimes> {
  const [plain, furcate]: [number[], number[]] = [[], []];
  let areEqual = true;
  for (let round = 0; round < rounds; round++) {
    await aTurn();
    const start = performance.now();
    await latest.furcate();
    const middle = performance.now();
    latest.plain();
    plain.push(performance.now() - middle);
    furcate.push(middle - start);
    areEqual &&= latest.areEqual();
  }
  return { plainMs: median(plain), furcateMs: median(furcate), areEqual };
}

/** Not a frame of the screen: a page that is not seen gets none. */
export const aTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
