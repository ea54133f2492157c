/** Counts the worker threads that this thread has started, and those of them that have not ended. */
import type { Worker as NodeWorker } from 'node:worker_threads';

const living = new Set<object>();
const waiting = new Map<() => void, number>();
let started = 0;

function begin(worker: object): void {
  started++;
  living.add(worker);
}

function end(worker: object): void {
  living.delete(worker);
  for (const [wake, most] of waiting) if (living.size <= most) wake();
}

/** In a browser, where nobody is told of workers: one lives until its maker ends it. */
function watchWorkersOfPage(): void {
  globalThis.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      begin(this);
    }
    override terminate(): void {
      super.terminate();
      end(this);
    }
  };
}

const watched = new WeakSet<object>();

/** Counts a worker at once. Deno tells of one that ends at once only after its end. */
export function watch(worker: NodeWorker): NodeWorker {
  if (watched.has(worker)) return worker;
  watched.add(worker);
  begin(worker);
  return worker.once('exit', () => end(worker));
}

if (typeof process === 'undefined') watchWorkersOfPage();
else process.on('worker', watch);

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
