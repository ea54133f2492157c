// Two bare workers over shared memory with one counter: what one would write without the library.
import { Worker } from 'node:worker_threads';

const THREADS = 2;

const textOf = (work) => `
const { parentPort, workerData } = require('node:worker_threads');
const take = () => Atomics.add(workerData.counter, 0, 1);
const work = (${work})(workerData, take);
parentPort.on('message', async (message) => parentPort.postMessage(await work(message)));`;

export class BareTeam {
  #counter = new Int32Array(new SharedArrayBuffer(4));
  #workers;

  /**
   * @param work a function of data and `take`, which gives the next number from the counter; it returns a function that does a
   * worker's part of a call and returns its result
   */
  constructor(work, data) {
    const workerData = { ...data, counter: this.#counter };
    this.#workers = Array.from({ length: THREADS }, () => new Worker(textOf(work), { eval: true, workerData }));
  }

  /** Has both workers do their part, and gives both results. */
  run(message = 0) {
    this.#counter[0] = 0;
    return Promise.all(
      this.#workers.map((worker) =>
        new Promise((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
          worker.postMessage(message);
        }).finally(() => worker.removeAllListeners('error')),
      ),
    );
  }

  /** Lets the process end. */
  unref() {
    for (const worker of this.#workers) worker.unref();
  }
}
