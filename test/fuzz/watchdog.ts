/** Ends the process when a synchronous call never returns, and says which: nothing else could. */
import { Worker } from 'node:worker_threads';
import { STEP_HANG_MS } from '../helpers/limits.js';

const MAX_LABEL_BYTES = 4096;

const WATCH = `
  const { beat, label } = require('node:worker_threads').workerData;
  let seen = 0;
  setInterval(() => {
    if (Atomics.load(beat, 0) !== seen) seen = Atomics.load(beat, 0);
    else if (Atomics.load(beat, 1) === 1) {
      require('node:fs').writeSync(2, 'This call does not return: ' + Buffer.from(label).toString().replaceAll('\\0', '') + '\\n');
      process.kill(process.pid, 'SIGKILL');
    }
  }, ${STEP_HANG_MS});
`;

const beat = new Int32Array(new SharedArrayBuffer(8));
const label = new Uint8Array(new SharedArrayBuffer(MAX_LABEL_BYTES));
new Worker(WATCH, { eval: true, workerData: { beat, label } }).unref();

/** Says what is about to be called; `undefined` when nothing is. */
export function calling(what: string | undefined): void {
  const bytes = new TextEncoder().encode(what ?? '').subarray(0, MAX_LABEL_BYTES);
  label.fill(0);
  label.set(bytes);
  Atomics.store(beat, 1, what === undefined ? 0 : 1);
  Atomics.add(beat, 0, 1);
}
