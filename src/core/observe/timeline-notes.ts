/** Notes that flows and clusters make on a timeline, beside those of threads; on the thread that calls them. */

/** The time by which another clock is ahead of this process's, and by how much that may be wrong (microseconds). */
export interface ClockOffset {
  readonly offsetUs: number;
  readonly errorUs: number;
}

/** A timeline that is recorded on this thread. Times are microseconds, by `nowUs`. */
export interface TimelineNotes {
  /** By the clock that all threads of the process share. */
  nowUs(): number;
  /**
   * Something has waited from a time until now, for a limit or a stage.
   *
   * @param items how many waited together
   */
  waited(name: string, sinceUs: number, items: number): void;
  /** A job of a cluster was under way from a time until now. @param id names it, at the client and at its host */
  job(name: string, sinceUs: number, id: string): void;
  /** Counts something now and then, until the function is called that it returns. @param of what it is a part of */
  gauge(name: string, of: string, read: () => number): () => void;
  /** Names this process on timelines of several. */
  process(name: string): void;
  /** The clock of a server that all processes of a cluster know was compared with that of this one. */
  clock(offset: ClockOffset): void;
}
