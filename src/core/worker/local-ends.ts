/**
 * The ends of what a thread keeps (worker-local.ts); runs on every thread.
 *
 * A worker ends its values when it leaves the worker group by itself. On another thread they end with the last executor that runs tasks
 * there: only executors can tell when nothing of a task runs any more, since an asynchronous task may hold a value across an `await`.
 */
import { show } from '../errors.js';
import { host } from '../platform/host.js';
import { after } from './grace.js';

/** Time that the ends of values have until a warning says what is waited for, unless `graceMs` is less (milliseconds). */
const SLOW_END_MS = 10_000;

/** The ends of the values of this thread, in the order in which they were made. */
export const ends: (() => unknown)[] = [];

/** For each call that ends the values of this thread now: whether they are in use nevertheless. */
const endings = new Set<() => boolean>();

/** Counts how often the thread has begun to end its values. */
let round = 0;
export const roundOfEnds = (): number => round;

/**
 * True while the thread is ending its values, so that it makes no new ones in their places. Otherwise two values that use each other would
 * never end.
 */
export const isLeaving = (): boolean => [...endings].some((isInUse) => !isInUse());

/** An error as the warning shows it. Its own `toString` may throw. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return show(error);
  }
}

/**
 * Ends the values of this thread, the last one first, since it may use the others. Never fails.
 *
 * @param graceMs for all together
 * @param isInUse asked between two of them: whether the others stay
 */
export async function endLocals(graceMs: number, isInUse = (): boolean => false): Promise<void> {
  let isOver = false;
  const ending = (): boolean => isOver || isInUse();
  if (endings.size === 0) round++;
  endings.add(ending);
  const all = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      try {
        await end();
      } catch (error) {
        host().warn(`furcate: dispose of a workerLocal() failed: ${textOf(error)}`);
      }
      if (ending()) return;
    }
  };
  await new Promise<void>((resolve) => {
    const stopTelling = after(SLOW_END_MS, () => {
      host().warn(
        `furcate: dispose of a workerLocal() has not ended for ${SLOW_END_MS} ms. A pool waits for its graceMs at most, terminate() not at all.`,
      );
    });
    const stop = after(graceMs, () => {
      isOver = true;
      host().warn(
        `furcate: dispose of a workerLocal() had not ended after ${graceMs} ms, and is not awaited any more.`,
      );
      stopTelling();
      resolve();
    });
    void all().then(() => {
      stop();
      stopTelling();
      resolve();
    });
  });
  endings.delete(ending);
}

/** Number of executors that run tasks on this thread, which is not a worker of theirs, and are not closed. */
let users = 0;

/**
 * An executor is going to run tasks on this thread.
 *
 * @returns to be called when the executor is closed: ends the values of this thread if that was the last one, and resolves when they have ended;
 *   each later call waits for the same. Without a grace the executor was ended by force: the values stay, and nothing is awaited
 */
export function useLocals(): (graceMs?: number) => Promise<void> {
  users++;
  let ended: Promise<void> | undefined;
  return async (graceMs) => {
    ended ??= leave(graceMs);
    if (graceMs !== undefined) await ended;
  };
}

async function leave(graceMs: number | undefined): Promise<void> {
  if (--users === 0 && graceMs !== undefined) await endLocals(graceMs, () => users > 0);
}
