/** Counts the worker threads that this thread has started, and those of them that have not ended. */
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();
const waiting = new Map<() => void, number>();
let started = 0;

process.on('worker', (worker: Worker) => {
  started++;
  living.add(worker);
  worker.once('exit', () => {
    living.delete(worker);
    for (const [wake, most] of waiting) if (living.size <= most) wake();
  });
});

export const livingWorkers = (): number => living.size;

export const startedWorkers = (): number => started;

/** Resolves once all have ended. */
export const whenNoWorkerLives = (): Promise<void> => whenAtMostLive(0);

/** Resolves once so many are left, or fewer. */
export async function whenAtMostLive(most: number): Promise<void> {
  if (living.size <= most) return;
  const alive = setInterval(() => {}, 1000); // idle workers keep no event loop alive
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      resolve();
    };
    waiting.set(wake, most);
  });
  clearInterval(alive);
}
