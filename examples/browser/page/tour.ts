/** Moves the filter of departures through a day, for readers who would rather watch. */
import { DIMENSIONS, type Range } from './crossfilter/dimensions.js';
import type { Histogram } from './view/histogram.js';
import { element } from './view/page.js';

const DAY = DIMENSIONS.findIndex(({ id }) => id === 'minute');
/** The width of the filter (minutes). */
const WINDOW = 180;
/** How long a day takes (ms). */
const DAY_MS = 12_000;

export class Tour {
  readonly #histogram: Histogram;
  readonly #button = element('#tour', HTMLButtonElement);
  #startedAt: number | undefined;
  /** The reader's own filter, for the end of the tour. */
  #before: Range | undefined;

  /** @param onStart called when the reader starts the tour: frames must be drawn again and again */
  constructor(histograms: readonly Histogram[], onStart: () => void) {
    this.#histogram = histograms[DAY];
    this.#button.addEventListener('click', () => {
      if (this.#startedAt === undefined) {
        this.#startedAt = performance.now();
        this.#before = this.#histogram.range;
        onStart();
      } else this.#stop();
      this.#show();
    });
  }

  enable(): void {
    this.#button.disabled = false;
  }

  /** Before each frame: moves the filter. Returns whether the tour goes on. */
  advance(): boolean {
    if (this.#startedAt === undefined) return false;
    const share = (performance.now() - this.#startedAt) / DAY_MS;
    const { low, high } = DIMENSIONS[DAY];
    const from = Math.round(low + (share % 1) * (high - low - WINDOW));
    this.#histogram.range = { low: from, high: from + WINDOW };
    return true;
  }

  #stop(): void {
    this.#startedAt = undefined;
    this.#histogram.range = this.#before;
  }

  #show(): void {
    const isRunning = this.#startedAt !== undefined;
    this.#button.textContent = isRunning ? 'Stop' : 'Play a day';
    this.#button.setAttribute('aria-pressed', String(isRunning));
  }
}
