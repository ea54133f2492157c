/** Counts the worker threads that this thread has started, and those of them that have not ended. */
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();
const waiting = new Set<() => void>();
let started = 0;

process.on('worker', (worker: Worker) => {
  started++;
  living.add(worker);
  worker.once('exit', () => {
    living.delete(worker);
    if (living.size > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  });
});

export const livingWorkers = (): number => living.size;

export const startedWorkers = (): number => started;

/** Resolves once all have ended. */
export async function whenNoWorkerLives(): Promise<void> {
  if (living.size === 0) return;
  const alive = setInterval(() => {}, 1000); // idle workers keep no event loop alive
  await new Promise<void>((resolve) => waiting.add(resolve));
  clearInterval(alive);
}
