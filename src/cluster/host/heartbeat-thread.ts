/**
 * A thread of a host that computes nothing: it tells the server that the host lives and works on its jobs, and clients who it is. It has a connection of its own, so
 * that neither a job that blocks the host's main thread nor a large message delays it. It dies with its process, and freezes with it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { guarded, type HostAnswer } from '../link/arrived.js';
import { connectionOptions, LASTING, type NatsServer } from '../link/link.js';
import { loadPackages } from '../link/packages.js';

/** What the thread is started with. */
export interface HeartbeatData {
  readonly nats: NatsServer;
  readonly name: string;
  readonly threads: number;
  /** Where hosts are asked who they are. */
  readonly who: string;
  readonly everyMs: number;
  readonly leaseMs: number;
}

/** Says that a job, by the subject that acknowledges it, is under way or no more. */
export interface HeartbeatOrder {
  readonly reply: string;
  readonly isHeld: boolean;
}

/** What the thread tells: that it is connected; how many leases it has renewed; which jobs went without for longer than a lease. */
export type HeartbeatNews =
  | 'ready'
  | { readonly renewed: number }
  | { readonly lost: readonly string[]; readonly silentMs: number };

const { nats, name, threads, who, everyMs, leaseMs } = workerData as HeartbeatData;
/** The jobs, and since when the host has them (milliseconds). */
const held = new Map<string, number>();
let renewedMs = performance.now();
const tell = (news: HeartbeatNews): void => parentPort?.postMessage(news);

parentPort?.on('message', ({ reply, isHeld }: HeartbeatOrder) => {
  if (isHeld) held.set(reply, performance.now());
  else held.delete(reply);
});

const { transport } = await loadPackages();
const connection = await transport.connect({
  ...connectionOptions(nats),
  name: `${name} (heartbeat)`,
  waitOnFirstConnect: true,
  ...LASTING,
});
/** A beat counts once the server has answered, so that an outage or a frozen process shows as silence. */
const beat = async (): Promise<void> => {
  const replies = [...held.keys()];
  for (const reply of replies) connection.publish(reply, '+WPI');
  await connection.flush();
  const nowMs = performance.now();
  const silentMs = nowMs - renewedMs;
  const lost = replies.filter((reply) => nowMs - Math.max(renewedMs, held.get(reply) ?? nowMs) > leaseMs);
  renewedMs = nowMs;
  if (replies.length > 0) tell({ renewed: replies.length });
  if (lost.length > 0) tell({ lost, silentMs });
};
setInterval(() => void beat().catch(() => {}), everyMs); // a connection that is closed ends with the thread
connection.subscribe(who, {
  callback: guarded((message) => {
    message.respond(JSON.stringify({ name, threads, jobs: held.size } satisfies HostAnswer));
  }),
});
await connection.flush();
tell('ready');
