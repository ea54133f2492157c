/** Utilisation of the threads over all of the time; what is marked on it is seen on the timeline. */
import { STATES } from '../nesting.js';
import type { Utilisation } from '../utilisation.js';
import { type Colours, STATE_VARIABLES, sized } from './colours.js';
import type { ViewState } from './view-state.js';

const HEIGHT = 84;

export class OverviewPicture {
  readonly #state: ViewState;
  readonly #colours: Colours;
  readonly #use: Utilisation;
  readonly #canvas: HTMLCanvasElement;

  constructor(state: ViewState, colours: Colours, use: Utilisation, canvas: HTMLCanvasElement) {
    this.#state = state;
    this.#colours = colours;
    this.#use = use;
    this.#canvas = canvas;
    canvas.style.height = `${HEIGHT}px`;
    let marked: number | undefined;
    const usAt = (x: number): number =>
      state.nesting.from + (x / canvas.clientWidth) * (state.nesting.to - state.nesting.from);
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      marked = usAt(event.offsetX);
    });
    canvas.addEventListener('pointermove', ({ offsetX }) => {
      if (marked !== undefined) state.show(Math.min(marked, usAt(offsetX)), Math.max(marked, usAt(offsetX)));
    });
    canvas.addEventListener('pointerup', ({ offsetX }) => {
      const [from, other] = [marked ?? 0, usAt(offsetX)];
      marked = undefined;
      const [length, all] = [state.to - state.from, state.nesting.to - state.nesting.from];
      if (Math.abs(other - from) < all / 500) state.show(other - length / 2, other + length / 2); // a click
    });
    canvas.addEventListener('dblclick', () => state.showAll());
  }

  draw(): void {
    const width = this.#canvas.clientWidth;
    const pen = sized(this.#canvas, width, HEIGHT);
    const { bins, shares } = this.#use;
    pen.fillStyle = this.#colours.of('--panel');
    pen.fillRect(0, 0, width, HEIGHT);
    for (let bin = 0; bin < bins; bin++) {
      let y = HEIGHT;
      const [x0, x1] = [(bin * width) / bins, ((bin + 1) * width) / bins];
      for (let state = 0; state < STATES.length; state++) {
        const height = shares[bin * STATES.length + state] * HEIGHT;
        if (height <= 0) continue;
        pen.fillStyle = this.#colours.of(STATE_VARIABLES[state]);
        pen.fillRect(x0, y - height, x1 - x0 + 0.5, height);
        y -= height;
      }
    }
    const { from, to, nesting } = this.#state;
    const x = (us: number): number => ((us - nesting.from) / Math.max(nesting.to - nesting.from, 1e-9)) * width;
    pen.fillStyle = this.#colours.of('--back');
    pen.globalAlpha = 0.6;
    pen.fillRect(0, 0, x(from), HEIGHT);
    pen.fillRect(x(to), 0, width - x(to), HEIGHT);
    pen.globalAlpha = 1;
    pen.strokeStyle = this.#colours.of('--text');
    pen.strokeRect(x(from) + 0.5, 0.5, Math.max(2, x(to) - x(from) - 1), HEIGHT - 1);
  }
}
