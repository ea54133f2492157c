/** Hosts that are killed and frozen, and servers that are killed, all the time, while a client goes on calling: what it gets must not change. */
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { CancellationError, ForkJoinPool } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { type Random, randomOf } from '../helpers/random.js';
import { Processes } from './processes.js';
import * as tasks from './tasks.mjs';
import { allMessages, hasMessages, type Scene, whatThereIs } from './what-there-is.js';

const LEASE_MS = 1000;
/** Mean time between two faults (milliseconds). */
const FAULT_EVERY_MS = 1000;
const NUMBERS = 4096;
const ITEMS = 40;
/** How long an item of a call takes (milliseconds). */
const ITEM_MS = 20;
/** Elements of a list, which is as unbalanced as a tree can be. */
const ELEMENTS = 400;
/** Longest outage of the server (milliseconds): longer than a lease. */
const MOST_AWAY_MS = 3000;
/** A call that takes longer hangs (milliseconds): an outage, three leases and its work are much less. */
const CALL_HANG_MS = 90_000;
/** How long the streams may take to be empty after the last call (milliseconds). */
const CLEANED_MS = 60_000;
/** What a stranger sends on each subject. */
const HOSTILE = ['null', '', '{', '[1]', '{"keys":[1],"wanted":{}}'];
const SUBJECTS = ['share.a.b', 'cancel.a.b', 'who', 'job.any.a.b.c', 'result.a.b.c'];

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
  /** Hosts that live at the same time; by default 3 to 5, by the seed. */
  readonly hosts?: number;
}

/** What has happened. */
export interface ChaosReport {
  calls: number;
  /** Calls that were aborted, or told to end after a while. */
  cancelledCalls: number;
  lostStores: number;
  hostileMessages: number;
  /** What was left in the streams when the last call had ended and the client had cleaned: subjects, with the host of a result. */
  leftMessages: readonly string[];
  killedHosts: number;
  frozenHosts: number;
  killedServers: number;
}

interface Host {
  readonly name: string;
  readonly program: Awaited<ReturnType<Processes['startHost']>>;
}

/** What the client calls, each with its result where nothing fails. */
async function callsOf(
  cluster: Cluster,
): Promise<Readonly<Record<string, readonly [() => Promise<unknown>, unknown]>>> {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const sum = await pool.invoke(new tasks.Fractions(0, NUMBERS, ''));
  await pool.close();
  const items = Array.from({ length: ITEMS }, (_, k) => ITEM_MS + (k % 2));
  const fractions = Array.from({ length: ITEMS }, (_, k) => 1 / (k + 1));
  const numbers = Array.from({ length: ITEMS }, (_, k) => k);
  return {
    tree: [() => cluster.invoke(new tasks.Fractions(0, NUMBERS, '')), sum],
    map: [() => cluster.parallelMap(items, tasks.pause), items],
    named: [() => cluster.parallelMap(items, tasks.pause, { run: 'named', at: (ms) => `host-${ms % 3}` }), items],
    list: [() => cluster.invoke(new tasks.Chain(0, ELEMENTS)), (ELEMENTS * (ELEMENTS - 1)) / 2],
    reduce: [() => cluster.parallelReduce(numbers, tasks.fraction, (a, b) => a + b), fractions.reduce((a, b) => a + b)],
  };
}

/** Sends what no program of the library sends. @returns how many messages */
async function annoy(processes: Processes): Promise<number> {
  const nats = await connectToNats({ servers: processes.nats });
  const messages = SUBJECTS.flatMap((subject) => HOSTILE.map((text) => [subject, text] as const));
  for (const [subject, text] of messages) nats.publish(`furcate.default.${subject}`, text);
  await nats.flush();
  await nats.close();
  return messages.length;
}

/** Calls that end before their time, one after another. */
async function cancelCalls(scene: Scene, random: Random, report: ChaosReport): Promise<void> {
  while (!scene.isOver) {
    const items = Array.from({ length: ITEMS }, () => ITEM_MS);
    const call = scene.cluster.parallelMap(items, tasks.pause, { timeoutMs: random.below(20 * ITEM_MS) });
    await orHangs('cancelled', call, scene).catch((error: unknown) => {
      if (!CancellationError.is(error)) throw error;
      report.cancelledCalls++;
    });
  }
}

/** Deletes what the stranger's messages have left: jobs and results of a run of nobody. */
async function dropStrangers(processes: Processes): Promise<void> {
  const nats = await connectToNats({ servers: processes.nats });
  const manager = await jetstreamManager(nats);
  await manager.streams.purge('furcate-default-jobs', { filter: 'furcate.default.job.any.a.>' });
  await manager.streams.purge('furcate-default-results', { filter: 'furcate.default.result.a.>' });
  await nats.close();
}

