/** Hosts that are killed and frozen, and servers that are killed, all the time, while a client goes on calling: what it gets must not change. */
import { setTimeout as delay } from 'node:timers/promises';
import { ForkJoinPool } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { type Random, randomOf } from '../helpers/random.js';
import { Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const LEASE_MS = 1000;
const HOSTS = 4;
/** Mean time between two faults (milliseconds). */
const FAULT_EVERY_MS = 1000;
const NUMBERS = 4096;
const ITEMS = 40;
/** How long an item of a call takes (milliseconds). */
const ITEM_MS = 20;

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
}

/** What has happened. */
export interface ChaosReport {
  calls: number;
  killedHosts: number;
  frozenHosts: number;
  killedServers: number;
}

type Host = Awaited<ReturnType<Processes['startHost']>>;

/** What the client calls, each with its result where nothing fails. */
async function callsOf(cluster: Cluster): Promise<readonly [call: () => Promise<unknown>, result: unknown][]> {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const sum = await pool.invoke(new tasks.Fractions(0, NUMBERS, ''));
  await pool.close();
  const items = Array.from({ length: ITEMS }, (_, k) => ITEM_MS + (k % 2));
  const fractions = Array.from({ length: ITEMS }, (_, k) => 1 / (k + 1));
  return [
    [() => cluster.invoke(new tasks.Fractions(0, NUMBERS, '')), sum],
    [() => cluster.parallelMap(items, tasks.pause), items],
    [
      () =>
        cluster.parallelReduce(
          Array.from({ length: ITEMS }, (_, k) => k),
          tasks.fraction,
          (a, b) => a + b,
        ),
      fractions.reduce((a, b) => a + b),
    ],
  ];
}

/** Faults, one after another. Some hosts are always alive, and the dead are replaced. */
async function disturb(processes: Processes, random: Random, report: ChaosReport, faults: number): Promise<void> {
  let count = 0;
  const start = (): Promise<Host> => processes.startHost(`host-${++count}`);
  const hosts = await Promise.all(Array.from({ length: HOSTS }, start));
  for (let fault = 0; fault < faults; fault++) {
    await delay(FAULT_EVERY_MS / 2 + random.below(FAULT_EVERY_MS));
    const kind = random.below(10);
    const at = random.below(hosts.length);
    const host = hosts[at] as Host;
    if (kind === 0) {
      report.killedServers++;
      await processes.endServer('SIGKILL');
      await processes.startServer();
    } else if (kind < 3) {
      report.frozenHosts++;
      host.process.kill('SIGSTOP');
      await delay(1.5 * LEASE_MS);
      host.process.kill('SIGCONT');
    } else {
      report.killedHosts++;
      await host.end('SIGKILL');
      hosts[at] = await start();
    }
  }
}

/**
 * @returns what has happened
 * @throws what a call has failed with; Error for a wrong result
 */
export async function chaos({ seed, faults }: ChaosOptions): Promise<ChaosReport> {
  const processes = new Processes();
  const report: ChaosReport = { calls: 0, killedHosts: 0, frozenHosts: 0, killedServers: 0 };
  await processes.startServer();
  const cluster = await connect({ nats: processes.nats, leaseMs: LEASE_MS });
  try {
    const calls = await callsOf(cluster);
    let isDisturbed = true;
    const disturbed = disturb(processes, randomOf(seed), report, faults).finally(() => {
      isDisturbed = false;
    });
    const repeat = async ([call, expected]: (typeof calls)[number]): Promise<void> => {
      while (isDisturbed) {
        const result = await call();
        report.calls++;
        if (JSON.stringify(result) !== JSON.stringify(expected))
          throw new Error(`${JSON.stringify(result)} where ${JSON.stringify(expected)} is expected`);
      }
    };
    await Promise.all([disturbed, ...calls.map(repeat)]);
    return report;
  } finally {
    await cluster.terminate();
    await processes.end();
  }
}
