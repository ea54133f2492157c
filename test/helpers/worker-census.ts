/** Counts the worker threads that this thread has started and that have not ended. */
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();
const waiting = new Set<() => void>();

process.on('worker', (worker: Worker) => {
  living.add(worker);
  worker.once('exit', () => {
    living.delete(worker);
    if (living.size > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  });
});

export const livingWorkers = (): number => living.size;

/** Resolves once all have ended. */
export async function whenNoWorkerLives(): Promise<void> {
  if (living.size === 0) return;
  const alive = setInterval(() => {}, 1000); // idle workers keep no event loop alive
  await new Promise<void>((resolve) => waiting.add(resolve));
  clearInterval(alive);
}
