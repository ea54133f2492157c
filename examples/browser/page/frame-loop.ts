/** Draws a frame whenever something has changed, at most one for each frame of the screen, and times the passes. */
import type { Crossfilter, Tally } from './crossfilter/tally.js';
import type { Engine, PassTime } from './engines.js';
import type { PageFrames } from './page-frames.js';

export interface FrameLoopOptions {
  /** Before a pass. Returns whether the next frame will differ, too: an animation is under way. */
  readonly advance: () => boolean;
  /** After a pass. */
  readonly draw: (tally: Tally, engine: Engine, time: PassTime) => void;
  /** Is told while frames follow each other. */
  readonly frames: PageFrames;
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
        this.#options.frames.moving = this.engine;
        const now = await frame;
        frame = screenFrame();
        await this.#draw(now);
      }
    } finally {
      this.#isDrawing = false;
      this.#options.frames.moving = undefined;
    }
  }

  async #draw(now: number): Promise<void> {
    const { engine } = this;
    this.#hasChanged = this.#options.advance();
    const { tally, time } = await passBy(engine, this.#crossfilter);
    this.#options.draw(tally, engine, time);
    this.#count(now);
  }

  #count(now: number): void {
    const last = this.#drawnAt.at(-1);
    if (last !== undefined && now - last > PAUSE_MS) this.#drawnAt = [];
    this.#drawnAt.push(now);
    if (this.#drawnAt.length > RATE_FRAMES) this.#drawnAt.shift();
  }
}

/** One pass, and what it took. The plain loop keeps the page's thread all the while; Furcate's call returns at once. */
export async function passBy(
  engine: Engine,
  crossfilter: Crossfilter,
): Promise<{ readonly tally: Tally; readonly time: PassTime }> {
  const start = performance.now();
  const pass = engine === 'plain' ? crossfilter.plain() : crossfilter.furcate();
  const blockedMs = performance.now() - start;
  const tally = await pass;
  return { tally, time: { ms: engine === 'plain' ? blockedMs : performance.now() - start, blockedMs } };
}

const screenFrame = (): Promise<number> => new Promise(requestAnimationFrame);
