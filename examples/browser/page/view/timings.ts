/** What the passes of both engines took, beside each other: medians of the last ones, and what the page felt of them. */
import { median } from '../../../flights/measure.js';
import { decimal, whole } from '../../../flights/words.js';
import { ENGINES, type Engine, type PassTime } from '../engines.js';
import type { PageFrames } from '../page-frames.js';
import { FRAME_MS } from './frame-strip.js';
import { element } from './page.js';

/** Passes whose median is shown. */
const SHOWN = 30;
/** Fewer passes are no figure. */
const ENOUGH = 5;
/** The longest bar, at least (ms). */
const LEAST_FULL_MS = 2 * FRAME_MS;

export class Timings {
  readonly #passes: Record<Engine, PassTime[]> = { plain: [], furcate: [] };
  readonly #frames: PageFrames;

  constructor(frames: PageFrames) {
    this.#frames = frames;
  }

  add(engine: Engine, time: PassTime): void {
    const passes = this.#passes[engine];
    passes.push(time);
    if (passes.length > SHOWN) passes.shift();
  }

  /** The median of the last passes, in milliseconds; undefined as long as there are too few. */
  ms(engine: Engine): number | undefined {
    return this.#median(engine, 'ms');
  }

  #median(engine: Engine, what: keyof PassTime): number | undefined {
    const passes = this.#passes[engine];
    return passes.length < ENOUGH ? undefined : median(passes.map((pass) => pass[what]));
  }

  show(): void {
    const [plain, furcate] = [this.ms('plain'), this.ms('furcate')];
    const full = Math.max(LEAST_FULL_MS, plain ?? 0, furcate ?? 0);
    for (const engine of ENGINES) {
      const [ms, blockedMs] = [this.ms(engine), this.#median(engine, 'blockedMs')];
      const frames = this.#frames.perSecond(engine);
      element(`#time-${engine}`).textContent = ms === undefined ? '–' : `${decimal(ms, 1)} ms`;
      element(`#bar-${engine}`).style.width = `${(100 * (ms ?? 0)) / full}%`;
      element(`#blocked-${engine}`).textContent = blockedMs === undefined ? '–' : `${decimal(blockedMs, 1)} ms`;
      element(`#frames-${engine}`).textContent = frames === undefined ? '–' : whole(frames);
    }
    element('#times').style.setProperty('--budget', `${(100 * FRAME_MS) / full}%`);
    element('#speed-up').textContent =
      plain === undefined || furcate === undefined ? '–' : `${decimal(plain / furcate, 1)}×`;
  }
}
