/** Keeps the leases of a host's jobs, through a thread of its own (heartbeat-thread.ts); runs on the host's main thread. */
import { Worker } from 'node:worker_threads';
import type { HeartbeatData, HeartbeatOrder } from './heartbeat-thread.js';

/** How often a host tells that it lives, in each lease. */
const BEATS = 3;

export class Heartbeat {
  readonly #thread: Worker;

  /** @param leaseMs how long the server waits for a beat */
  constructor(leaseMs: number, data: Omit<HeartbeatData, 'everyMs'>) {
    const workerData: HeartbeatData = { ...data, everyMs: leaseMs / BEATS };
    this.#thread = new Worker(new URL('./clusterHeartbeat.js', import.meta.url), {
      workerData,
      name: 'furcate heartbeat',
    });
  }

  /** Calls back when the thread fails: the host can keep no lease then. */
  onFailure(listener: (error: unknown) => void): void {
    this.#thread.on('error', listener);
  }

  /** @param reply the subject that acknowledges the job */
  hold(reply: string): void {
    this.#tell({ reply, isHeld: true });
  }

  release(reply: string): void {
    this.#tell({ reply, isHeld: false });
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }

  #tell(order: HeartbeatOrder): void {
    this.#thread.postMessage(order);
  }
}
