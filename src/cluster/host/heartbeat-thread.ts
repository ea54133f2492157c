/**
 * A thread of a host that computes nothing: it tells the server that the host lives and works on its jobs, and clients who it is. It has a connection of its own, so
 * that neither a job that blocks the host's main thread nor a large message delays it. It dies with its process, and freezes with it.
 *
 * A main thread that stands still for longer than a job may block it does not come back. Then the thread ends the process: a host that lives must work.
 */
import { writeSync } from 'node:fs';
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { answer, guarded, type HostAnswer, jsonIn } from '../link/arrived.js';
import { LASTING } from '../link/link.js';
import { loadPackages } from '../link/packages.js';
import { connectionOptions, type NatsServer } from '../link/server.js';
import { LOG_FORMAT, lineOf } from './line.js';
import { BLOCKED_MS, PULSE_MS, Standstill, sharedNowMs } from './pulse.js';

/** Data with which the thread is started. */
export interface HeartbeatData {
  readonly nats: NatsServer;
  readonly name: string;
  readonly threads: number;
  readonly version: string;
  /** Subject on which hosts are asked who they are, and whether they have a job. */
  readonly who: string;
  /** Subject on which the server tells of the stream of jobs. */
  readonly streamInfo: string;
  /** Subject on which the main thread hears that its connection works. */
  readonly echo: string;
  readonly everyMs: number;
  readonly leaseMs: number;
  /** Counts while the main thread turns. */
  readonly pulse: Int32Array;
  /** Time for which jobs may block the main thread (milliseconds). */
  readonly blockTimeoutMs: number;
}

/** A job that the host has. */
export interface HeldJob {
  /** The subject that acknowledges it. */
  readonly reply: string;
  readonly subject: string;
  /** Name of what the job runs, and the time that it may take (milliseconds). */
  readonly what: string;
  readonly limitMs: number;
}

/** A job that is under way, or what acknowledges one that is so no more. */
export type HeartbeatOrder = HeldJob | string;

/**
 * News of the thread: that it is connected; that it has published an echo; how many leases it has renewed, and when by `sharedNowMs`; which jobs went without
 * for longer than a lease; that something is wrong.
 */
export type HeartbeatNews =
  | 'ready'
  | 'echo'
  | { readonly renewed: number; readonly atMs: number }
  | { readonly trouble: string }
  | { readonly lost: readonly string[]; readonly silentMs: number };

const { pid } = process;
const data = workerData as HeartbeatData;
const { nats, name, threads, version, who, streamInfo, echo, everyMs, leaseMs, pulse, blockTimeoutMs } = data;
/** The jobs, by what acknowledges them, and since when the host has them (milliseconds). */
const held = new Map<string, HeldJob & { readonly sinceMs: number }>();
/** Creation time of the stream that the jobs are of; undefined while that is not known. */
let stream: string | undefined;
let known: string | undefined;
let renewedMs = performance.now();
const tell = (news: HeartbeatNews): void => parentPort?.postMessage(news);

parentPort?.on('message', (order: HeartbeatOrder) => {
  if (typeof order === 'string') held.delete(order);
  else held.set(order.reply, { ...order, sinceMs: performance.now() });
});

const standstill = new Standstill(pulse, PULSE_MS);

/** Ends the process where the main thread stands still for good. A signal does it, since a worker can end nothing but itself. */
function watchMain(): void {
  const limits = [...held.values()].map(({ limitMs }) => limitMs + 2 * leaseMs); // where it turns, it ends them itself
  if (standstill.look() <= Math.max(BLOCKED_MS, Math.min(blockTimeoutMs, ...limits))) return;
  const jobs = [...new Set([...held.values()].map(({ what }) => what))].join(', ') || 'none';
  const seconds = (standstill.ms / 1000).toFixed(1);
  const error = `furcate: host '${name}': its main thread has stood still for ${seconds} s, longer than a job may block it, so the host ends. Its jobs: ${jobs}. Let what computes for long run in the pool, or allow more by blockTimeoutMs (--block-timeout).`;
  writeSync(2, `${lineOf(getEnvironmentData(LOG_FORMAT) === 'json' ? 'json' : 'text', 'failed', error)}\n`);
  process.kill(pid, 'SIGKILL');
}
setInterval(watchMain, PULSE_MS);

const { transport } = await loadPackages();
const connection = await transport.connect({
  ...connectionOptions(transport, nats),
  name: `${name} (heartbeat)`,
  waitOnFirstConnect: true,
  ...LASTING,
});
/**
 * After an outage the server may have another stream, where a number stands for another job: then the thread holds nothing of the old one.
 *
 * @returns whether it is known which stream the server has
 */
async function isSameStream(): Promise<boolean> {
  if (stream !== undefined) return true;
  const answer = jsonIn((await connection.request(streamInfo, '', { timeout: everyMs })).data);
  const { created } = Object(answer) as { readonly created?: unknown };
  if (typeof created !== 'string') return false;
  if (known !== undefined && created !== known) held.clear();
  known = created;
  stream = created;
  return true;
}

/** A beat counts once the server has answered, so that an outage or a frozen process shows as silence. */
const beat = async (): Promise<void> => {
  if (connection.isClosed() || !(await isSameStream())) return;
  const replies = [...held.keys()];
  const atMs = sharedNowMs(); // the process may be frozen before it hears the answer
  for (const reply of replies) connection.publish(reply, '+WPI');
  connection.publish(echo);
  await connection.flush();
  tell('echo');
  const nowMs = performance.now();
  const silentMs = nowMs - renewedMs;
  const lost = replies.filter((reply) => nowMs - Math.max(renewedMs, held.get(reply)?.sinceMs ?? nowMs) > leaseMs);
  renewedMs = nowMs;
  if (replies.length > 0) tell({ renewed: replies.length, atMs });
  if (lost.length > 0) tell({ lost, silentMs });
};
setInterval(() => void beat().catch(() => {}), everyMs); // a connection that is closed ends with the thread
connection.subscribe(who, {
  callback: guarded(
    (message) => {
      const asked = message.string();
      const holds = asked !== '' && [...held.values()].some(({ subject }) => subject === asked);
      const { blockedMs } = standstill;
      answer(
        message,
        JSON.stringify({ name, threads, version, jobs: held.size, holds, blockedMs } satisfies HostAnswer),
      );
    },
    (trouble) => tell({ trouble }),
  ),
});
void (async () => {
  for await (const { type } of connection.status()) if (type === 'disconnect') stream = undefined;
})();
await connection.flush();
tell('ready');
