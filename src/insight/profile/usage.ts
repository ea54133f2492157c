/** Usage of the threads of the pools that a program used, meanwhile; on the thread that called `profile`. */
import { host, type Observer, type RecordHome } from '../../core/engine.js';
import { wait } from '../../core/memory/atomics.js';
import { nowUs } from './clock.js';
import type { ScheduleCounts, TimeProfile } from './numbers.js';

type HomeCounts = NonNullable<ReturnType<RecordHome['counts']>>;

type FlowWatched = ReturnType<NonNullable<Observer['flows']>>;
/** A stage of a pipeline in one run. */
export type StageUsed = Parameters<FlowWatched['ended']>[0][number];

/** One run. */
export interface Usage {
  readonly wallUs: number;
  /** Pools, and their workers together. */
  readonly pools: number;
  readonly threads: number;
  /** Time for which other threads than the caller had a processor; undefined where the runtime does not tell. */
  readonly cpuUs: number | undefined;
  /** In tasks that they had taken. */
  readonly busyUs: number;
  readonly upUs: number;
  readonly counts: ScheduleCounts;
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** The system brings the time of a thread up to date when the thread sleeps, and otherwise every few milliseconds only. Workers without tasks sleep by then, too. */
const SETTLE_MS = 0.1;

function othersCpuUs(): number | undefined {
  const { othersCpuMs } = host();
  if (othersCpuMs === undefined) return undefined;
  wait(nobody, 0, 0, SETTLE_MS);
  return 1000 * othersCpuMs();
}

/** Counts from when it is made. */
export class UsedPools {
  readonly #startCpuUs: number | undefined;
  readonly #startUs: number;
  readonly #before = new Map<RecordHome, HomeCounts>();
  readonly #workers: number;
  readonly #stopTimer: () => void;
  /** True if all workers had to take tasks, because one alone did not come to the end. */
  isReleased = false;

  /**
   * @param isTimed whether time counts, that of processors as well
   * @param workers so many of each pool take tasks; 0 for all
   * @param patienceMs after this time all do, since tasks may wait for each other
   */
  constructor(isTimed: boolean, workers = 0, patienceMs = 0) {
    this.#workers = workers;
    this.#stopTimer = workers === 0 ? () => {} : host().backgroundTimer(patienceMs, () => this.#release());
    this.#startCpuUs = isTimed ? othersCpuUs() : undefined;
    this.#startUs = nowUs();
  }

  /** A pool is about to be given something. */
  add(home: RecordHome): void {
    if (this.#before.has(home)) return;
    const counts = home.counts();
    if (counts === undefined) return;
    this.#before.set(home, counts);
    if (this.#workers > 0 && !this.isReleased) home.limit(this.#workers);
  }

  #release(): void {
    this.isReleased = true;
    for (const home of this.#before.keys()) home.limit(0);
  }

  /** Pools that were closed meanwhile do not count. @param copiedBytes what the caller has copied */
  end(copiedBytes: number): Usage {
    const wallUs = nowUs() - this.#startUs;
    const cpuUs = this.#startCpuUs === undefined ? undefined : (othersCpuUs() ?? 0) - this.#startCpuUs;
    this.#stopTimer();
    let [pools, threads] = [0, 0];
    let [busyUs, upUs] = [0, 0];
    const counts = { steals: 0, publications: 0, reclaimed: 0, failedSteals: 0, sleeps: 0, encodedBytes: 0 };
    for (const [home, before] of this.#before) {
      const after = home.counts();
      if (after === undefined) continue;
      const since = (name: keyof HomeCounts): number => Math.max(0, after[name] - before[name]);
      pools++;
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
    const used = { pools, threads, cpuUs };
    if (this.#workers > 0 && !this.isReleased) for (const home of this.#before.keys()) home.limit(0);
    return { wallUs, ...used, busyUs, upUs, counts: { ...counts, copiedBytes } };
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
