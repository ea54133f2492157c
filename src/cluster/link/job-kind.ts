/** What travels as a job: a task of the library, or a call of a host function. */

/** What the bytes of a job are: a packed task, a packed task that hosts may share, or a packed `HostCall`. */
export type JobKind = 'task' | 'tree' | 'host function';

/** A call of a host function. */
export type HostCall = readonly [url: string, name: string, argument: unknown];

/** What the bytes of a result are: a packed outcome, or, of a job that its host has shared, the paths of its parts as JSON. */
export type ResultForm = 'outcome' | 'parts';

/** Asks hosts to share jobs. */
export interface ShareOrder {
  readonly keys: readonly string[];
  /** Parts that each should give. */
  readonly wanted: number;
}
