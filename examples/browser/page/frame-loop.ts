/** Draws a frame whenever something has changed, at most one for each frame of the screen, and times the passes. */
import type { Crossfilter, Tally } from './crossfilter/tally.js';

export const ENGINES = ['plain', 'furcate'] as const;
/** Who counts: the plain loop, or Furcate. */
export type Engine = (typeof ENGINES)[number];

export interface FrameLoopOptions {
  /** Before a pass. Returns whether the next frame will differ, too: an animation is under way. */
  readonly advance: () => boolean;
  /** After a pass. */
  readonly draw: (tally: Tally, engine: Engine, ms: number) => void;
  readonly fail: (error: unknown) => void;
}

/** Frames that are further apart do not belong to one movement (ms). */
const PAUSE_MS = 250;
/** Frames from which the rate is computed. */
const RATE_FRAMES = 30;

export class FrameLoop {
  engine: Engine = 'furcate';
  readonly #crossfilter: Crossfilter;
  readonly #options: FrameLoopOptions;
  #isDrawing = false;
  #hasChanged = false;
  #drawnAt: number[] = [];

  constructor(crossfilter: Crossfilter, options: FrameLoopOptions) {
    this.#crossfilter = crossfilter;
    this.#options = options;
  }

  /** Asks for a frame. Calls before the next frame are one. */
  request(): void {
    this.#hasChanged = true;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    this.#drawUntilUnchanged().catch(this.#options.fail);
  }

  /** Frames a second of the movement under way, or the last one; undefined before the first. */
  get framesPerSecond(): number | undefined {
    const frames = this.#drawnAt;
    if (frames.length < 2) return undefined;
    return (1000 * (frames.length - 1)) / (frames[frames.length - 1] - frames[0]);
  }

  /**
   * The next frame of the screen is asked for before a pass, not after it: a pass that ends a little late then delays the one after it by
   * as much, and not until the frame after next.
   */
  async #drawUntilUnchanged(): Promise<void> {
    try {
      for (let frame = screenFrame(); this.#hasChanged; ) {
        const now = await frame;
        frame = screenFrame();
        await this.#draw(now);
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  async #draw(now: number): Promise<void> {
    const { engine } = this;
    this.#hasChanged = this.#options.advance();
    const start = performance.now();
    const tally = engine === 'plain' ? this.#crossfilter.plain() : await this.#crossfilter.furcate();
    this.#options.draw(tally, engine, performance.now() - start);
    this.#count(now);
  }

  #count(now: number): void {
    const last = this.#drawnAt.at(-1);
    if (last !== undefined && now - last > PAUSE_MS) this.#drawnAt = [];
    this.#drawnAt.push(now);
    if (this.#drawnAt.length > RATE_FRAMES) this.#drawnAt.shift();
  }
}

const screenFrame = (): Promise<number> => new Promise(requestAnimationFrame);
