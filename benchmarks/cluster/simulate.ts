/**
 * The program of `npm run simulate:cluster`: a cluster of 10 to 1,000 hosts as a simulation, with the costs that `npm run bench:cluster` measures.
 * It shows from which job size on one client, one stream and one server keep so many hosts busy.
 *
 * Three things work one operation after another: the client, the server's streams, and each host. A job is published by the client, stored by the
 * server, delivered to a host that has asked, computed, stored as a result, and taken by the client.
 */
import TinyQueue from 'tinyqueue';

/**
 * Measured with 15,000 empty jobs, as CPU time of each process (milliseconds): 0.11 of the client, 0.20 of the server, 0.42 of a host. How they are
 * shared among the operations of a process is a guess.
 */
const COSTS = {
  publish: 0.055,
  takeResult: 0.055,
  storeJob: 0.07,
  deliver: 0.05,
  storeResult: 0.08,
  host: 0.42,
} as const;
/** One way, between machines of one data centre (milliseconds). */
const LATENCY_MS = 0.25;
/** Jobs that a client makes of a call, for each host. */
const JOBS_A_HOST = 16;
const HOSTS = [10, 30, 100, 300, 1000];
const JOB_MS = [10, 100, 1000, 10_000];

interface Event {
  readonly at: number;
  run(): void;
}

/** Does one operation after another, in the order in which they come. */
class Station {
  busyMs = 0;
  #freeAt = 0;

  /** @returns when the operation is done that comes at this time */
  serve(at: number, ms: number): number {
    this.#freeAt = Math.max(at, this.#freeAt) + ms;
    this.busyMs += ms;
    return this.#freeAt;
  }
}

interface Outcome {
  /** The time that all hosts together would take without a cluster, over what it takes with one. */
  readonly efficiency: number;
  readonly client: number;
  readonly server: number;
}

function simulate(hosts: number, jobMs: number): Outcome {
  const events = new TinyQueue<Event>([], (a, b) => a.at - b.at);
  const at = (time: number, run: () => void): void => events.push({ at: time, run });
  const client = new Station();
  const server = new Station();
  const jobs = hosts * JOBS_A_HOST;
  let queued = 0;
  let idle = hosts;
  let now = 0;
  let done = 0;

  /** Gives queued jobs to hosts that have asked. */
  const deliver = (): void => {
    while (queued > 0 && idle > 0) {
      queued--;
      idle--;
      const computed = server.serve(now, COSTS.deliver) + LATENCY_MS + COSTS.host + jobMs;
      at(computed + LATENCY_MS, () => {
        idle++; // the host's next request comes with its result
        deliver();
        at(server.serve(now, COSTS.storeResult) + LATENCY_MS, () => {
          client.serve(now, COSTS.takeResult);
          done++;
        });
      });
    }
  };
  const queue = (): void => {
    queued++;
    deliver();
  };
  const publish = (k: number): void => {
    if (k === jobs) return;
    const sent = client.serve(now, COSTS.publish);
    at(sent + LATENCY_MS, () => at(server.serve(now, COSTS.storeJob), queue));
    at(sent, () => publish(k + 1));
  };
  publish(0);
  for (let event = events.pop(); event !== undefined; event = events.pop()) {
    now = event.at;
    event.run();
  }
  if (done !== jobs) throw new Error(`${done} of ${jobs} jobs are done`);
  const tookMs = Math.max(now, client.serve(now, 0));
  return { efficiency: (JOBS_A_HOST * jobMs) / tookMs, client: client.busyMs / tookMs, server: server.busyMs / tookMs };
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const row = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);

row(['hosts', ...JOB_MS.map((ms) => `jobs of ${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`}`)]);
row(new Array<string>(1 + JOB_MS.length).fill('---'));
for (const hosts of HOSTS)
  row([
    `${hosts}`,
    ...JOB_MS.map((ms) => {
      const { efficiency, client, server } = simulate(hosts, ms);
      return `${percent(efficiency)} (client ${percent(client)}, server ${percent(server)})`;
    }),
  ]);
