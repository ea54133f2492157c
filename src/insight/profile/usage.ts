/** What the threads of the pools that a program used have done meanwhile; on the thread that called `profile`. */
import type { RecordHome } from '../../core/engine.js';
import type { ScheduleCounts, TimeProfile } from './numbers.js';
import { nowUs } from './observer.js';

type HomeCounts = NonNullable<ReturnType<RecordHome['counts']>>;

/** One run. */
export interface Usage {
  readonly wallUs: number;
  readonly threads: number;
  /** In tasks that they had taken. */
  readonly busyUs: number;
  readonly upUs: number;
  readonly counts: ScheduleCounts;
}

/** Counts from when it is made. */
export class UsedPools {
  readonly #startUs = nowUs();
  readonly #before = new Map<RecordHome, HomeCounts>();

  /** A pool is about to be given something. */
  add(home: RecordHome): void {
    if (this.#before.has(home)) return;
    const counts = home.counts();
    if (counts !== undefined) this.#before.set(home, counts);
  }

  /** Pools that were closed meanwhile do not count. */
  end(): Usage {
    const wallUs = nowUs() - this.#startUs;
    let threads = 0;
    let [busyUs, upUs] = [0, 0];
    const counts = { steals: 0, publications: 0, reclaimed: 0, failedSteals: 0, sleeps: 0 };
    for (const [home, before] of this.#before) {
      const after = home.counts();
      if (after === undefined) continue;
      const since = (name: keyof HomeCounts): number => Math.max(0, after[name] - before[name]);
      threads += home.settings.parallelism;
      busyUs += since('busyUs');
      upUs += since('upUs');
      counts.steals += since('stolen');
      counts.publications += since('published');
      counts.reclaimed += since('reclaimed');
      counts.failedSteals += since('failedSteals');
      counts.sleeps += since('sleeps');
    }
    return { wallUs, threads, busyUs, upUs, counts };
  }
}

/**
 * Splits P * T(P), the time of all threads together.
 *
 * @param work what is taken for T1
 * @param ranUs what the tasks of that run have cost
 * @param waitUs how long joins have waited
 */
export function splitTime(
  { wallUs, threads, busyUs, upUs }: Usage,
  work: number,
  ranUs: number,
  waitUs: number,
): TimeProfile {
  const total = wallUs * threads;
  const busy = Math.min(busyUs, total);
  const up = Math.min(Math.max(upUs, busy), total);
  return {
    threads,
    wall: wallUs,
    total,
    work,
    inflation: Math.max(0, ranUs - work),
    waiting: waitUs,
    scheduling: Math.max(0, busy - ranUs - waitUs),
    idle: up - busy,
    start: total - up,
  };
}
