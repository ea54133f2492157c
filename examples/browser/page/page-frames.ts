/** Counts the page's own frames while something moves: what the reader feels of a pass, whoever counts. */
import { ENGINES, type Engine } from './engines.js';

/** Frames of each engine that count. */
const KEPT = 120;
/** Fewer are no figure. */
const ENOUGH = 20;
/** Frames that are further apart do not belong to one movement (ms). */
const PAUSE_MS = 400;

export class PageFrames {
  readonly #gaps: Record<Engine, number[]> = { plain: [], furcate: [] };
  #moving: Engine | undefined;
  #isWatching = false;

  /** Something moves, drawn by this engine; undefined when it rests. */
  set moving(engine: Engine | undefined) {
    this.#moving = engine;
    if (engine === undefined || this.#isWatching) return;
    this.#isWatching = true;
    let last: number | undefined;
    const watch = (now: number): void => {
      const by = this.#moving;
      this.#isWatching = by !== undefined;
      if (by === undefined) return;
      if (last !== undefined && now - last < PAUSE_MS) this.#note(by, now - last);
      last = now;
      requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
  }

  /** The page's frames a second while that engine drew, lately; undefined as long as there are too few. */
  perSecond(engine: Engine): number | undefined {
    const gaps = this.#gaps[engine];
    if (gaps.length < ENOUGH) return undefined;
    return (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
  }

  #note(engine: Engine, gap: number): void {
    const gaps = this.#gaps[engine];
    gaps.push(gap);
    if (gaps.length > KEPT) gaps.shift();
  }

  /** Whether both engines have a figure. */
  get areKnown(): boolean {
    return ENGINES.every((engine) => this.perSecond(engine) !== undefined);
  }
}
