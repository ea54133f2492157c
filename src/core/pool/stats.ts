/** Counts of what a pool has done, summed over its worker groups. */
import { COUNTERS, type CounterValues, plus } from '../observe/counters.js';
import type { PoolSettings } from './options.js';
import { NOTHING_RUNS, type Overview, type PoolState } from './overview.js';
import type { WorkerGroup } from './worker-group.js';

/** Counts of one thread that computes, since the pool was made. */
export interface WorkerStats {
  /** 0 is the caller (under `invokeSync`), 1 and up are the workers. */
  readonly worker: number;
  /** Invocations that began here. */
  readonly roots: number;
  /** Tasks taken from other threads. */
  readonly stolen: number;
  /** Own tasks offered to others. */
  readonly published: number;
  /** Offered tasks taken back before anybody wanted them. */
  readonly reclaimed: number;
  /** Steals that lost a race. */
  readonly failedSteals: number;
  /** Searches for work that found nothing. */
  readonly emptySteals: number;
  readonly sleeps: number;
  /** Elements that algorithms processed here. */
  readonly elements: number;
  /** Time spent in tasks that were taken, the one that runs now included, in milliseconds (workers only). */
  readonly busyMs: number;
  /** Time without such a task since the worker was up, in milliseconds (workers only). */
  readonly idleMs: number;
}

/** Counts of all spare threads together, which compute in the place of threads that are in a `blocking` section. */
export interface SpareStats extends Omit<WorkerStats, 'worker' | 'idleMs'> {
  /** Number of spare threads now, those that rest included. */
  readonly threads: number;
}

/** The counts of a pool, of each thread and summed over all, and how it stands with the pool at this moment. */
export interface Stats extends Omit<WorkerStats, 'worker' | 'busyMs' | 'idleMs'>, PoolState {
  readonly name: string;
  readonly parallelism: number;
  /** Invocations that have not ended. */
  readonly inFlight: number;
  /** The share of the searches for tasks of other threads that found one, 0 to 1; 1 if there was none. */
  readonly stealRate: number;
  readonly workers: readonly WorkerStats[];
  readonly spares: SpareStats;
}

const ZERO = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as CounterValues;

const shown = ({
  busyUs,
  encodedBytes: _,
  garbageUs: __,
  ...rest
}: CounterValues): Omit<WorkerStats, 'worker' | 'idleMs'> => ({
  ...rest,
  busyMs: busyUs / 1000,
});

const shareOfSteals = ({ stolen, failedSteals, emptySteals }: CounterValues): number =>
  stolen === 0 ? Number(failedSteals + emptySteals === 0) : stolen / (stolen + failedSteals + emptySteals);

interface StatsSources {
  readonly group?: WorkerGroup;
  readonly overview?: Overview;
}

export class PoolStats {
  readonly #settings: PoolSettings;
  /** Counts of worker groups that have ended, by slot. */
  #past: readonly CounterValues[];
  /** Time for which workers of such groups were up, by slot (milliseconds). */
  #pastUpMs: readonly number[];

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    const { parallelism, maxSpares } = settings;
    this.#past = new Array<CounterValues>(parallelism + 2 + maxSpares).fill(ZERO);
    this.#pastUpMs = this.#past.map(() => 0);
  }

  /** Keeps the counts of a worker group that ends. */
  add(group: WorkerGroup): void {
    this.#past = this.#with(group);
    this.#pastUpMs = this.#pastUpMs.map((ms, slot) => ms + group.upMs(slot));
  }

  #with(group: WorkerGroup | undefined): readonly CounterValues[] {
    return group?.counters().map((now, slot) => plus(now, this.#past[slot])) ?? this.#past;
  }

  /** @param inFlight how many invocations have not ended */
  read({ group, overview }: StatsSources = {}, inFlight = 0): Stats {
    const { name, parallelism } = this.#settings;
    const counts = this.#with(group);
    const { busyMs: _, ...sums } = shown(counts.reduce(plus));
    const workers = counts.slice(0, parallelism + 1).map((values, worker) => {
      const upMs = (this.#pastUpMs[worker] as number) + (group?.upMs(worker) ?? 0);
      const counted = shown(values);
      return { worker, ...counted, idleMs: Math.max(0, upMs - counted.busyMs) };
    });
    const spares = { threads: group?.spares ?? 0, ...shown(counts.slice(parallelism + 1).reduce(plus)) };
    const state = overview === undefined || group?.memory.isReleased === true ? NOTHING_RUNS : overview.state();
    const stealRate = shareOfSteals(counts.reduce(plus));
    return { name, parallelism, ...state, inFlight, stealRate, workers, spares, ...sums };
  }
}
