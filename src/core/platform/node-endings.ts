/**
 * How threads end, and what their owner can know of it: Node tells and does everything, Bun and Deno do not; runs on the thread that owns
 * the pool.
 */
import type { WorkerEvents, WorkerThread } from './host.js';
import { backgroundTimer } from './node-time.js';

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

type Ends = Pick<WorkerEvents, 'exit' | 'runsOn'>;

/** Tests give their own. Made when it is needed: where the host is chosen, this file is evaluated in browsers, too. */
const reality = () => ({
  versions: process.versions as { readonly bun?: string; readonly deno?: string },
  timer: backgroundTimer,
});

/** Watches the end of a worker. */
export function watchEnding(worker: EndingWorker, events: Ends, { versions, timer } = reality()): Ending {
  if (versions.deno !== undefined) return patientEnding(worker, events, timer);
  worker.on('exit', events.exit);
  const terminate = (): void => void worker.terminate();
  if (versions.bun !== undefined) return { terminate }; // its Worker.performance answers with zeros, whether the thread lives or not
  return { terminate, isRunning: loopProbe(worker) };
}

/**
 * Deno: `terminate()` reports the exit at once, while the thread computes on, without an end if its code has none. So a thread is given
 * time to leave by itself, which the library asks of it beside, and then the exit is true.
 */
function patientEnding(worker: EndingWorker, { exit, runsOn }: Ends, timer: typeof backgroundTimer): Ending {
  let stopTimer: (() => void) | undefined;
  let isForced = false;
  worker.on('exit', (code) => {
    stopTimer?.();
    if (isForced) runsOn();
    else exit(code);
  });
  return {
    terminate() {
      stopTimer ??= timer(PATIENCE_MS, () => {
        isForced = true;
        void worker.terminate();
      });
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
  if (typeof handle?.loopIdleTime === 'function') return () => !exited && (handle.loopIdleTime as () => number)() >= 0;
  let heard = false;
  worker.on('online', () => {
    heard = true;
  });
  return () => {
    const { idle, active } = (worker.performance as NonNullable<EndingWorker['performance']>).eventLoopUtilization();
    return !exited && (!heard || (idle >= 0 && idle + active > 0));
  };
}
