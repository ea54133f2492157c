/** The results of a pipeline: items wait here until they are taken; on the calling thread. */
import { type Item, kept, type Stage } from './item.js';
import { Queue } from './queue.js';
import type { Run } from './run.js';

export class Results implements Stage {
  readonly #run: Run;
  readonly #ready = new Queue<Item>();
  #isOver = false;
  /** Callers that have asked, in the order of asking: nobody while items are ready. */
  readonly #waiting = new Queue<(item: Item | undefined) => void>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Number of items that wait to be taken. */
  get size(): number {
    return this.#ready.size;
  }

  /** The next item, if it is here; it has left then. */
  takeReady(): { readonly value: unknown } | undefined {
    if (this.#waiting.size > 0) return undefined; // others have asked before
    const item = this.#ready.take();
    item?.hold.release();
    if (item !== undefined) this.#endRun();
    return item;
  }

  /** The next item, when there is one; undefined after the last. The item has left then. */
  take(): Promise<{ readonly value: unknown } | undefined> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#waiting.size > 0 && this.#ready.size > 0) {
      const item = this.#ready.take() as Item;
      this.#waiting.take()?.(item);
      item.hold.release();
      this.#endRun();
    }
    if (this.#isOver && this.#ready.size === 0) for (const answer of this.#waiting.clear()) answer(undefined);
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    this.#ready.add(item);
    this.#serve();
  }

  skip(item: Item): void {
    item.hold.release();
  }

  end(): void {
    this.#isOver = true;
    this.#endRun();
    this.#serve();
  }

  prune(): void {
    for (const item of kept(this.#ready.clear(), this.#run.isCut)) this.#ready.add(item);
    this.#endRun();
  }

  /** The run ends when the last item is taken: until then, it can be aborted. */
  #endRun(): void {
    if (this.#isOver && this.#ready.size === 0) this.#run.over();
  }
}
