/** Both times of a pass beside each other, and which of them draws the map. */
import { median } from '../../../flights/measure.js';
import { decimal } from '../../../flights/words.js';
import { ENGINES, type Engine } from '../frame-loop.js';
import { FRAME_MS } from './frame-strip.js';
import { element } from './page.js';

/** Passes whose median is shown. */
const SHOWN = 30;
/** The longest bar, at least (ms). */
const LEAST_FULL_MS = 2 * FRAME_MS;

export class Timings {
  readonly #times: Record<Engine, number[]> = { plain: [], furcate: [] };

  add(engine: Engine, ms: number): void {
    const times = this.#times[engine];
    times.push(ms);
    if (times.length > SHOWN) times.shift();
  }

  /** The median of the last passes, in milliseconds; undefined before the first. */
  ms(engine: Engine): number | undefined {
    const times = this.#times[engine];
    return times.length === 0 ? undefined : median(times);
  }

  show(): void {
    const [plain, furcate] = [this.ms('plain'), this.ms('furcate')];
    const full = Math.max(LEAST_FULL_MS, plain ?? 0, furcate ?? 0);
    for (const engine of ENGINES) {
      const ms = this.ms(engine);
      element(`#time-${engine}`).textContent = ms === undefined ? '–' : `${decimal(ms, 1)} ms`;
      element(`#bar-${engine}`).style.width = `${(100 * (ms ?? 0)) / full}%`;
    }
    element('#budget').style.left = `${(100 * FRAME_MS) / full}%`;
    element('#speed-up').textContent =
      plain === undefined || furcate === undefined ? '–' : `${decimal(plain / furcate, 1)}×`;
  }
}
