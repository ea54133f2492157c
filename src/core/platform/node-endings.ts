/**
 * Ends of threads, and what their owner can know of them: Node tells and does everything, Bun and Deno do not; runs on the thread that
 * owns the pool.
 */
import type { WorkerEvents, WorkerThread } from './host.js';
import { timer } from './node-time.js';

/** Part of a Worker that is used here. */
export interface EndingWorker {
  on(event: 'exit', listener: (code: number) => void): unknown;
  on(event: 'online', listener: () => void): unknown;
  terminate(): unknown;
  readonly performance?: { eventLoopUtilization(): { readonly idle: number; readonly active: number } };
}

/** Ends a worker, and tells whether it runs. */
export type Ending = Pick<WorkerThread, 'terminate' | 'isRunning'>;

/** Number of looks at a thread that is to leave by itself, where only that is an end, and their interval (ms). */
const PATIENCE = 100;
const LOOK_MS = 10;

type WorkerEnds = Pick<WorkerEvents, 'leaving' | 'exit' | 'runsOn' | 'hasLeft'>;

/** Tests give their own. A function, because a page evaluates this module, too, before it is known to be none of Node's. */
const reality = () => ({
  versions: process.versions as { readonly bun?: string; readonly deno?: string },
  timer,
});

/** Watches the end of a worker. */
export function watchEnding(worker: EndingWorker, events: WorkerEnds, { versions, timer: start } = reality()): Ending {
  if (versions.deno !== undefined) return patientEnding(worker, events, start);
  worker.on('exit', events.exit);
  const terminate = (): void => void worker.terminate();
  if (versions.bun !== undefined) return { terminate }; // its Worker.performance answers with zeros, whether the thread lives or not
  return { terminate, isRunning: loopProbe(worker) };
}

/**
 * Deno: `terminate()`, whoever calls it, reports the exit at once, while the thread computes on, without an end if its code has none. So a
 * thread is given time to leave by itself, which the library asks of it beside, and an exit counts when the thread has left.
 */
function patientEnding(
  worker: EndingWorker,
  { leaving, exit, runsOn, hasLeft }: WorkerEnds,
  start: typeof timer,
): Ending {
  let looks = 0;
  let stopTimer: (() => void) | undefined;
  const lookAgain = (then: () => void): void => {
    stopTimer = start(LOOK_MS, then);
    looks++;
  };
  const waitForExit = (): void => (looks < PATIENCE ? lookAgain(waitForExit) : void worker.terminate());
  worker.on('exit', (code) => {
    stopTimer?.();
    if (!hasLeft()) leaving(code);
    const waitForWords = (): void => {
      if (hasLeft()) exit(code);
      else if (looks < PATIENCE) lookAgain(waitForWords);
      else runsOn();
    };
    waitForWords();
  });
  return {
    terminate() {
      if (stopTimer === undefined) waitForExit();
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
