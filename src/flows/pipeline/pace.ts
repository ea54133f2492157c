/** Pace of a stage: the number of its tasks in flight, and of the items that go together; runs on the calling thread. */

/** Properties of a stage that decide its pace. */
interface Paced {
  readonly concurrency: number | undefined;
  readonly admission: object | undefined;
  /** True if the functions are known to return promises. */
  readonly isAsync: boolean;
}

/** Tasks in flight for each thread, of functions that return no promises: one runs, the other is there when it ends. */
const TASKS_PER_THREAD = 2;
/** Time that the items of one task should take (milliseconds). Sending a task and its results takes some 0.05. */
export const TASK_MS = 1;
/** Number of items that one task has, and of those that a `flatMap` has made when it begins no other, at most. */
export const MAX_ITEMS = 512;
/** Number of bytes that the items of one task have at most, if it has several. */
const TASK_BYTES = 65_536;

export class Pace {
  readonly #plan: Paced;
  readonly #threads: number;
  #isAsync: boolean;
  /** Time that an item takes (milliseconds); undefined until that is known. */
  #itemMs: number | undefined;
  #sentBytes = 0;
  #madeBytes = 0;

  constructor(plan: Paced, threads: number) {
    this.#plan = plan;
    this.#threads = threads;
    this.#isAsync = plan.isAsync;
  }

  note(items: number, ms: number, isAsync: boolean): void {
    this.#isAsync ||= isAsync;
    if (items === 0) return;
    const itemMs = ms / items;
    this.#itemMs = this.#itemMs === undefined ? itemMs : (this.#itemMs + itemMs) / 2;
  }

  /** So many items were sent as so many bytes. */
  noteSent(items: number, bytes: number): void {
    this.#sentBytes = bytes / items;
  }

  /** So many items have become so many bytes. */
  noteMade(items: number, bytes: number): void {
    this.#madeBytes = bytes / items;
  }

  /** Checks whether an item is known to take less. */
  isShorterThan(ms: number): boolean {
    return this.#itemMs !== undefined && this.#itemMs < ms;
  }

  /** Number of tasks that may be in flight. */
  get tasks(): number {
    const { concurrency } = this.#plan;
    return concurrency ?? (this.#isAsync ? Number.POSITIVE_INFINITY : TASKS_PER_THREAD * this.#threads);
  }

  /**
   * Number of the items that wait that should go together: several only if they are cheap, and called one after the other anyway.
   */
  items(waiting: number): number {
    const fair = Math.ceil(waiting / (TASKS_PER_THREAD * this.#threads));
    return Math.max(1, Math.min(fair, this.#together));
  }

  /** Number of places in flight that cheap items need, so that several go together in each task; 0 if none do. */
  get places(): number {
    if (this.#plan.concurrency !== undefined || this.#together === 1) return 0;
    return 2 * TASKS_PER_THREAD * this.#threads * this.#together;
  }

  /** True if several items go together. */
  get isCheap(): boolean {
    return this.#together > 1;
  }

  /** Number of items that go together at most. */
  get #together(): number {
    if (this.#isAsync || this.#plan.admission !== undefined || this.#itemMs === undefined) return 1;
    const most = Math.min(
      MAX_ITEMS,
      TASK_MS / this.#itemMs,
      TASK_BYTES / Math.max(1, this.#sentBytes, this.#madeBytes),
    );
    return Math.max(1, Math.floor(most));
  }
}
