/** Compares the answers of Furcate with those of plain loops, under many selections, and times both by the way. */
import { setRange } from './crossfilter/bounds.js';
import { DIMENSIONS } from './crossfilter/dimensions.js';
import type { Crossfilter } from './crossfilter/tally.js';
import type { Engine } from './frame-loop.js';
import type { Latest } from './latest.js';

/** One selection of everything, then ever narrower ones. */
const SELECTIONS = 8;

/** Whether all tallies were equal. Leaves the bounds open. */
export async function checkTallies(
  crossfilter: Crossfilter,
  onTime: (engine: Engine, ms: number) => void,
): Promise<boolean> {
  let areEqual = true;
  for (let selection = 0; selection < SELECTIONS; selection++) {
    DIMENSIONS.forEach(({ low, high }, d) => {
      const cut = Math.round(((high - low) * selection) / (3 * SELECTIONS));
      setRange(crossfilter.bounds, d, { low: low + cut, high: high - cut });
    });
    await aTurn(); // the page stays alive between the passes
    const start = performance.now();
    const plain = crossfilter.plain();
    const middle = performance.now();
    const furcate = await crossfilter.furcate();
    onTime('plain', middle - start);
    onTime('furcate', performance.now() - middle);
    areEqual &&= plain.all.every((count, i) => count === furcate.all[i]);
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

/** Sorts all flights in both ways. */
export async function checkSort(latest: Latest): Promise<SortTimes> {
  const start = performance.now();
  await latest.furcate();
  const middle = performance.now();
  latest.plain();
  return { plainMs: performance.now() - middle, furcateMs: middle - start, areEqual: latest.areEqual() };
}

/** Not a frame of the screen: a page that is not seen gets none. */
export const aTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
