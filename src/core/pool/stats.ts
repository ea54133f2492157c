/** What a pool has done, summed over its worker groups. */
import { COUNTERS, type CounterValues } from '../observe/counters.js';
import type { PoolSettings } from './options.js';
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
  readonly sleeps: number;
  /** Elements that algorithms processed here. */
  readonly elements: number;
  /** Time spent in tasks that were taken, in milliseconds (workers only). */
  readonly busyMs: number;
}

/** Counts of all spare threads together, which compute in the place of threads that are in a `blocking` section. */
export interface SpareStats extends Omit<WorkerStats, 'worker'> {
  /** How many spare threads there are now, those that rest included. */
  readonly threads: number;
}

/** The counts of a pool: of each thread, and summed over all. */
export interface Stats extends Omit<WorkerStats, 'worker' | 'busyMs'> {
  readonly name: string;
  readonly parallelism: number;
  readonly workers: readonly WorkerStats[];
  readonly spares: SpareStats;
}

const ZERO = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as CounterValues;

const plus = (a: CounterValues, b: CounterValues): CounterValues =>
  Object.fromEntries(COUNTERS.map((name) => [name, a[name] + b[name]])) as CounterValues;

const shown = ({ busyUs, ...rest }: CounterValues): Omit<WorkerStats, 'worker'> => ({ ...rest, busyMs: busyUs / 1000 });

export class PoolStats {
  readonly #settings: PoolSettings;
  /** Counts of worker groups that have ended, by slot. */
  #past: readonly CounterValues[];

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    const { parallelism, maxSpares } = settings;
    this.#past = new Array<CounterValues>(parallelism + 2 + maxSpares).fill(ZERO);
  }

  /** Keeps the counts of a worker group that ends. */
  add(group: WorkerGroup): void {
    this.#past = this.#with(group);
  }

  #with(group: WorkerGroup | undefined): readonly CounterValues[] {
    return group?.counters().map((now, slot) => plus(now, this.#past[slot])) ?? this.#past;
  }

  read(group: WorkerGroup | undefined): Stats {
    const { name, parallelism } = this.#settings;
    const counts = this.#with(group);
    const { busyUs: _, ...sums } = counts.reduce(plus);
    const workers = counts.slice(0, parallelism + 1).map((values, worker) => ({ worker, ...shown(values) }));
    const spares = { threads: group?.spares ?? 0, ...shown(counts.slice(parallelism + 1).reduce(plus)) };
    return { name, parallelism, workers, spares, ...sums };
  }
}
