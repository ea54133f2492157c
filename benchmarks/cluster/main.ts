/**
 * The program of `npm run bench:cluster`: what a cluster costs, and how fast it recovers, with hosts of one thread as processes on this machine.
 * Jobs wait instead of computing, but those of one tree, so that the figures are those of the cluster on a machine with few cores, too.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForkJoinPool } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { entriesIn, Processes } from '../../test/cluster/processes.js';
import * as tasks from '../../test/cluster/tasks.mjs';
import { PrimeSum } from '../tasks/prime-sum.mjs';

const LEASE_MS = 1000;
const STALL_MS = 20_000;
/** Five seconds for one thread. */
const NUMBERS = 16_000_000;
const PRIME_SUM = fileURLToPath(new URL('../tasks/prime-sum.mjs', import.meta.url));

const processes = new Processes();

const timeOf = async (body: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await body();
  return performance.now() - startedMs;
};

function show(what: string, value: string): void {
  console.log(`${what.padEnd(66)} ${value}`);
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

async function roundTrips(cluster: Cluster): Promise<void> {
  const times: number[] = [];
  for (let k = 0; k < 600; k++) times.push(await timeOf(() => cluster.invoke(tasks.square, k)));
  const sorted = times.slice(100).sort((a, b) => a - b);
  show('empty round trip, p50; p95', `${ms(sorted[250] as number)}; ${ms(sorted[475] as number)}`);
}

async function shortChunks(cluster: Cluster): Promise<void> {
  const took = await timeOf(() => cluster.parallelMap(new Array<number>(1000).fill(10), tasks.pause));
  show('1,000 chunks of 10 ms on two hosts, over ideal', `${((took / 5000 - 1) * 100).toFixed(1)} %`);
}

/** The CPU time of another process so far (milliseconds), where the system tells it. */
function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10; // in ticks of 10 ms
}

async function manyJobs(cluster: Cluster, hosts: readonly number[]): Promise<void> {
  const items = Array.from({ length: 15_000 }, (_, k) => k);
  const pids = [process.pid, processes.serverPid, ...hosts];
  const before = pids.map(cpuMsOf);
  const took = await timeOf(() => cluster.parallelMap(items, tasks.square));
  show('15,000 empty jobs on two hosts', ms(took));
  const [client, server, ...rest] = pids.map((pid, k) => (cpuMsOf(pid) - (before[k] as number)) / items.length);
  const host = rest.reduce((a, b) => a + b, 0);
  const us = [client, server, host].map((each) => `${((each as number) * 1000).toFixed(0)} us`).join(', ');
  show('CPU time of one of them: client, server, host', us);
}

/** The client hears nothing for longer than the server waits for one that does not read. */
async function stalledClient(cluster: Cluster): Promise<void> {
  const items = Array.from({ length: 15_000 }, (_, k) => k);
  let isStalled = false;
  const onProgress = (done: number): void => {
    if (isStalled || done < 1000) return;
    isStalled = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
  };
  const results = await cluster.parallelMap(items, tasks.square, { onProgress });
  const right = results.filter((result, k) => result === k * k).length;
  show(`client stalled for ${STALL_MS / 1000} s: results of ${items.length} jobs`, `${right}`);
}

/** How long the abort of one call takes (milliseconds). */
async function abortMs(cluster: Cluster, queued: number): Promise<number> {
  const folder = processes.newFolder();
  const controller = new AbortController();
  const call = cluster.parallelMap(new Array<string>(queued).fill(folder), tasks.runsUntilAborted, {
    signal: controller.signal,
  });
  call.catch(() => {});
  await entriesIn(folder, 'begun', 2);
  return timeOf(() => {
    controller.abort();
    return call.catch(() => {});
  });
}

/** Several aborts, because a collection of young garbage, of 10 to 20 ms, falls into some of them. */
async function aborts(cluster: Cluster, queued: number): Promise<void> {
  const times: number[] = [];
  for (let k = 0; k < 9; k++) times.push(await abortMs(cluster, queued));
  times.sort((a, b) => a - b);
  show(
    `abort of a call of ${queued} jobs, median; longest of 9`,
    `${ms(times[4] as number)}; ${ms(times[8] as number)}`,
  );
}

