/**
 * Jobs that go on although their call was cancelled: host functions that do not hear their signal. They must not keep the host from other jobs, so each is
 * left to itself after a grace. A host with too many of them ends itself.
 */

/** How long a job may go on after its call was cancelled (milliseconds). Tasks end at their next checkpoint, host functions when they see their signal. */
const GRACE_MS = 2000;
/** Jobs that may go on after that. */
const MOST = 16;

/** The end of a job that was left to itself. */
export const DEAF = 'deaf';

interface Listeners {
  /** A job was left to itself. */
  onLeft(text: string): void;
  onTooMany(error: Error): void;
}

export class DeafJobs {
  readonly #listeners: Listeners;
  #count = 0;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** How a job ends. @param computing never rejects. @param what names it */
  async orLeft<T>(computing: Promise<T>, what: string, signal: AbortSignal): Promise<T | typeof DEAF> {
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
    if (end === DEAF) this.#leave(computing, what);
    return end;
  }

  #leave(computing: Promise<unknown>, what: string): void {
    this.#count++;
    void computing.then(() => this.#count--);
    this.#listeners.onLeft(
      `furcate: ${what} goes on ${GRACE_MS / 1000} s after its call was cancelled. It is left to itself: let it end when its signal is aborted.`,
    );
    if (this.#count > MOST)
      this.#listeners.onTooMany(new Error(`furcate: ${this.#count} jobs go on after their calls were cancelled.`));
  }
}
