// Times, in a fresh process, two bare workers until the first message of one of them. Prints milliseconds as JSON.
import { Worker } from 'node:worker_threads';

const SOURCE = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (n) => parentPort.postMessage(n + 1));`;

const startMs = performance.now();
const workers = [new Worker(SOURCE, { eval: true }), new Worker(SOURCE, { eval: true })];
const answer = await new Promise((resolve) => {
  for (const worker of workers) {
    worker.on('message', resolve);
    worker.postMessage(1);
  }
});
const ms = performance.now() - startMs;
for (const worker of workers) worker.unref();
console.log(JSON.stringify({ ms, answer }));
