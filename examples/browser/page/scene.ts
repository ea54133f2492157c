/** All that is drawn, and what the reader does to it: filters, the switch, the tour and the sort. */
import type { ForkJoinPool } from 'furcate';
import { decimal, whole } from '../../flights/words.js';
import { workerShares } from '../../flights/worker-shares.js';
import { aTurn, checkSort, type SortTimes } from './check.js';
import { setRange } from './crossfilter/bounds.js';
import { DIMENSIONS, type Range } from './crossfilter/dimensions.js';
import type { Crossfilter, Tally } from './crossfilter/tally.js';
import type { Flights } from './data/flights.js';
import type { Engine, PassTime } from './engines.js';
import { FrameLoop } from './frame-loop.js';
import type { Latest } from './latest.js';
import { PageFrames } from './page-frames.js';
import type { Drawn } from './report.js';
import { Tour } from './tour.js';
import { currentPalette, onSchemeChange } from './view/colors.js';
import { DelayMap } from './view/delay-map.js';
import { FrameStrip } from './view/frame-strip.js';
import { Histogram } from './view/histogram.js';
import { type LatestFlight, latestFlight, showLatest } from './view/latest-table.js';
import { element } from './view/page.js';
import { Shares } from './view/shares.js';
import { Timings } from './view/timings.js';

const SHOWN_LATEST = 8;
const REPORTED_AIRPORTS = 5;
/** How often both sorts run for a comparison. */
const SORTS = 5;
/** How long a selection rests before the latest flights are looked up (ms). */
const REST_MS = 150;
/** Texts change a few times a second, or nobody could read them (ms). */
const TEXT_MS = 200;

export class Scene {
  readonly #frames = new PageFrames();
  readonly timings = new Timings(this.#frames);
  readonly #flights: Flights;
  readonly #crossfilter: Crossfilter;
  readonly #latest: Latest;
  readonly #pool: ForkJoinPool;
  readonly #map: DelayMap;
  readonly #histograms: readonly Histogram[];
  readonly #strip: FrameStrip;
  readonly #shares: Shares;
  readonly #loop: FrameLoop;
  readonly #tour: Tour;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #textAt = 0;

  static async create(
    flights: Flights,
    crossfilter: Crossfilter,
    latest: Latest,
    pool: ForkJoinPool,
    fail: (error: unknown) => void,
  ): Promise<Scene> {
    const map = await DelayMap.load(flights.airports, currentPalette());
    return new Scene(flights, crossfilter, latest, pool, map, fail);
  }

  private constructor(
    flights: Flights,
    crossfilter: Crossfilter,
    latest: Latest,
    pool: ForkJoinPool,
    map: DelayMap,
    fail: (error: unknown) => void,
  ) {
    this.#flights = flights;
    this.#crossfilter = crossfilter;
    this.#latest = latest;
    this.#pool = pool;
    this.#map = map;
    const palette = currentPalette();
    this.#strip = new FrameStrip(palette);
    this.#shares = new Shares(pool);
    this.#histograms = DIMENSIONS.map(
      (dimension, d) => new Histogram(dimension, element('#filters'), palette, (range) => this.#select(d, range)),
    );
    this.#tour = new Tour(this.#histograms, () => this.#loop.request());
    this.#loop = new FrameLoop(crossfilter, {
      advance: () => this.#tour.advance(),
      draw: (tally, engine, time) => this.#draw(tally, engine, time),
      frames: this.#frames,
      fail,
    });
    onSchemeChange(() => this.#recolor());
    document.querySelectorAll<HTMLInputElement>('input[name=engine]').forEach((input) => {
      input.addEventListener('change', () => {
        this.#loop.engine = input.value as Engine;
        this.#loop.request();
      });
    });
    element('#sort', HTMLButtonElement).addEventListener('click', () => {
      this.#sortAgain().catch(fail);
    });
  }

  /** Draws the first frame, with these selections, and lets the reader take over. */
  async begin(ranges: readonly (Range | undefined)[]): Promise<Drawn> {
    this.#map.scaleTo(await this.#crossfilter.furcate());
    ranges.forEach((range, d) => {
      setRange(this.#crossfilter.bounds, d, range);
    });
    const tally = await this.#crossfilter.furcate();
    const drawn = this.#drawn(tally);
    ranges.forEach((range, d) => {
      this.#histograms[d].range = range;
    });
    this.#shares.refresh();
    element('#no-shares').hidden = workerShares(this.#pool.stats()).some(({ elements }) => elements > 0);
    this.timings.show();
    this.#tour.enable();
    element('#sort', HTMLButtonElement).disabled = false;
    this.#loop.request();
    return drawn;
  }

  #showSort({ plainMs, furcateMs }: SortTimes): void {
    element('#sort-times').textContent =
      `Sorted ${whole(this.#flights.count)} flights by delay, medians of ${SORTS}: plain sort ${whole(plainMs)} ms, in which the page ` +
      `stands still; Furcate ${whole(furcateMs)} ms (${decimal(plainMs / furcateMs, 1)}×), in which it does not.`;
  }

  #select(d: number, range: Range | undefined): void {
    setRange(this.#crossfilter.bounds, d, range);
    this.#loop.request();
  }

  #draw(tally: Tally, engine: Engine, time: PassTime): void {
    this.#map.draw(tally);
    this.#histograms.forEach((histogram, d) => {
      histogram.draw(tally.histograms[d]);
    });
    this.#strip.add(engine, time.ms);
    this.timings.add(engine, time);
    const now = performance.now();
    if (now - this.#textAt > TEXT_MS) this.#showTexts(tally, now);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#showTexts(tally, performance.now());
      showLatest(this.#latestSelected());
    }, REST_MS);
  }

  #showTexts(tally: Tally, now: number): void {
    this.#textAt = now;
    this.timings.show();
    element('#selected-flights').textContent = whole(selectedIn(tally));
    const rate = this.#loop.framesPerSecond;
    if (rate !== undefined) element('#rate').textContent = whole(rate);
  }

  #latestSelected(): LatestFlight[] {
    const rows = this.#latest.rows(SHOWN_LATEST, (row) => this.#crossfilter.selects(row));
    return rows.map((row) => latestFlight(this.#flights, row));
  }

  #drawn(tally: Tally): Drawn {
    const airports = [...tally.flights]
      .map((flights, airport) => ({ code: this.#flights.airports[airport].code, flights, late: tally.late[airport] }))
      .sort((a, b) => b.flights - a.flights)
      .slice(0, REPORTED_AIRPORTS);
    return {
      histograms: tally.histograms.map((counts) => [...counts]),
      selected: selectedIn(tally),
      airports,
      latest: this.#latestSelected(),
      plainMs: this.timings.ms('plain'),
      furcateMs: this.timings.ms('furcate'),
      shares: Object.fromEntries(
        workerShares(this.#pool.stats()).map(({ worker, elements }) => [worker, elements] as const),
      ),
    };
  }

  async #sortAgain(): Promise<void> {
    const button = element('#sort', HTMLButtonElement);
    button.disabled = true;
    await aTurn(); // shows the button first: the plain sort stops the page
    this.#showSort(await checkSort(this.#latest, SORTS));
    button.disabled = false;
  }

  #recolor(): void {
    const palette = currentPalette();
    for (const view of [this.#map, this.#strip, ...this.#histograms]) view.palette = palette;
  }
}

const selectedIn = (tally: Tally): number => tally.flights.reduce((sum, flights) => sum + flights, 0);
