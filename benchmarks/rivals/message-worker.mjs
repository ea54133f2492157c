// No pool: a message there and a message back, which is what every pool of messages pays at least.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (n) => parentPort.postMessage(n + 1));
