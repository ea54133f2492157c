/** The picture of what threads do when. */
import { STOLEN } from '../../recording/timeline-event.js';
import { drawLane, type Lane, lanesOf } from '../lanes.js';
import type { LongPath } from '../long-path.js';
import { isWork, kindOfSlice, nameOfSlice } from '../nesting.js';
import { threadOf } from '../overlapping.js';
import { timeOf } from '../words.js';
import { type Colours, PLAIN_TEXT, sized, VARIABLES } from './colours.js';
import type { ViewState } from './view-state.js';

const ROW = 18;
const GAP = 8;
const AXIS = 22;
const MOST_HEIGHT = 560;
/** Narrower slices have no text (pixels). */
const LEAST_TEXT = 34;
/** More arrows hide what is below them. */
const MOST_ARROWS = 300;
const FONT = '12px system-ui, sans-serif';

/** Place where a thread is drawn. */
interface Band {
  readonly thread: number;
  readonly top: number;
  readonly lanes: readonly Lane[];
  /** Number of slices before each place of a lane that match the search. */
  matching: readonly Uint32Array[];
}

/** A round step of the axis, so that there are about so many. */
export function stepOf(us: number, steps: number): number {
  const rough = us / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
}

export class TimelinePicture {
  readonly #state: ViewState;
  readonly #colours: Colours;
  readonly #canvas: HTMLCanvasElement;
  readonly #scroller: HTMLElement;
  readonly #bands: Band[] = [];
  readonly #height: number;
  readonly #path: LongPath | undefined;
  #searched: Uint8Array | undefined;
  showsPath = false;
  #gutter = 0;
  #width = 0;
  /** Number of figures in the last picture. */
  drawn = 0;

  /** @param order the threads, from top to bottom */
  constructor(
    state: ViewState,
    order: readonly number[],
    colours: Colours,
    path: LongPath | undefined,
    canvas: HTMLCanvasElement,
  ) {
    this.#state = state;
    this.#colours = colours;
    this.#path = path;
    this.#canvas = canvas;
    this.#scroller = canvas.parentElement as HTMLElement;
    const lanes = lanesOf(state.nesting);
    let top = 0;
    for (const thread of order) {
      const own = lanes.filter((lane) => lane.thread === thread);
      if (own.length === 0) continue;
      this.#bands.push({ thread, top, lanes: own, matching: [] });
      top += own.length * ROW + GAP;
    }
    this.#height = top;
    (canvas.nextElementSibling as HTMLElement).style.height = `${Math.max(0, top + AXIS - this.#shownHeight)}px`;
    canvas.style.height = `${this.#shownHeight}px`;
    this.#scroller.addEventListener('scroll', () => state.changed());
  }

  get #shownHeight(): number {
    return Math.min(MOST_HEIGHT, this.#height + AXIS);
  }

