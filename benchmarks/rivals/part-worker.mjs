// A bare worker that does parts of works.
import { parentPort } from 'node:worker_threads';
import { part } from './parts.mjs';

parentPort.on('message', (given) => parentPort.postMessage(part(given)));
