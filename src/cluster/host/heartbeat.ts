/** Keeps the leases of a host's jobs, through a thread of its own (heartbeat-thread.ts); runs on the host's main thread. */
import { Worker } from 'node:worker_threads';
import type { HeartbeatData, HeartbeatNews, HeartbeatOrder } from './heartbeat-thread.js';

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
   * @param onNews hears what the thread tells later
   * @throws what ends the thread
   */
  static async start(
    data: Omit<HeartbeatData, 'everyMs'>,
    onNews: (news: Exclude<HeartbeatNews, 'ready'>) => void,
  ): Promise<Heartbeat> {
    const workerData: HeartbeatData = { ...data, everyMs: data.leaseMs / BEATS };
    const url = new URL('./clusterHeartbeat.js', import.meta.url);
    const execArgv: string[] = []; // Node refuses --input-type for a file
    const thread = new Worker(url, { workerData, name: 'furcate heartbeat', execArgv });
    await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    thread.on('message', onNews);
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
