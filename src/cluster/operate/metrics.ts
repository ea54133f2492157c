/** The metrics of a host for Prometheus, by prom-client, which is an optional peer: from the events of the host, and from the server when they are read. */
import { listen } from '../host/host-events.js';
import type { ClusterStats } from '../link/stats.js';

type PromClient = typeof import('prom-client');

/** Time that the server may take to answer while metrics are read (milliseconds): Prometheus gives up after 10 s. */
const STATS_MS = 2000;
/** Durations of jobs (seconds), from those of one message to those of an hour. */
const BUCKETS = [0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600];

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
}

/** @throws Error that says what to install */
async function loadPromClient(): Promise<PromClient> {
  try {
    const loaded = await import('prom-client');
    return (loaded as { readonly default?: PromClient }).default ?? loaded;
  } catch (cause) {
    throw new Error('furcate: --metrics needs prom-client. Install it: npm install prom-client', { cause });
  }
}

/**
 * Counts the events of the host in this process from now on.
 *
 * @param of labels of each metric
 * @param stats asks the server; undefined until the host is ready
 */
export async function countEvents(
  of: Readonly<Record<string, string>>,
  stats: () => Promise<ClusterStats> | undefined,
): Promise<Metrics> {
  const { Registry, Counter, Gauge, Histogram, collectDefaultMetrics } = await loadPromClient();
  const registry = new Registry();
  registry.setDefaultLabels(of);
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `furcate_${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string) => new Gauge({ name: `furcate_${name}`, help, registers });

  const jobs = counter('jobs_total', 'Jobs that have ended at this host, by how', ['outcome']);
  const durations = new Histogram({
    name: 'furcate_job_duration_seconds',
    help: 'How long this host had a job, by how it has ended',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers,
  });
  const running = gauge('jobs_running', 'Jobs that this host has');
  const bytes = counter('bytes_total', 'Bytes of arguments that have arrived, and of results that were published', [
    'direction',
  ]);
  const renewals = counter('lease_renewals_total', 'Leases of jobs that were renewed');
  const lost = counter('leases_lost_total', 'Leases of jobs that were lost: the host was silent for too long');
  const troubles = counter('troubles_total', "Failures that are no job's fault");
  const connected = gauge('server_connected', '1 where the NATS server answers this host, else 0');
  const waiting = gauge('jobs_waiting', 'Jobs of the application that no host has taken');
  const inFlight = gauge('jobs_in_flight', 'Jobs of the application that hosts have taken');
  const hosts = gauge('hosts', 'Hosts of the application that answer');
  const results = gauge('results_kept', 'Results of the application that the server keeps');
  const resultBytes = gauge('results_kept_bytes', 'Bytes of the results that the server keeps');
  collectDefaultMetrics({ register: registry });

  const ended = (outcome: string, ms: number): void => {
    running.dec();
    jobs.inc({ outcome });
    durations.observe({ outcome }, ms / 1000);
  };
  listen((name, event) => {
    if (name === 'job-begun') {
      running.inc();
      bytes.inc({ direction: 'in' }, (event as { readonly bytes: number }).bytes);
    } else if (name.startsWith('job-')) ended(name.slice('job-'.length), (event as { readonly ms: number }).ms);
    if (name === 'job-done' || name === 'job-failed')
      bytes.inc({ direction: 'out' }, (event as { readonly bytes: number }).bytes);
    if (name === 'leases-renewed') renewals.inc((event as { readonly jobs: number }).jobs);
    if (name === 'lease-lost') lost.inc();
    if (name === 'trouble') troubles.inc();
    if (name === 'server-gone') connected.set(0);
    if (name === 'ready' || name === 'server-back') connected.set(1);
  });

  const ofServer = [waiting, inFlight, hosts, results, resultBytes];
  const ask = async (): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), STATS_MS);
    });
    const found = await Promise.race([stats(), late]).catch(() => undefined);
    clearTimeout(timer);
    for (const one of ofServer) one.set(Number.NaN); // the server does not answer
    if (found === undefined) return;
    waiting.set(found.queued);
    inFlight.set(found.inFlight);
    hosts.set(found.hosts.length);
    results.set(found.results.count);
    resultBytes.set(found.results.bytes);
  };
  return {
    contentType: registry.contentType,
    async text() {
      await ask();
      return registry.metrics();
    },
  };
}