  #x(us: number): number {
    const { from, to } = this.#state;
    return this.#gutter + ((us - from) / (to - from)) * (this.#width - this.#gutter);
  }

  /** Position on the timeline of a place of the picture: 0 at its left end, 1 at its right end. */
  shareAt(x: number): number {
    return Math.min(1, Math.max(0, (x - this.#gutter) / (this.#width - this.#gutter)));
  }

  /** Pixels of the page that all that is seen takes. */
  get timeWidth(): number {
    return this.#width - this.#gutter;
  }

  /** The slice at a place of the picture; -1 if there is none. */
  sliceAt(x: number, y: number): number {
    const { from, to, nesting } = this.#state;
    const us = from + this.shareAt(x) * (to - from);
    const down = y - AXIS + this.#scroller.scrollTop;
    const band = this.#bands.findLast(({ top }) => top <= down);
    const lane = band?.lanes[Math.floor((down - band.top) / ROW)];
    if (lane === undefined || x < this.#gutter || y < AXIS) return -1;
    let found = -1;
    const [{ start, end }, near] = [nesting, (to - from) / this.timeWidth];
    let [low, high] = [0, lane.slice.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (start[lane.slice[middle]] <= us + near) {
        found = lane.slice[middle];
        low = middle + 1;
      } else high = middle;
    }
    return found >= 0 && end[found] >= us - near ? found : -1;
  }

  draw(): void {
    const width = this.#canvas.clientWidth;
    const pen = sized(this.#canvas, width, this.#shownHeight);
    this.#width = width;
    this.#gutter = width < 640 ? 0 : 150;
    this.drawn = 0;
    this.#count();
    pen.font = FONT;
    pen.textBaseline = 'middle';
    this.#drawAxis(pen);
    pen.save();
    pen.beginPath();
    pen.rect(0, AXIS, width, this.#shownHeight - AXIS);
    pen.clip();
    pen.translate(0, AXIS - this.#scroller.scrollTop);
    for (const band of this.#bands) if (this.#isSeen(band)) this.#drawBand(pen, band);
    this.#drawArrows(pen);
    if (this.showsPath) this.#drawPath(pen);
    for (const band of this.#bands) if (this.#isSeen(band)) this.#drawName(pen, band);
    pen.restore();
    this.#canvas.dataset['drawn'] = String(this.drawn);
  }

  #isSeen({ top, lanes }: Band): boolean {
    const { scrollTop } = this.#scroller;
    return top < scrollTop + this.#shownHeight && top + lanes.length * ROW + GAP > scrollTop;
  }

  /** Counts what matches, when something else is searched for. */
  #count(): void {
    const { matches, nesting } = this.#state;
    const { row } = nesting;
    const { name } = nesting.table;
    if (matches === this.#searched) return;
    this.#searched = matches;
    for (const band of this.#bands) {
      band.matching =
        matches === undefined
          ? []
          : band.lanes.map(({ slice }) => {
              const counts = new Uint32Array(slice.length + 1);
              let count = 0;
              for (let k = 0; k < slice.length; k++) {
                count += matches[name[row[slice[k]]]];
                counts[k + 1] = count;
              }
              return counts;
            });
    }
  }

  #drawAxis(pen: CanvasRenderingContext2D): void {
    const { from, to, nesting } = this.#state;
    const step = stepOf(to - from, Math.max(2, this.timeWidth / 110));
    pen.strokeStyle = this.#colours.of('--line');
    pen.fillStyle = this.#colours.of('--faint');
    for (let k = Math.ceil((from - nesting.from) / step); nesting.from + k * step <= to; k++) {
      const x = Math.round(this.#x(nesting.from + k * step)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, AXIS - 4);
      pen.lineTo(x, this.#shownHeight);
      pen.stroke();
      pen.textAlign = x > this.#width - 30 ? 'right' : x < 30 ? 'left' : 'center';
      pen.fillText(timeOf(Number((k * step).toPrecision(9))), Math.min(x, this.#width), AXIS / 2 - 1);
    }
    pen.textAlign = 'left';
  }

  #drawBand(pen: CanvasRenderingContext2D, { top, lanes, matching }: Band): void {
    const { nesting, from, to, chosen } = this.#state;
    lanes.forEach((lane, level) => {
      const y = top + level * ROW;
      drawLane(nesting, lane, { from, to, pixels: this.timeWidth }, (left, right, at, next, share) => {
        const slice = lane.slice[at];
        const [x0, x1] = [this.#gutter + Math.max(-2, left), this.#gutter + Math.min(this.timeWidth + 2, right)];
        const counts = matching[level];
        const dims = counts !== undefined && counts[next] === counts[at];
        const kind = kindOfSlice(nesting, slice);
        pen.globalAlpha = (dims ? 0.15 : 1) * (0.3 + 0.7 * share);
        pen.fillStyle = this.#colours.of(VARIABLES[kind] ?? '--task');
        pen.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 0.7 : 0)), ROW - 2);
        this.drawn++;
        const textFrom = Math.max(x0, this.#gutter) + 4;
        if (next === at + 1 && x1 - textFrom > LEAST_TEXT) this.#drawText(pen, slice, kind, textFrom, x1 - 3, y);
      });
    });
    pen.globalAlpha = 1;
    const depth = chosen < 0 ? -1 : nesting.depth[chosen];
    if (chosen >= 0 && lanes[depth]?.thread === threadOf(nesting, chosen)) {
      pen.strokeStyle = this.#colours.of('--text');
      pen.lineWidth = 2;
      const [x0, x1] = [this.#x(nesting.start[chosen]), this.#x(nesting.end[chosen])];
      pen.strokeRect(x0 - 1, top + depth * ROW - 1, Math.max(4, x1 - x0 + 1), ROW);
      pen.lineWidth = 1;
    }
  }

  #drawText(pen: CanvasRenderingContext2D, slice: number, kind: number, from: number, to: number, y: number): void {
    const name = nameOfSlice(this.#state.nesting, slice);
    const letters = Math.floor((to - from) / 6.2);
    pen.fillStyle = this.#colours.of(PLAIN_TEXT.includes(kind) ? '--text' : '--on');
    pen.fillText(
      name.length <= letters ? name : `${name.slice(0, Math.max(1, letters - 1))}\u2026`,
      from,
      y + ROW / 2,
      to - from,
    );
  }

  #drawName(pen: CanvasRenderingContext2D, { thread, top }: Band): void {
    const { name } = this.#state.nesting.table.threads[thread];
    const room = this.#gutter === 0 ? pen.measureText(name).width + 10 : this.#gutter;
    pen.fillStyle = this.#colours.of('--back');
    pen.globalAlpha = this.#gutter === 0 ? 0.7 : 1;
    pen.fillRect(0, top, room, ROW - 2);
    pen.globalAlpha = 1;
    pen.fillStyle = this.#colours.of('--text');
    pen.fillText(name, 4, top + ROW / 2, room - 8);
  }

  /** The middle of a band's first lane. */
  #y(thread: number): number | undefined {
    const band = this.#bands.find((one) => one.thread === thread);
    return band === undefined ? undefined : band.top + ROW / 2;
  }

  /** From victims to thieves, if they can be told apart. */
  #drawArrows(pen: CanvasRenderingContext2D): void {
    const { from, to, nesting } = this.#state;
    const { table } = nesting;
    const arrows: [number, number, number][] = [];
    for (const { lanes } of this.#bands) {
      for (const lane of lanes) {
        let low = 0;
        for (let high = lane.slice.length; low < high; ) {
          const middle = (low + high) >>> 1;
          if (nesting.start[lane.slice[middle]] < from) low = middle + 1;
          else high = middle;
        }
        for (let k = low; k < lane.slice.length && k - low < 20 * MOST_ARROWS; k++) {
          const [slice, row] = [lane.slice[k], nesting.row[lane.slice[k]]];
          if (nesting.start[slice] > to) break;
          if (table.kind[row] !== STOLEN) continue;
          if (arrows.length === MOST_ARROWS) return;
          arrows.push([table.about[row], lane.thread, nesting.start[slice]]);
        }
      }
    }
    pen.strokeStyle = this.#colours.of('--arrow');
    for (const [victim, thief, us] of arrows) {
      const [y0, y1] = [this.#y(victim), this.#y(thief)];
      if (y0 === undefined || y1 === undefined) continue;
      const x = this.#x(us);
      const down = Math.sign(y1 - y0);
      const tip = y1 - (down * ROW) / 2;
      pen.beginPath();
      pen.moveTo(x, y0 + (down * ROW) / 2);
      pen.lineTo(x, tip);
      pen.moveTo(x - 3, tip - 5 * down);
      pen.lineTo(x, tip);
      pen.lineTo(x + 3, tip - 5 * down);
      pen.stroke();
      this.drawn++;
    }
  }

  /** Of the path that made the run long: a line through the bands of its threads. */
  #drawPath(pen: CanvasRenderingContext2D): void {
    pen.strokeStyle = this.#colours.of('--path');
    pen.lineWidth = 3;
    pen.beginPath();
    let last = Number.NEGATIVE_INFINITY;
    for (const { thread, from, to } of this.#path?.steps ?? []) {
      const y = this.#y(thread);
      if (y === undefined || to < this.#state.from || from > this.#state.to) continue;
      const [x0, x1] = [this.#x(from), this.#x(to)];
      if (x1 - last < 0.5) continue; // too narrow to be seen
      if (last === Number.NEGATIVE_INFINITY) pen.moveTo(x0, y + ROW / 2 - 1);
      else pen.lineTo(x0, y + ROW / 2 - 1);
      pen.lineTo(x1, y + ROW / 2 - 1);
      last = x1;
      this.drawn++;
    }
    pen.stroke();
    pen.lineWidth = 1;
  }

  /** The first slice of work, for those who begin by the keyboard. */
  firstSlice(): number {
    const { nesting, from } = this.#state;
    for (const { lanes } of this.#bands)
      for (const slice of lanes[0].slice)
        if (nesting.end[slice] >= from && isWork(kindOfSlice(nesting, slice))) return slice;
    return -1;
  }
}
