/** Limits that tasks wait for; on the thread that has made the limits. */

/** A limit that tasks wait for. */
export interface LimitWait {
  /** Names it among all. */
  readonly key: object;
  readonly name: string;
  readonly waiting: number;
  /** For how long the first one has waited, and no permit was given (milliseconds). */
  readonly waitedMs: number;
  readonly ungivenMs: number;
}
