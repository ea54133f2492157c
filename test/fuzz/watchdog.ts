/**
 * Names a synchronous call that does not return, and ends the process. Only another thread can do this. Where there is no process, whoever runs
 * the page sees that it hangs.
 */
import { STEP_HANG_MS } from '../helpers/limits.js';

const MAX_LABEL_BYTES = 4096;

const WATCH = `
  const { beat, label } = require('node:worker_threads').workerData;
  let seen = 0;
  setInterval(() => {
    if (Atomics.load(beat, 0) !== seen) seen = Atomics.load(beat, 0);
    else if (Atomics.load(beat, 1) === 1) {
      require('node:fs').writeSync(2, 'This call did not return: ' + Buffer.from(label).toString().replaceAll('\\0', '') + '\\n');
      process.kill(process.pid, 'SIGKILL');
    }
  }, ${STEP_HANG_MS});
`;

const beat = new Int32Array(new SharedArrayBuffer(8));
const label = new Uint8Array(new SharedArrayBuffer(MAX_LABEL_BYTES));
if (typeof process !== 'undefined') {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  new Worker(WATCH, { eval: true, workerData: { beat, label } }).unref();
}

/** Tells the watchdog which call begins; `undefined` after the last call. */
export function calling(what: string | undefined): void {
  const bytes = new TextEncoder().encode(what ?? '').subarray(0, MAX_LABEL_BYTES);
  label.fill(0);
  label.set(bytes);
  Atomics.store(beat, 1, what === undefined ? 0 : 1);
  Atomics.add(beat, 0, 1);
}
