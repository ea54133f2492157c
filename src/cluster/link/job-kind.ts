/** What travels as a job: a task of the library, or a call of a host function. */

/** What the bytes of a job are: a packed task, or a packed `HostCall`. */
export type JobKind = 'task' | 'host function';

/** A call of a host function. */
export type HostCall = readonly [url: string, name: string, argument: unknown];
