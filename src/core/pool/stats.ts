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

/** The counts of a pool: of each thread, and summed over all. */
export interface Stats extends Omit<WorkerStats, 'worker' | 'busyMs'> {
  readonly name: string;
  readonly parallelism: number;
  readonly workers: readonly WorkerStats[];
}

const zero = (): CounterValues => Object.fromEntries(COUNTERS.map((name) => [name, 0])) as CounterValues;

export class PoolStats {
  readonly #settings: PoolSettings;
  /** Counts of worker groups that have ended, by slot. */
  readonly #past: CounterValues[];

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#past = Array.from({ length: settings.parallelism + 1 }, zero);
  }

  /** Keeps the counts of a worker group that ends. */
  add(group: WorkerGroup): void {
    for (const { slot, values } of group.counters()) {
      for (const name of COUNTERS) this.#past[slot][name] += values[name];
    }
  }

  read(group: WorkerGroup | undefined): Stats {
    const now = group?.counters();
    const sums = zero();
    const workers = this.#past.map((past, worker) => {
      const values = zero();
      for (const name of COUNTERS) {
        values[name] = past[name] + (now?.[worker]?.values[name] ?? 0);
        sums[name] += values[name];
      }
      const { busyUs, ...counts } = values;
      return { worker, ...counts, busyMs: busyUs / 1000 };
    });
    const { busyUs: _, ...totals } = sums;
    return { name: this.#settings.name, parallelism: this.#settings.parallelism, workers, ...totals };
  }
}
