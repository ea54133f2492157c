/** Kinds of events that a thread notes of what it does, as rings hold them. Runs on every thread that is recorded. */

/** A root, which the thread has taken from the pool's queue. About: the slot of the queue. */
export const ROOT = 1;
/** A task that the thread has stolen. About: the slot of its victim. */
export const STOLEN = 2;
/** A task that ran on the thread apart from its join: because a join waited, or without workers. */
export const APART = 3;
/** A task that ran in the place of its join. */
export const TASK = 4;
/** Units of an algorithm. About: how many elements they were. */
export const UNITS = 5;
/** A join that waits for another thread. */
export const WAIT = 6;
export const SLEEP = 7;
/** A turn of the event loop between two tasks. */
export const TURN = 8;
/** The thread imports a module, or compiles a function. */
export const CODE = 9;
/** Garbage was collected. */
export const GARBAGE = 10;
/** Takes no time, as the next two: a task was published. */
export const PUBLISHED = 11;
/** A published task was taken back. */
export const RECLAIMED = 12;
/** Another thread was faster. About: the slot of the victim. */
export const LOST_STEAL = 13;
/** From a call to the end of its invocation, on the thread that calls. About: how many bytes its arguments are, 0 for a few numbers. */
export const INVOCATION = 14;
/** From the begin of an asynchronous task to its end: others run on the thread meanwhile. About: its number. */
export const COROUTINE = 15;
/** A count of bytes, in the place of a duration. */
export const HEAP = 16;
/** Of the pool: forked tasks that wait for a thief, invocations that wait for a thread, threads that sleep. */
export const QUEUE_DEPTH = 17;
export const QUEUED = 18;
export const SLEEPERS = 19;
/** The caller copies an array into shared memory, or a result out of it. About: how many bytes. */
export const COPY = 20;
/** A node of a task graph. About: its key. */
export const NODE = 21;
/** Takes no time: a node is ready. About: its key; in the place of a duration, that of the node that has ended last of those that it waited for. */
export const READY = 22;
/** Something has waited for a limit or a stage, on the thread that calls. About: how many items. */
export const WAITED = 23;
/** A job of a cluster: at the client from its submission to its result, at the host while that has it. About: names it. */
export const JOB = 24;
/** A count of a part of the program, in the place of a duration. */
export const GAUGE = 25;
/** A part in which a coroutine goes on after it has waited. About: the number of the coroutine. */
export const CONTINUED = 26;

/** Kinds that take no time, by the names of their counters. */
export const INSTANTS: Readonly<Record<string, number>> = {
  published: PUBLISHED,
  reclaimed: RECLAIMED,
  failedSteals: LOST_STEAL,
  ready: READY,
};

/** These overlap others of their thread. */
export const OVERLAPPING: readonly number[] = [INVOCATION, COROUTINE, WAITED, JOB];

const NODE_BITS = 20;
const RUN_MASK = 2 ** (32 - NODE_BITS) - 1;

/** Names a node of a run of a graph, in 32 bits; undefined for nodes beyond the first million. */
export const nodeKey = (run: number, node: number): number | undefined =>
  node < 2 ** NODE_BITS ? (((run & RUN_MASK) << NODE_BITS) | node) >>> 0 : undefined;

export interface TimelineEvent {
  readonly kind: number;
  readonly name: string;
  /** The module that registered the task; empty if that is no matter. */
  readonly module: string;
  /** By the clock that all threads share. */
  readonly startUs: number;
  /** Time that it took, or what was counted. */
  readonly us: number;
  readonly about: number;
}
