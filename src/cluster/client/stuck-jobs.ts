/**
 * Jobs that the server has, and gives to nobody. A server that was killed may bring back messages that it had deleted, and its consumers may believe that those
 * were delivered or acknowledged. Such a message stays, and for its sake the server refuses the job that a client submits anew.
 *
 * The server does not tell of them. But a job that was delivered is at a host, and hosts answer for what they have; or its host has died, and another gets
 * it when the lease is over. What nobody has for longer than that is stuck; at once, where the server believes that it was acknowledged.
 */
import { isHollow } from '../link/inventory.js';
import type { Link } from '../link/link.js';
import { type JobTarget, placeIn } from '../link/names.js';

/** Time for which nobody may have a job that was delivered, in leases. */
const LEASES = 2;
/** Jobs that are looked at, at a time: those that were submitted first. */
const MOST = 32;

/** Progress of hosts with the jobs of a place: numbers in the stream. */
interface Progress {
  /** The last one that a host has got. */
  readonly delivered: number;
  /** The last one of those that are acknowledged without a gap: the server delivers none of them again. */
  readonly acknowledged: number;
}

interface Unheld {
  readonly seq: number;
  readonly sinceMs: number;
}

export class StuckJobs {
  readonly #link: Link;
  /** Those that nobody had when it last looked, by their subjects. */
  #unheld = new Map<string, Unheld>();

  constructor(link: Link) {
    this.#link = link;
  }

  /**
   * Deletes those that are stuck, of jobs that are in the stream.
   *
   * @returns their subjects, and those that the server lists and has no job of: it takes none there any more
   * @throws what the server answers
   */
  async drop(subjects: readonly string[]): Promise<ReadonlyMap<string, 'dropped' | 'hollow'>> {
    const { manager, names, leaseMs } = this.#link;
    const progress = await this.#progress(new Set(subjects.map(placeIn)));
    const unheld = new Map<string, Unheld>();
    const found = new Map<string, 'dropped' | 'hollow'>();
    const lookAt = async (subject: string): Promise<void> => {
      const query = { last_by_subj: subject };
      const message = await this.#link.patiently(() => manager.streams.getMessage(names.jobs, query));
      const { delivered = 0, acknowledged = 0 } = progress.get(placeIn(subject)) ?? {};
      if (message === null) {
        if (await isHollow(this.#link, names.jobs, subject)) found.set(subject, 'hollow');
        return;
      }
      const { seq } = message;
      if (seq > delivered) return; // it waits for a host
      if ((await this.#link.who(subject)).some(({ holds }) => holds)) return;
      const before = this.#unheld.get(subject);
      const sinceMs = before?.seq === seq ? before.sinceMs : performance.now();
      unheld.set(subject, { seq, sinceMs });
      if (seq > acknowledged && performance.now() - sinceMs < LEASES * leaseMs) return;
      await this.#link.patiently(() => manager.streams.purge(names.jobs, { filter: subject, seq: seq + 1 }));
      found.set(subject, 'dropped');
    };
    await Promise.all(subjects.slice(0, MOST).map(lookAt));
    this.#unheld = unheld;
    return found;
  }

  async #progress(places: ReadonlySet<JobTarget>): Promise<ReadonlyMap<JobTarget, Progress>> {
    const found = new Map<JobTarget, Progress>();
    for (const place of places) {
      const info = await this.#link.consumer(place).catch(() => undefined); // there is none: nothing was delivered
      if (info === undefined) continue;
      const { delivered, ack_floor: floor } = info;
      found.set(place, { delivered: delivered.stream_seq, acknowledged: floor.stream_seq });
    }
    return found;
  }
}
