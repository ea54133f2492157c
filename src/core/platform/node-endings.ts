/**
 * How threads end, and what their owner can know of it: Node tells and does everything, Bun and Deno do not; runs on the thread that owns
 * the pool.
 */
import type { WorkerEvents, WorkerThread } from './host.js';

/** What is used of a Worker. */
export interface EndingWorker {
  on(event: 'exit', listener: (code: number) => void): unknown;
  on(event: 'online', listener: () => void): unknown;
  terminate(): unknown;
  readonly performance?: { eventLoopUtilization(): { readonly idle: number; readonly active: number } };
}

/** How a worker's end is brought about, and seen. */
export type Ending = Pick<WorkerThread, 'terminate' | 'isRunning'>;

/** How long a thread has to end by itself, where only that is an end (milliseconds). */
const PATIENCE_MS = 1000;

/**
 * Watches the end of a worker.
 *
 * @param versions of the process
 */
export function watchEnding(
  worker: EndingWorker,
  { exit, lost }: Pick<WorkerEvents, 'exit' | 'lost'>,
  versions: { readonly bun?: string; readonly deno?: string } = process.versions as object,
): Ending {
  if (versions.deno !== undefined) return patientEnding(worker, { exit, lost });
  worker.on('exit', exit);
  const terminate = (): void => void worker.terminate();
  if (versions.bun !== undefined) return { terminate }; // its Worker.performance answers with zeros, whether the thread lives or not
  return { terminate, isRunning: loopProbe(worker) };
}

/**
 * Deno: `terminate()` reports the exit at once, while the thread computes on, without an end if its code has none. So a thread is given
 * time to leave by itself, which the library asks of it beside, and then the exit is true.
 */
function patientEnding(worker: EndingWorker, { exit, lost }: Pick<WorkerEvents, 'exit' | 'lost'>): Ending {
  const timers = process.getBuiltinModule('node:timers');
  let timer: NodeJS.Timeout | undefined;
  let isForced = false;
  worker.on('exit', (code) => {
    timers.clearTimeout(timer);
    if (isForced) lost();
    else exit(code);
  });
  return {
    terminate() {
      timer ??= timers.setTimeout(() => {
        isForced = true;
        void worker.terminate();
      }, PATIENCE_MS);
    },
  };
}

/**
 * Node: asks a worker's event loop for its idle time, which is negative once the thread is gone, before any event tells.
 *
 * The public form answers only after this thread has heard that the worker is up, which it never does if it blocks from
 * the start. So the handle beneath is asked. Where that is not to be found, a worker that was not heard of counts as alive.
 */
function loopProbe(worker: EndingWorker): () => boolean {
  const key = Object.getOwnPropertySymbols(worker).find(({ description }) => description === 'kHandle');
  const handle = key && (worker as unknown as Record<symbol, { loopIdleTime?(): number } | undefined>)[key];
  let exited = false;
  worker.on('exit', () => {
    exited = true;
  });
  if (typeof handle?.loopIdleTime === 'function')
    return () => !exited && (handle.loopIdleTime as () => number)() >= 0;
  let heard = false;
  worker.on('online', () => {
    heard = true;
  });
  return () => {
    const { idle, active } = (worker.performance as NonNullable<EndingWorker['performance']>).eventLoopUtilization();
    return !exited && (!heard || (idle >= 0 && idle + active > 0));
  };
}
