/** A pool as what records it sees it; on the thread that owns the pool. */

/** Read now and then, for counters of a timeline. */
export interface RecordedState {
  /** Forked tasks that thieves may take, and nobody has taken. */
  readonly queueDepth: number;
  /** Invocations that no thread has begun. */
  readonly queued: number;
}

/** A pool, as its timeline sees it. */
export interface RecordHome {
  readonly settings: {
    readonly name: string;
    /** The file that is to be written. */
    readonly trace?: string | undefined;
  };
  state(): RecordedState;
  /** Threads that sleep, and that publishers may wake. */
  sleepers(): number;
}
