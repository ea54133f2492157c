/** A workload on two bare workers, by hand: what the machine allows without a library; runs on the main thread of lanes and tests. */
import { Worker } from 'node:worker_threads';
import type { TypedArrayConstructor } from 'furcate';
import { type Caller, TEAM_WORDS, THREADS } from './team.js';
import type { Make } from './workload.js';

/** Makes arrays on SharedArrayBuffers. */
export const sharedByHand: Make = <T extends TypedArrayConstructor>(Type: T, n: number) =>
  new Type(new SharedArrayBuffer(n * Type.BYTES_PER_ELEMENT) as never) as InstanceType<T>;

/** Workers that have a workload and its data. */
export class BareWorkers {
  readonly #workers: readonly Worker[];
  readonly #caller: Caller<unknown, unknown, unknown, unknown, unknown>;
  readonly #input: unknown;
  readonly #shared: unknown;

  /** @param execArgv options of Node that let workers import the programs */
  constructor(
    workload: string,
    caller: Caller<never, never, never, never, unknown>,
    input: unknown,
    execArgv: readonly string[] = [],
  ) {
    this.#caller = caller as Caller<unknown, unknown, unknown, unknown, unknown>;
    this.#input = input;
    const shared = this.#caller.share ? this.#caller.share(input) : input;
    this.#shared = shared;
    const words = new Int32Array(new SharedArrayBuffer(4 * TEAM_WORDS));
    const file = new URL(`bare-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);
    this.#workers = Array.from(
      { length: THREADS },
      (_, me) => new Worker(file, { workerData: { workload, shared, words, me }, execArgv: [...execArgv] }),
    );
  }

  /** Lets each do its part once; returns the result. */
  async call(): Promise<unknown> {
    const message = this.#caller.open?.(this.#input, this.#shared);
    const ends = this.#workers.map(
      (worker) =>
        new Promise<unknown>((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        }),
    );
    for (const worker of this.#workers) worker.postMessage(message);
    const parts = await Promise.all(ends);
    for (const worker of this.#workers) worker.removeAllListeners('error');
    return this.#caller.close?.({ input: this.#input, shared: this.#shared, message, parts });
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
