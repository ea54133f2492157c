// Answers each message with a message. Every pool that sends messages pays at least for these two.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', (n) => parentPort.postMessage(n + 1));
