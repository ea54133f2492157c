/** A pool as `furcate top` sees it; on the thread that owns it. */

/** The threads of a pool at this moment, by their slots. */
interface WatchedThreads {
  nowMs(): number;
  /** The slots of workers and spares. */
  slots(): readonly number[];
  thread(slot: number): { readonly computes: boolean };
  running(slot: number): { readonly task: string; readonly sinceMs: number | undefined };
}

/** Counts of a pool so far, and how it stands. */
interface WatchedCounts {
  readonly name: string;
  readonly parallelism: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly oldestWaitMs: number;
  readonly queueDepth: number;
  readonly waiting: number;
  readonly blocked: number;
  readonly roots: number;
  readonly stolen: number;
  readonly emptySteals: number;
  readonly workers: readonly { readonly worker: number; readonly busyMs: number; readonly idleMs: number }[];
}

/** A pool that is looked at a few times in a second. */
export interface WatchedPool {
  readonly isClosed: boolean;
  stats(): WatchedCounts;
  /** Undefined without workers. */
  readonly threads: WatchedThreads | undefined;
}
