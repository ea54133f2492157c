/** A workload on two bare workers, by hand: what the machine allows without a library; runs on the main thread of lanes and tests. */
import { Worker } from 'node:worker_threads';
import type { TypedArrayConstructor } from 'furcate';
import { TEAM_WORDS, THREADS } from './team.js';
import type { Make } from './workload.js';

/** Makes arrays on SharedArrayBuffers. */
export const sharedByHand: Make = <T extends TypedArrayConstructor>(Type: T, n: number) =>
  new Type(new SharedArrayBuffer(n * Type.BYTES_PER_ELEMENT) as never) as InstanceType<T>;

/** Workers that have a workload and its data. */
export class BareWorkers {
  readonly #workers: readonly Worker[];

  /** @param execArgv options of Node that let workers import the programs */
  constructor(workload: string, input: unknown, execArgv: readonly string[] = []) {
    const words = new Int32Array(new SharedArrayBuffer(4 * TEAM_WORDS));
    const file = new URL(`bare-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);
    const workerData = { workload, input, words };
    this.#workers = Array.from({ length: THREADS }, () => new Worker(file, { workerData, execArgv: [...execArgv] }));
  }

  /** Lets each do its part once. */
  async call(): Promise<void> {
    const ends = this.#workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.once('message', () => resolve());
          worker.once('error', reject);
        }),
    );
    for (const worker of this.#workers) worker.postMessage('call');
    await Promise.all(ends);
    for (const worker of this.#workers) worker.removeAllListeners('error');
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
