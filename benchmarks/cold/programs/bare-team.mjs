// Two bare workers that share memory and a counter, as one would write them without the library.
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
   * @param work a function of the data and of `take`, which takes the next number from the counter. It returns a function that does
   * a worker's share of a call and returns its result
   */
  constructor(work, data) {
    const workerData = { ...data, counter: this.#counter };
    this.#workers = Array.from({ length: THREADS }, () => new Worker(textOf(work), { eval: true, workerData }));
  }

  /** Lets both workers do their share, and returns both results. */
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
