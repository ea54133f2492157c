/** A thread of a worker group, as the owner of the pool knows it; runs on that owner. */
import { host, type WorkerThread } from '../platform/host.js';
import type { WorkerEvent } from './options.js';

/** The heap thread of a worker that has not been told to begin. */
export const NO_THREAD = -1;

type WorkerListener = ((worker: WorkerEvent) => void) | undefined;

/** @param spare its number among the spares; not positive for a worker */
export const eventOf = (pool: string, slot: number, spare: number): WorkerEvent => ({
  worker: spare > 0 ? spare : slot,
  name: `${pool}-${spare > 0 ? `spare-${spare}` : slot}`,
  isSpare: spare > 0,
});

export class Member {
  readonly slot: number;
  /** Name for error messages. */
  readonly name: string;
  readonly thread: WorkerThread;
  readonly #event: WorkerEvent;
  heapThread = NO_THREAD;
  error: unknown = undefined;
  /** True once it takes no more part. */
  gone = false;
  /** True if it is gone, and may run on nevertheless. */
  runsOn = false;
  /** Time at which it said that it is up, by the clock of the host; 0 before that. */
  #upSinceMs = 0;

  constructor(slot: number, event: WorkerEvent, thread: WorkerThread) {
    this.slot = slot;
    this.name = `${event.isSpare ? 'spare' : 'worker'} ${event.worker}`;
    this.#event = event;
    this.thread = thread;
  }

  isUp(listener: WorkerListener): void {
    this.#upSinceMs = host().nowMs();
    this.#tell(listener);
  }

  isGone(listener: WorkerListener): void {
    if (this.#upSinceMs > 0 && !this.gone) this.#tell(listener);
    this.gone = true;
  }

  /** Time for which it has been up (milliseconds); 0 once it is gone. */
  upMs(): number {
    return this.#upSinceMs === 0 || this.gone ? 0 : host().nowMs() - this.#upSinceMs;
  }

  /** Tells the program. What its function throws must not disturb the group: it ends as a rejection that nobody handles. */
  #tell(listener: WorkerListener): void {
    if (listener !== undefined) void Promise.resolve(this.#event).then(listener);
  }
}

/**
 * Returns true if a blocked owner can see the end of a worker that was terminated. Any owner sees the end of one that
 * ends by itself.
 */
export const showsItsEnd = ({ thread }: Member): boolean => thread.isRunning !== undefined;
