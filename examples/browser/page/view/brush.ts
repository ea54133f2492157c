/**
 * A range that one drags over a chart, with a pointer, a finger or the arrow keys.
 *
 * Positions are shares of the chart's width, from 0 to 1. Dragging an end moves it, dragging the middle moves the range, dragging
 * elsewhere draws a new one, and a tap outside removes it.
 */
import { make } from './page.js';

type Grip = 'low' | 'high' | 'middle';

/** How near to an end a pointer takes hold of it (CSS pixels). */
const REACH = { mouse: 8, pen: 12, touch: 22 } as const;
/** A movement below this is a tap (CSS pixels). */
const TAP = 4;
const KEY_STEP = 0.02;
/** How many steps a key moves an end; as many as there are, to the limit. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -5,
  PageUp: 5,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

interface Drag {
  readonly grip: Grip;
  readonly startX: number;
  readonly low: number;
  readonly high: number;
  hasMoved: boolean;
}

export class Brush {
  low = 0;
  high = 1;
  readonly #plot: HTMLElement;
  readonly #range = make('div', 'brush');
  readonly #ends: Readonly<Record<'low' | 'high', HTMLElement>>;
  readonly #textOf: (share: number) => string;
  readonly #onChange: () => void;
  #drag: Drag | undefined;

  constructor(plot: HTMLElement, title: string, textOf: (share: number) => string, onChange: () => void) {
    this.#plot = plot;
    this.#textOf = textOf;
    this.#onChange = onChange;
    this.#ends = { low: this.#end('low', `${title}, from`), high: this.#end('high', `${title}, to`) };
    this.#range.append(this.#ends.low, this.#ends.high);
    plot.append(this.#range);
    plot.addEventListener('pointerdown', (event) => this.#start(event));
    plot.addEventListener('pointermove', (event) => this.#move(event));
    plot.addEventListener('pointerup', () => this.#stop());
    plot.addEventListener('pointercancel', () => {
      this.#drag = undefined;
    });
    this.#show();
  }

  get isOpen(): boolean {
    return this.low === 0 && this.high === 1;
  }

  set(low: number, high: number): void {
    this.low = Math.max(0, low);
    this.high = Math.min(1, high);
    this.#show();
    this.#onChange();
  }

  #end(which: 'low' | 'high', label: string): HTMLElement {
    const end = make('div', `end ${which}`);
    end.tabIndex = 0;
    end.setAttribute('role', 'slider');
    end.setAttribute('aria-label', label);
    end.setAttribute('aria-valuemin', '0');
    end.setAttribute('aria-valuemax', '100');
    end.addEventListener('keydown', (event) => {
      const step = (KEYS[event.key] ?? 0) * KEY_STEP;
      if (step === 0) return;
      event.preventDefault();
      if (which === 'low') this.set(Math.min(this.low + step, this.high - KEY_STEP), this.high);
      else this.set(this.low, Math.max(this.high + step, this.low + KEY_STEP));
    });
    return end;
  }

  #start(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#plot.setPointerCapture(event.pointerId);
    const { left, width } = this.#plot.getBoundingClientRect();
    const at = event.clientX - left;
    const reach = REACH[event.pointerType as keyof typeof REACH] ?? REACH.mouse;
    const [toLow, toHigh] = [Math.abs(at - this.low * width), Math.abs(at - this.high * width)];
    const share = Math.min(1, Math.max(0, at / width));
    const isInside = !this.isOpen && share > this.low && share < this.high;
    // In a narrow range, both ends are near: the middle keeps a third of it.
    const near = isInside ? Math.min(reach, ((this.high - this.low) * width) / 3) : reach;
    let drag: Omit<Drag, 'hasMoved' | 'startX'>;
    if (Math.min(toLow, toHigh) <= near)
      drag = { grip: toLow < toHigh ? 'low' : 'high', low: this.low, high: this.high };
    else if (isInside) drag = { grip: 'middle', low: this.low, high: this.high };
    else drag = { grip: 'high', low: share, high: share };
    this.#drag = { ...drag, startX: event.clientX, hasMoved: false };
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (drag === undefined) return;
    const moved = event.clientX - drag.startX;
    if (Math.abs(moved) >= TAP) drag.hasMoved = true;
    if (!drag.hasMoved) return;
    const by = moved / this.#plot.clientWidth;
    if (drag.grip === 'middle') {
      const within = Math.min(1 - drag.high, Math.max(-drag.low, by));
      this.set(drag.low + within, drag.high + within);
    } else {
      const [fixed, moving] = drag.grip === 'low' ? [drag.high, drag.low + by] : [drag.low, drag.high + by];
      this.set(Math.min(fixed, moving), Math.max(fixed, moving));
    }
  }

  #stop(): void {
    const drag = this.#drag;
    this.#drag = undefined;
    const isTapOutside = drag !== undefined && !drag.hasMoved && drag.low === drag.high;
    if (isTapOutside && !this.isOpen) this.set(0, 1);
  }

  #show(): void {
    this.#range.style.left = `${100 * this.low}%`;
    this.#range.style.right = `${100 * (1 - this.high)}%`;
    this.#range.classList.toggle('open', this.isOpen);
    for (const [which, share] of [['low', this.low] as const, ['high', this.high] as const]) {
      this.#ends[which].setAttribute('aria-valuenow', String(Math.round(100 * share)));
      this.#ends[which].setAttribute('aria-valuetext', this.#textOf(share));
    }
  }
}
