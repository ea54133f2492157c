/** Keeps the leases of a host's jobs, through a thread of its own (heartbeat-thread.ts); runs on the host's main thread. */
import { Worker } from 'node:worker_threads';
import type { HeartbeatData, HeartbeatOrder } from './heartbeat-thread.js';

/** How often a host tells that it lives, in each lease. */
const BEATS = 3;

export class Heartbeat {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /**
   * Starts the thread, and waits until it is connected: the lease of a job that came before could be over by then.
   *
   * @param leaseMs how long the server waits for a beat
   * @throws what ends the thread
   */
  static async start(leaseMs: number, data: Omit<HeartbeatData, 'everyMs'>): Promise<Heartbeat> {
    const workerData: HeartbeatData = { ...data, everyMs: leaseMs / BEATS };
    const url = new URL('./clusterHeartbeat.js', import.meta.url);
    const execArgv: string[] = []; // Node refuses --input-type for a file
    const thread = new Worker(url, { workerData, name: 'furcate heartbeat', execArgv });
    await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    return new Heartbeat(thread);
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
