/**
 * Meaning of a repeated delivery of a job: the server has not heard of the job for a lease. Its host has died, or is frozen, or the server itself was away. So
 * the count of deliveries is not the count of deaths.
 *
 * After an outage a host asks whether another one has the job, for as long as others may need to connect. One that has it keeps its lease, and the
 * delivery is left to that. Such deliveries are marked in the stream of results, below the subject of the result, and are no deaths.
 */
import { WorkerCrashError } from 'furcate';
import { isGone } from '../link/inventory.js';
import type { Link } from '../link/link.js';
import { type JobName, nameIn } from '../link/names.js';
import type { JobMessage } from './job-message.js';
import type { JobOutcome } from './run-job.js';
import type { StreamAge } from './stream-age.js';

/** Hosts that a job may cost. */
export const MOST_DEATHS = 3;
const SPARED = 'spared';
/** Time that hosts need to connect after an outage, in leases. */
const LEASES_TO_CONNECT = 1.5;

export class Redelivery {
  readonly #link: Link;
  readonly #host: string;
  readonly #age: StreamAge;

  constructor(link: Link, host: string, age: StreamAge) {
    this.#link = link;
    this.#host = host;
    this.#age = age;
  }

  /**
   * Checks whether another host has a job that was delivered again. Does not ask where the server was there all the time: then that host was
   * silent.
   */
  async isElsewhere(job: JobMessage, signal: AbortSignal): Promise<boolean> {
    const untilMs = this.#age.connectedMs + LEASES_TO_CONNECT * this.#link.leaseMs;
    const isRecent = (): boolean => this.#age.connections > 1 && performance.now() < untilMs;
    while (isRecent() && !signal.aborted) {
      const hosts = await this.#link.who(job.subject);
      if (!hosts.some(({ holds, name }) => holds && name !== this.#host)) continue;
      await this.spare(job);
      return true;
    }
    return false;
  }

  /** Marks a delivery as one that no host has died for. Where the job is gone by then its call may have ended, and nobody else would delete the mark. */
  async spare(job: JobMessage): Promise<void> {
    const { manager, names } = this.#link;
    const mark = names.chunk(nameIn(job.subject), SPARED, `${job.deliveries}`);
    try {
      await this.#link.publish(mark, new Uint8Array(), { headers: {} });
      if (await isGone(this.#link, job.subject)) await manager.streams.purge(names.results, { filter: mark });
    } catch {
      // It counts as a death, or goes by itself, later.
    }
  }

  /** Number of hosts that a job has cost. */
  async deathsOf({ deliveries, subject }: JobMessage): Promise<number> {
    if (deliveries <= 2) return deliveries - 1;
    return deliveries - 1 - (await this.#spared(nameIn(subject)));
  }

  async #spared(name: JobName): Promise<number> {
    const { manager, names } = this.#link;
    const subjects_filter = names.chunk(name, SPARED, '*');
    const { state } = await this.#link.patiently(() => manager.streams.info(names.results, { subjects_filter }));
    return Object.keys(state.subjects ?? {}).length;
  }
}

/** The outcome of a job that has cost too many hosts. */
export const poisonous = (what: string): JobOutcome => ({
  failed: true,
  value: new WorkerCrashError(
    `furcate: a job of ${what} has cost ${MOST_DEATHS} hosts: each died, or was silent for longer than its lease, while it ran the job. It is not tried again.`,
  ),
});
