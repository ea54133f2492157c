/** Progress of a pipeline's run, for its `onProgress`; runs on the calling thread. */
import { after } from '../../core/engine.js';
import { PROGRESS_MS } from '../../core/tuning.js';
import type { UseOfStage } from './watch.js';

/** Progress of a stage of a pipeline. */
export interface StageProgress {
  /** As errors name it: `map(), stage 2 of the pipeline ('resize')`. Stages that run as one are named together. */
  readonly stage: string;
  /** Number of items that were given to its functions. */
  readonly begun: number;
  /** For how many of them the functions are done. */
  readonly done: number;
  /** Time that they took, in all threads together (milliseconds). What waits for a promise counts, too. */
  readonly ms: number;
}

/** Progress of a run of a pipeline. */
export interface PipelineProgress {
  /** Number of items that were read from the source. */
  readonly read: number;
  /** Number of items in all; Infinity if the source does not tell. */
  readonly total: number;
  /** Stages that call functions, from the source on. */
  readonly stages: readonly StageProgress[];
}

export type OnProgress = (progress: PipelineProgress) => void;

/** Counts what becomes of the items of a stage. */
export class Meter {
  readonly stage: string;
  #begun = 0;
  #done = 0;
  #ms = 0;
  #calls = 0;
  #bytes = 0;
  /** Items that wait, and the most that have. */
  #queue = 0;
  #most = 0;
  /** For how long all items have waited together up to the latest change of their number. */
  #waitMs = 0;
  readonly #startMs = performance.now();
  #changeMs = this.#startMs;
  readonly #changed: () => void;

  constructor(stage: string, changed: () => void) {
    this.stage = stage;
    this.#changed = changed;
  }

  /** Notes that so many more items wait, or, below 0, that so many wait no more. */
  arrived(items: number): void {
    const nowMs = performance.now();
    this.#waitMs += this.#queue * (nowMs - this.#changeMs);
    this.#changeMs = nowMs;
    this.#queue += items;
    this.#most = Math.max(this.#most, this.#queue);
  }

  /** Items were packed. */
  sent(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Notes that so many items were given to the functions, or, below 0, have come back unseen. */
  began(items: number): void {
    this.arrived(-items);
    this.#begun += items;
    this.#changed();
  }

  did(items: number, ms: number): void {
    this.#done += items;
    this.#ms += ms;
    this.#calls++;
    this.#changed();
  }

  get use(): UseOfStage {
    const ms = performance.now() - this.#startMs;
    return {
      stage: this.stage,
      items: this.#done,
      calls: this.#calls,
      us: 1000 * this.#ms,
      waitUs: 1000 * this.#waitMs,
      meanQueue: ms === 0 ? 0 : this.#waitMs / ms,
      mostQueue: this.#most,
      encodedBytes: this.#bytes,
    };
  }

  get progress(): StageProgress {
    return { stage: this.stage, begun: this.#begun, done: this.#done, ms: this.#ms };
  }
}

/** Calls `onProgress` every `PROGRESS_MS` at most, while something changes. */
export class Reporter {
  readonly #report: () => void;
  readonly #failed: (error: unknown) => void;
  #isDue = false;
  #isOver = false;
  #stop = (): void => {};

  constructor(report: () => void, failed: (error: unknown) => void) {
    this.#report = report;
    this.#failed = failed;
  }

  readonly changed = (): void => {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    this.#stop = after(PROGRESS_MS, () => {
      this.#isDue = false;
      try {
        this.#report();
      } catch (error) {
        this.#failed(error);
      }
    });
  };

  /** Nothing changes any more. @throws what `onProgress` throws */
  end({ tells }: { readonly tells: boolean }): void {
    this.#isOver = true;
    this.#stop();
    if (tells) this.#report();
  }
}
