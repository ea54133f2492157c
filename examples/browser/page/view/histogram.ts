/** A filter: the histogram of a dimension, and the range that one drags over it. */
import type { Dimension, Range } from '../crossfilter/dimensions.js';
import { Brush } from './brush.js';
import type { Palette } from './colors.js';
import { make } from './page.js';
import { Surface } from './surface.js';

const GAP = 1;

export class Histogram {
  readonly #dimension: Dimension;
  readonly #surface: Surface;
  readonly #brush: Brush;
  readonly #selected = make('output', 'selected');
  readonly #clear = make('button', 'clear', 'Clear');
  #palette: Palette;
  #counts: Int32Array | undefined;

  /** @param onChange called with the new selection; undefined selects everything */
  constructor(
    dimension: Dimension,
    place: HTMLElement,
    palette: Palette,
    onChange: (range: Range | undefined) => void,
  ) {
    this.#dimension = dimension;
    this.#palette = palette;
    const canvas = make('canvas', 'bars');
    const plot = make('div', 'plot', canvas);
    const head = make('div', 'filter-head', make('h3', '', dimension.title), this.#selected, this.#clear);
    place.append(make('section', 'filter', head, plot, axisOf(dimension)));
    this.#surface = new Surface(canvas, () => this.#redraw());
    this.#brush = new Brush(
      plot,
      dimension.title,
      (share) => dimension.format(this.#valueAt(share)),
      () => {
        this.#showRange();
        this.#redraw();
        onChange(this.range);
      },
    );
    this.#clear.type = 'button';
    this.#clear.setAttribute('aria-label', `Clear the filter of ${dimension.title.toLowerCase()}`);
    this.#clear.addEventListener('click', () => this.#brush.set(0, 1));
    this.#showRange();
  }

  /** The selection; undefined if it is everything. */
  get range(): Range | undefined {
    if (this.#brush.isOpen) return undefined;
    return { low: this.#valueAt(this.#brush.low), high: this.#valueAt(this.#brush.high) };
  }

  set range(range: Range | undefined) {
    const { low, high } = this.#dimension;
    if (range === undefined) this.#brush.set(0, 1);
    else this.#brush.set((range.low - low) / (high - low), (range.high - low) / (high - low));
  }

  set palette(palette: Palette) {
    this.#palette = palette;
    this.#redraw();
  }

  draw(counts: Int32Array): void {
    this.#counts = counts;
    this.#redraw();
  }

  #valueAt(share: number): number {
    const { low, high } = this.#dimension;
    return Math.round(low + share * (high - low));
  }

  #showRange(): void {
    const { format } = this.#dimension;
    const { range } = this;
    this.#clear.hidden = range === undefined;
    this.#selected.textContent = range === undefined ? 'all' : `${format(range.low)} to ${format(range.high)}`;
  }

  #redraw(): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const { context, width, height } = this.#surface;
    this.#surface.clear();
    const most = Math.max(1, ...counts);
    const step = width / counts.length;
    const { low, high } = this.#brush;
    for (let bin = 0; bin < counts.length; bin++) {
      const middle = (bin + 0.5) / counts.length;
      context.fillStyle = middle >= low && middle <= high ? this.#palette.accent : this.#palette.muted;
      const barHeight = counts[bin] === 0 ? 0 : Math.max(1, (counts[bin] / most) * height);
      context.fillRect(bin * step, height - barHeight, Math.max(1, step - GAP), barHeight);
    }
  }
}

function axisOf({ low, high, ticks }: Dimension): HTMLElement {
  const axis = make('div', 'axis');
  for (const [tick, text] of ticks) {
    const label = make('span', '', text);
    label.style.left = `${(100 * (tick - low)) / (high - low)}%`;
    axis.append(label);
  }
  return axis;
}
