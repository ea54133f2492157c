/**
 * Ends the runs of clients that are gone: a run without a name is of use to its client only. The server knows whether a client listens, so a host asks
 * it for each such run of which it has had a job, and not the client, which may be stalled.
 *
 * A client that was cut off for longer finds its jobs gone when it is back, and submits them again.
 */
import { purgeRun } from '../link/inventory.js';
import type { Link } from '../link/link.js';
import { type JobName, runIn } from '../link/names.js';

/** Time for which a client may be away, in leases; and at least (milliseconds): it needs a moment to connect again. */
const LEASES_AWAY = 2;
const LEAST_AWAY_MS = 2000;

/** Messages of a run that were deleted. */
export interface Abandoned {
  readonly run: string;
  readonly jobs: number;
  readonly results: number;
}

type RunningJobs = ReadonlyMap<string, { readonly name: JobName }>;

export class ClientWatch {
  readonly #link: Link;
  readonly #running: RunningJobs;
  readonly #onAbandoned: (abandoned: Abandoned) => void;
  /** Runs of clients, and since when those are away (milliseconds); undefined where they are there, as far as is known. */
  readonly #runs = new Map<string, number | undefined>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isLooking = false;

  /**
   * @param running the jobs that the host runs: their clients are watched for as long
   * @param onAbandoned hears of each run that was ended
   */
  constructor(link: Link, running: RunningJobs, onAbandoned: (abandoned: Abandoned) => void) {
    this.#link = link;
    this.#running = running;
    this.#onAbandoned = onAbandoned;
    this.#timer = setInterval(() => void this.#look(), this.#awayMs / 4);
    this.#timer.unref();
    link.onReconnect(() => {
      for (const run of this.#runs.keys()) this.#runs.set(run, undefined); // clients have to connect, too
    });
  }

  /** To be called for each job. */
  note(run: string): void {
    if (this.#link.names.isOfClient(run) && !this.#runs.has(run)) this.#runs.set(run, undefined);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #awayMs(): number {
    return Math.max(LEASES_AWAY * this.#link.leaseMs, LEAST_AWAY_MS);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || !this.#link.isUp) return;
    this.#isLooking = true;
    await Promise.allSettled([...this.#runs.keys()].map((run) => this.#lookAt(run)));
    this.#isLooking = false;
  }

  async #lookAt(run: string): Promise<void> {
    if (await this.#link.hasClient(run)) {
      if ([...this.#running.values()].some(({ name }) => name.run === run)) this.#runs.set(run, undefined);
      else this.#runs.delete(run); // its next job is noted
      return;
    }
    const nowMs = performance.now();
    const sinceMs = this.#runs.get(run) ?? nowMs;
    this.#runs.set(run, sinceMs);
    if (nowMs - sinceMs < this.#awayMs) return;
    this.#runs.delete(run);
    this.#onAbandoned({ run: runIn(run), ...(await purgeRun(this.#link, runIn(run))) });
  }
}
