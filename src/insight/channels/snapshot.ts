/** Snapshot of what a thread says of its pools, for `furcate top`; on the thread that owns them, and in the command. */

/** A thread that computes, since the snapshot before. */
export interface ThreadNow {
  readonly name: string;
  /** Shares of the time, 0 to 1. */
  readonly busy: number;
  /** Task that it runs, and for how long (milliseconds). */
  readonly task?: string | undefined;
  readonly ms?: number | undefined;
}

export interface PoolNow {
  readonly name: string;
  readonly parallelism: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly oldestWaitMs: number;
  readonly queueDepth: number;
  readonly waiting: number;
  readonly blocked: number;
  /** In a second. */
  readonly steals: number;
  readonly emptySteals: number;
  readonly roots: number;
  readonly threads: readonly ThreadNow[];
}

export interface Snapshot {
  readonly version: 1;
  readonly pid: number;
  /** The thread that owns the pools; 0 is the main thread. */
  readonly thread: number;
  readonly program: string;
  /** As `Date.now()` gives it. */
  readonly takenMs: number;
  /** Time that rates and shares are of (milliseconds). */
  readonly ofMs: number;
  readonly heapBytes: number;
  readonly pools: readonly PoolNow[];
}
