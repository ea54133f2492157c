/** A pool as what observes it sees it; on the thread that owns the pool. */
import type { CounterValues } from './counters.js';

/** Read now and then, for counters of a timeline. */
export interface RecordedState {
  /** Forked tasks that thieves may take, and nobody has taken. */
  readonly queueDepth: number;
  /** Invocations that no thread has begun. */
  readonly queued: number;
}

/** The counts of all threads of a worker group since they were made. */
export interface GroupCounts extends CounterValues {
  /** The time that its workers were up, together. */
  readonly upUs: number;
}

/** A pool, as its observers see it. */
export interface RecordHome {
  readonly settings: {
    readonly name: string;
    readonly parallelism: number;
    /** The file that is to be written, and with which tasks. */
    readonly trace?: { readonly file: string; readonly tasks: 'apart' | 'all' } | undefined;
  };
  state(): RecordedState;
  /** Threads that sleep, and that publishers may wake. */
  sleepers(): number;
  /** Undefined once the threads are gone. */
  counts(): GroupCounts | undefined;
  /** Keeps all workers but so many from taking tasks, until it is called with 0. */
  limit(workers: number): void;
}
