/** The times of the last passes as bars, with the time that 60 frames a second leave. */
import { median } from '../../../flights/measure.js';
import { decimal, whole } from '../../../flights/words.js';
import type { Engine } from '../engines.js';
import type { Palette } from './colors.js';
import { element } from './page.js';
import { Surface } from './surface.js';

export const FRAME_MS = 1000 / 60;

const LABEL_FONT = '11px system-ui, sans-serif';
const LABEL_HEIGHT = 12;
/** Room for the labels at the left (CSS pixels). */
const LABEL_WIDTH = 48;
const BAR_WIDTH = 3;
const STEP = 4;
/** The strip shows this much time at least, and more if passes take longer. */
const LEAST_SHOWN_MS = 2 * FRAME_MS;
/** Bars that are so many times as long as the median one are cut off, so that one slow pass does not make all others flat. */
const CUT_OFF = 3;

export class FrameStrip {
  readonly #surface: Surface;
  readonly #passes: { readonly engine: Engine; readonly ms: number }[] = [];
  #palette: Palette;

  constructor(palette: Palette) {
    this.#palette = palette;
    this.#surface = new Surface(element('#frames', HTMLCanvasElement), () => this.#redraw());
  }

  set palette(palette: Palette) {
    this.#palette = palette;
    this.#redraw();
  }

  add(engine: Engine, ms: number): void {
    this.#passes.push({ engine, ms });
    const shown = Math.max(1, Math.floor((this.#surface.width - LABEL_WIDTH) / STEP));
    if (this.#passes.length > shown) this.#passes.splice(0, this.#passes.length - shown);
    this.#redraw();
  }

  #redraw(): void {
    const { context, width, height } = this.#surface;
    this.#surface.clear();
    const times = this.#passes.map(({ ms }) => ms);
    const longest = Math.max(0, ...times);
    const most = Math.max(LEAST_SHOWN_MS, Math.min(longest, CUT_OFF * (times.length === 0 ? 0 : median(times))));
    this.#passes.forEach(({ engine, ms }, i) => {
      const barHeight = Math.min(height, Math.max(1, (ms / most) * height));
      context.fillStyle = engine === 'furcate' ? this.#palette.accent : this.#palette.plain;
      context.fillRect(width - (this.#passes.length - i) * STEP, height - barHeight, BAR_WIDTH, barHeight);
    });
    const budget = Math.round(height - (FRAME_MS / most) * height) + 0.5;
    const label = `${decimal(FRAME_MS, 1)} ms`;
    context.font = LABEL_FONT;
    context.fillStyle = this.#palette.text;
    context.strokeStyle = this.#palette.text;
    context.lineWidth = 1;
    context.textBaseline = 'middle';
    context.fillText(label, 0, Math.min(budget, height - LABEL_HEIGHT / 2)); // not cut off where the longest pass is long
    context.textBaseline = 'top';
    if (budget > 2 * LABEL_HEIGHT) context.fillText(`${whole(most)} ms`, 0, 0);
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(context.measureText(label).width + 6, budget);
    context.lineTo(width, budget);
    context.stroke();
    context.setLineDash([]);
  }
}