/** The messages that the streams have, once none is left or the time is over. */
async function messagesLeft(cluster: Cluster, processes: Processes): Promise<readonly string[]> {
  const startedMs = performance.now();
  for (;;) {
    const { queued, inFlight, results } = await cluster.stats();
    if (queued + inFlight + results.count === 0) return [];
    if (performance.now() - startedMs < CLEANED_MS) continue;
    const left = await allMessages(processes);
    return hasMessages(left) ? left : [];
  }
}

/** A call that hangs is an error that tells what there is of it. No more faults follow, so that it shows whether they have kept the call from its end. */
async function orHangs<T>(what: string, call: Promise<T>, scene: Scene): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, CALL_HANG_MS, true);
  });
  const settles = call.then(
    () => false,
    () => false,
  );
  const isHanging = await Promise.race([settles, hangs]);
  clearTimeout(timer);
  if (!isHanging) return call;
  scene.isOver = true;
  throw new Error(`a call hangs (${what}); there is:\n${await whatThereIs(scene, settles)}`);
}

/** Faults, one after another. Some hosts are always alive, and the dead are replaced. */
async function disturb(
  scene: Scene,
  { random, faults, length }: { readonly random: Random; readonly faults: number; readonly length: number },
  report: ChaosReport,
): Promise<void> {
  const { processes } = scene;
  let count = 0;
  const start = async (): Promise<Host> => {
    const name = `host-${++count}`;
    const program = await processes.startHost(name, '--log', 'json');
    note(`${name} is there`);
    return { name, program };
  };
  const note = (what: string): unknown => scene.faults.push(`${new Date().toISOString()} ${what}`);
  const hosts = await Promise.all(Array.from({ length }, start));
  for (let fault = 0; fault < faults && !scene.isOver; fault++) {
    await delay(FAULT_EVERY_MS / 2 + random.below(FAULT_EVERY_MS));
    const kind = random.below(10);
    const at = random.below(hosts.length);
    const host = hosts[at] as Host;
    if (kind === 0) {
      report.killedServers++;
      note('the server is killed');
      await processes.endServer('SIGKILL');
      const losesStore = report.lostStores === 0 && random.below(3) === 0;
      if (losesStore) {
        report.lostStores++;
        note('its store is lost');
        processes.emptyStore();
      }
      await delay(random.below(MOST_AWAY_MS));
      await processes.startServer();
      note('it is back');
    } else if (kind === 1) {
      note('a stranger sends messages');
      report.hostileMessages += await annoy(processes);
    } else if (kind < 4) {
      report.frozenHosts++;
      note(`${host.name} is frozen`);
      host.program.process.kill('SIGSTOP');
      await delay(1.5 * LEASE_MS);
      host.program.process.kill('SIGCONT');
    } else {
      report.killedHosts++;
      note(`${host.name} is killed`);
      await host.program.end('SIGKILL');
      hosts[at] = await start();
    }
  }
}

/**
 * @returns what has happened
 * @throws what a call has failed with; Error for a wrong result
 */
export async function chaos({ seed, faults, hosts: length = 3 + (seed % 3) }: ChaosOptions): Promise<ChaosReport> {
  const processes = new Processes();
  const report: ChaosReport = {
    calls: 0,
    cancelledCalls: 0,
    killedHosts: 0,
    frozenHosts: 0,
    killedServers: 0,
    lostStores: 0,
    hostileMessages: 0,
    leftMessages: [],
  };
  await processes.startServer();
  const cluster = await connect({ nats: processes.nats, leaseMs: LEASE_MS });
  const scene: Scene = { cluster, processes, faults: [], isOver: false };
  try {
    const calls = await callsOf(cluster);
    const disturbed = disturb(scene, { random: randomOf(seed), faults, length }, report).finally(() => {
      scene.isOver = true;
    });
    const repeat = async ([what, [call, expected]]: [string, (typeof calls)[string]]): Promise<void> => {
      while (!scene.isOver) {
        const result = await orHangs(what, call(), scene);
        report.calls++;
        if (JSON.stringify(result) !== JSON.stringify(expected))
          throw new Error(`${JSON.stringify(result)} where ${JSON.stringify(expected)} is expected`);
      }
    };
    const cancelling = cancelCalls(scene, randomOf(seed + 1), report);
    await Promise.all([disturbed, cancelling, ...Object.entries(calls).map(repeat)]);
    await dropStrangers(processes);
    report.leftMessages = await messagesLeft(cluster, processes);
    return report;
  } finally {
    await cluster.terminate();
    await processes.end();
  }
}
