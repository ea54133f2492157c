/** Counts the worker threads that this thread has started and that have not ended. */
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();

process.on('worker', (worker: Worker) => {
  living.add(worker);
  worker.once('exit', () => living.delete(worker));
});

export const livingWorkers = (): number => living.size;
