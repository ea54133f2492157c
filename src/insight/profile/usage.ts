/** Usage of the threads of the pools that a program used, meanwhile; on the thread that called `profile`. */
import type { Observer, RecordHome } from '../../core/engine.js';
import { nowUs } from './clock.js';
import type { ScheduleCounts, TimeProfile } from './numbers.js';

type HomeCounts = NonNullable<ReturnType<RecordHome['counts']>>;

type FlowWatched = ReturnType<NonNullable<Observer['flows']>>;
/** A stage of a pipeline in one run. */
export type StageUsed = Parameters<FlowWatched['ended']>[0][number];

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

  /** Pools that were closed meanwhile do not count. @param copiedBytes what the caller has copied */
  end(copiedBytes: number): Usage {
    const wallUs = nowUs() - this.#startUs;
    let threads = 0;
    let [busyUs, upUs] = [0, 0];
    const counts = { steals: 0, publications: 0, reclaimed: 0, failedSteals: 0, sleeps: 0, encodedBytes: 0 };
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
      counts.encodedBytes += since('encodedBytes');
    }
    return { wallUs, threads, busyUs, upUs, counts: { ...counts, copiedBytes } };
  }
}

/** The garbage that threads of pools have collected since they were added. A thread hears of a collection some time later, so all runs are counted together. */
export class CollectedGarbage {
  readonly #before = new Map<RecordHome, number>();

  add(home: RecordHome): void {
    const garbageUs = this.#before.has(home) ? undefined : home.counts()?.garbageUs;
    if (garbageUs !== undefined) this.#before.set(home, garbageUs);
  }

  /** Without that of pools which were closed meanwhile. */
  get us(): number {
    let us = 0;
    for (const [home, before] of this.#before) us += Math.max(0, (home.counts()?.garbageUs ?? before) - before);
    return us;
  }
}

/** Costs of tasks. */
interface TaskTimes {
  /** T1. */
  readonly work: number;
  /** In this run. */
  readonly ranUs: number;
  /** Time that joins have waited. */
  readonly waitUs: number;
  /** Time that threads have collected garbage. */
  readonly garbageUs: number;
}

/** Splits P * T(P), the time of all threads together. */
export function splitTime(
  { wallUs, threads, busyUs, upUs }: Usage,
  { work, ranUs, waitUs, garbageUs }: TaskTimes,
): TimeProfile {
  const garbage = Math.min(garbageUs, ranUs);
  const least = Math.min(work, ranUs - garbage);
  const total = wallUs * threads;
  const busy = Math.min(busyUs, total);
  const up = Math.min(Math.max(upUs, busy), total);
  return {
    threads,
    wall: wallUs,
    total,
    work: least,
    inflation: ranUs - garbage - least,
    garbage,
    waiting: waitUs,
    scheduling: Math.max(0, busy - ranUs - waitUs),
    idle: up - busy,
    start: total - up,
  };
}
