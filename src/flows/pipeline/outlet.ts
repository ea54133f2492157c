/** The end of a pipeline: items wait here until they are taken; runs on the calling thread. */
import { type Item, kept, type Stage } from './item.js';
import type { Run } from './run.js';

export class Outlet implements Stage {
  readonly #run: Run;
  #ready: Item[] = [];
  /** How many of `#ready` were taken. */
  #taken = 0;
  #isOver = false;
  readonly #waiting: (() => void)[] = [];

  constructor(run: Run) {
    this.#run = run;
  }

  /** The next item, when there is one; undefined after the last. The item has left then. */
  async take(): Promise<{ readonly value: unknown } | undefined> {
    for (;;) {
      const item = this.#ready[this.#taken];
      if (item !== undefined) {
        this.#ready[this.#taken++] = undefined as never;
        if (this.#taken === this.#ready.length) this.#clear([]);
        item.hold.release();
        this.#endRun();
        return item;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #clear(ready: Item[]): void {
    this.#ready = ready;
    this.#taken = 0;
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    this.#ready.push(item);
    this.#waiting.shift()?.();
  }

  skip(item: Item): void {
    item.hold.release();
  }

  end(): void {
    this.#isOver = true;
    this.#endRun();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  prune(): void {
    this.#clear(kept(this.#ready.slice(this.#taken), this.#run.isMoot));
    this.#endRun();
  }

  /** The run ends when the last item is taken: until then, it can be aborted. */
  #endRun(): void {
    if (this.#isOver && this.#ready.length === 0) this.#run.over();
  }
}
