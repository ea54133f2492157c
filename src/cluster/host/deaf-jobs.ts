/**
 * Jobs that go on although their call was cancelled: host functions that do not hear their signal, tasks without a fork or a checkpoint. They must not keep the host
 * from other jobs, so each is left to itself after a grace. A host with too many of them ends itself, and so does one whose pool has nothing but them.
 */
import { after } from '../library.js';
import type { JobMessage } from './job-message.js';

/** Time that a job may take to end after its call was cancelled (ms). Tasks end at a checkpoint, host functions at their signal. */
const GRACE_MS = 1000;
/** Jobs that may go on after that. */
const MOST = 16;
/** Time for which all threads of the pool may have such tasks (ms). A loop may end; until then other calls' jobs wait. */
const POOL_LOST_MS = 5000;

/** The end of a job that was left to itself. */
export const DEAF = 'deaf';

interface Listeners {
  /** A job was left to itself. */
  onLeft(text: string): void;
  onTooMany(error: Error): void;
}

export class DeafJobs {
  readonly #listeners: Listeners;
  readonly #threads: number;
  #count = 0;
  /** Those of them that threads of the pool run. */
  #inPool = 0;
  #stopTimer = (): void => {};

  /** @param threads of the pool */
  constructor(threads: number, listeners: Listeners) {
    this.#threads = threads;
    this.#listeners = listeners;
  }

  /** True if the pool has tasks that do not end: to wait for its end would be to wait for theirs. */
  get areInPool(): boolean {
    return this.#inPool > 0;
  }

  /** Waits for the end of a job. @param computing never rejects. */
  async orLeft<T>(
    computing: Promise<T>,
    job: Pick<JobMessage, 'what' | 'isInPool'>,
    signal: AbortSignal,
  ): Promise<T | typeof DEAF> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = (): void => {};
    const deaf = new Promise<typeof DEAF>((resolve) => {
      wait = () => {
        timer = setTimeout(resolve, GRACE_MS, DEAF);
      };
    });
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
    const end = await Promise.race([computing, deaf]);
    clearTimeout(timer);
    signal.removeEventListener('abort', wait);
    if (end === DEAF) this.#leave(computing, job);
    return end;
  }

  #leave(computing: Promise<unknown>, { what, isInPool }: Pick<JobMessage, 'what' | 'isInPool'>): void {
    this.#add(1, isInPool);
    void computing.then(() => this.#add(-1, isInPool));
    this.#listeners.onLeft(
      `furcate: ${what} goes on ${GRACE_MS / 1000} s after its call was cancelled. It is left to itself: let it end when its signal is aborted.`,
    );
    if (this.#count > MOST)
      this.#listeners.onTooMany(new Error(`furcate: ${this.#count} jobs go on after their calls were cancelled.`));
  }

  #add(count: 1 | -1, isInPool: boolean): void {
    this.#count += count;
    if (!isInPool) return;
    this.#inPool += count;
    this.#stopTimer();
    if (this.#inPool < this.#threads) return;
    const lost = (): void =>
      this.#listeners.onTooMany(
        new Error(
          `furcate: all ${this.#threads} threads of the pool run tasks that go on after their calls were cancelled.`,
        ),
      );
    this.#stopTimer = after(POOL_LOST_MS, lost);
  }
}
