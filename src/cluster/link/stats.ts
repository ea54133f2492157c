/** Statistics that a client or a host can give of its application: the hosts that answer, and what the server has. */
import type { HostAnswer } from './arrived.js';
import type { Link } from './link.js';

/** A host as it answers; it does so while a job blocks it, too. */
export interface HostStats {
  /** Its name, as in `startHost`. */
  readonly name: string;
  /** Threads of its pool. */
  readonly threads: number;
  /** The version of the program that it runs. */
  readonly version: string;
  /** Jobs that it runs. */
  readonly jobs: number;
  /** Time for which a job has blocked its main thread (milliseconds); 0 where that turns. */
  readonly blockedMs: number;
}

/** Result of `cluster.stats()`. */
export interface ClusterStats {
  /** The hosts that answer, by their names. */
  readonly hosts: readonly HostStats[];
  /** Jobs that wait. */
  readonly queued: number;
  /** Jobs that hosts have taken and not acknowledged; those of a host that has died are among them until its lease is over. */
  readonly inFlight: number;
  /** Results that are kept: of calls that have not ended, and of clients that have died. */
  readonly results: { readonly count: number; readonly bytes: number };
}

/** @throws what the server answers */
export async function statsOf(link: Link): Promise<ClusterStats> {
  const { manager, names } = link;
  const [hosts, inFlight, jobs, results] = await Promise.all([
    link.who(),
    inFlightOf(link),
    link.patiently(() => manager.streams.info(names.jobs)),
    link.patiently(() => manager.streams.info(names.results)),
  ]);
  const byName = (a: HostAnswer, b: HostAnswer): number => (a.name < b.name ? -1 : 1);
  return {
    hosts: hosts.sort(byName).map(({ holds: _, ...host }) => host),
    queued: Math.max(0, jobs.state.messages - inFlight),
    inFlight,
    results: { count: results.state.messages, bytes: results.state.bytes },
  };
}

/** Of all places. */
function inFlightOf(link: Link): Promise<number> {
  const { manager, names } = link;
  return link.patiently(async () => {
    let sum = 0;
    for await (const { num_ack_pending: pending } of manager.consumers.list(names.jobs)) sum += pending;
    return sum;
  });
}
