/**
 * A thread of a host that computes nothing: it tells the server that the host lives and works on its jobs, and clients who it is. It has a connection of its own, so
 * that neither a job that blocks the host's main thread nor a large message delays it. It dies with its process, and freezes with it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { connectionOptions, type HostAnswer, LASTING, type NatsServer } from '../link/link.js';
import { loadPackages } from '../link/packages.js';

/** What the thread is started with. */
export interface HeartbeatData {
  readonly nats: NatsServer;
  readonly name: string;
  readonly threads: number;
  /** Where hosts are asked who they are. */
  readonly who: string;
  readonly everyMs: number;
}

/** Says that a job, by the subject that acknowledges it, is under way or no more. */
export interface HeartbeatOrder {
  readonly reply: string;
  readonly isHeld: boolean;
}

const { nats, name, threads, who, everyMs } = workerData as HeartbeatData;
const held = new Set<string>();

parentPort?.on('message', ({ reply, isHeld }: HeartbeatOrder) => {
  if (isHeld) held.add(reply);
  else held.delete(reply);
});

const { transport } = await loadPackages();
const connection = await transport.connect({
  ...connectionOptions(nats),
  name: `${name} (heartbeat)`,
  waitOnFirstConnect: true,
  ...LASTING,
});
const beat = (): void => {
  for (const reply of held) connection.publish(reply, '+WPI');
};
setInterval(beat, everyMs);
connection.subscribe(who, {
  callback: (_, message) => {
    message.respond(JSON.stringify({ name, threads, jobs: held.size } satisfies HostAnswer));
  },
});
await connection.flush();
parentPort?.postMessage('ready');