async function killedHost(): Promise<void> {
  const app = 'killed';
  const cluster = await connect({ nats: processes.nats, app, leaseMs: LEASE_MS });
  const folder = processes.newFolder();
  const first = await processes.startHost('C', '--app', app);
  const call = cluster.invoke(tasks.gated, [folder, 0]);
  await entriesIn(folder, '0-', 1);
  await processes.startHost('D', '--app', app);
  await first.end('SIGKILL');
  mkdirSync(join(folder, 'open'));
  show(`kill -9 of a host, lease ${LEASE_MS} ms: its job is done after`, ms(await timeOf(() => call)));
  await cluster.close();
}

/** The time of the skewed task on one thread of this machine. */
async function skewedAlone(): Promise<number> {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const took = await timeOf(() => pool.invoke(new tasks.Skewed(0, tasks.Skewed.NUMBERS)));
  await pool.close();
  return took;
}

async function skewed(names: readonly string[], aloneMs: number): Promise<void> {
  const app = `skewed-${names.length}`;
  await Promise.all(names.map((name) => processes.startHost(name, '--app', app)));
  const cluster = await connect({ nats: processes.nats, app });
  const took = await timeOf(() => cluster.invoke(new tasks.Skewed(0, tasks.Skewed.NUMBERS)));
  show(
    `one job of 64 has 3/4 of 10 s: ${names.length} hosts, over ideal`,
    ((took * names.length) / aloneMs).toFixed(2),
  );
  await cluster.close();
}

/** A tree that computes, on two hosts and on one thread of this machine, by turns: it needs two idle cores. */
async function computing(cluster: Cluster): Promise<void> {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const task = (): PrimeSum => new PrimeSum(0, NUMBERS);
  const ratios: number[] = [];
  const alone: number[] = [];
  for (let k = 0; k < 3; k++) {
    const results: number[] = [];
    const aloneMs = await timeOf(async () => results.push(await pool.invoke(task())));
    const hostsMs = await timeOf(async () => results.push(await cluster.invoke(task())));
    if (results[0] !== results[1]) throw new Error(`two hosts give ${results[1]}, one thread ${results[0]}`);
    alone.push(aloneMs);
    ratios.push(aloneMs / hostsMs);
  }
  await pool.close();
  const [oneMs, ratio] = [alone, ratios].map((samples) => samples.sort((a, b) => a - b)[1] as number);
  show(`${ms(oneMs as number)} of computing on two hosts, the same bits: times faster`, (ratio as number).toFixed(2));
}

async function restartedServer(cluster: Cluster): Promise<void> {
  const folder = processes.newFolder();
  const call = cluster.parallelMap(
    Array.from({ length: 20 }, (_, k) => [folder, k] as const),
    tasks.gated,
  );
  await entriesIn(folder, '', 2);
  await processes.endServer('SIGKILL');
  mkdirSync(join(folder, 'open'));
  await processes.startServer();
  show('server killed and started again: 20 jobs are done after', ms(await timeOf(() => call)));
}

await processes.startServer();
const hosts = await Promise.all([processes.startHost('A', PRIME_SUM), processes.startHost('B', PRIME_SUM)]);
const cluster = await connect({ nats: processes.nats });
try {
  await roundTrips(cluster);
  await shortChunks(cluster);
  await manyJobs(
    cluster,
    hosts.map((host) => host.process.pid as number),
  );
  await computing(cluster);
  await stalledClient(cluster);
  await aborts(cluster, 4500);
  const aloneMs = await skewedAlone();
  await skewed(['S', 'T'], aloneMs);
  await skewed(['U', 'V', 'W', 'X'], aloneMs);
  await killedHost();
  await restartedServer(cluster);
} finally {
  await cluster.terminate();
  await processes.end();
}
