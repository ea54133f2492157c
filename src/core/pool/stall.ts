/**
 * Stalls: what a pool tells of a task that keeps others waiting, and what the search for it asks of the pool; on the thread that
 * owns the pool.
 */
import type { LimitWait } from '../observe/limit-wait.js';

/**
 * Cause of a stall: the task computes; it blocks its thread; one of the two, which could not be told; its `blocking` section has no spare left;
 * tasks wait for a limit while no thread computes that could give permits back; or the thread that owns the pool was busy, and did not take results.
 */
export type StallCause = 'computes' | 'blocks' | 'unknown' | 'no spare' | 'limit' | 'caller';

/** A task that has not forked, joined or called `checkpoint` for long, as `onStall` tells of it. */
export interface Stall {
  readonly pool: string;
  /** The thread that runs it, as in `stats().workers`: 1 and up, 0 for the caller. Spares follow after the workers. */
  readonly worker: number;
  /** The class or function that the thread has taken, and that runs or has called what runs. */
  readonly task: string;
  /** The module that registered it; undefined for a task of the library. */
  readonly module: string | undefined;
  /** Name of what was invoked. */
  readonly invocation: string;
  /** For how long the thread has run the task (milliseconds); for the caller, for how long its event loop was late. */
  readonly ms: number;
  /** Number of invocations that wait for a thread meanwhile, or for the caller. */
  readonly waiting: number;
  readonly cause: StallCause;
  /** All of that, and the cure, in one sentence. */
  readonly message: string;
  /**
   * Tells the place that the thread is at now, as lines of a stack trace: the inspector interrupts it for a moment.
   *
   * @returns undefined where the runtime cannot tell (all but Node), for a thread that the operating system blocks, and for the caller
   */
  stack(): Promise<string | undefined>;
}

/** A thread that may run tasks, at this moment. */
export interface ThreadView {
  /** True if it runs a task, rather than sleeps or looks for one. */
  readonly computes: boolean;
  /** True if it has not forked, joined, called `checkpoint` or looked for work since it was asked to say so. */
  readonly isAsked: boolean;
  /** True if it is in a `blocking` section. */
  readonly isInSection: boolean;
}

/** Task that a thread runs. */
export interface RunningTask extends Pick<Stall, 'task' | 'module' | 'invocation'> {
  /** Since when (milliseconds, by `nowMs`); undefined for a part of an asynchronous task. */
  readonly sinceMs: number | undefined;
  /** Tells the task from others that the thread runs sooner or later. */
  readonly key: string;
}

/** A pool, as what looks for stalls sees it. Threads are named by their slots. */
export interface StallHome {
  readonly settings: {
    readonly name: string;
    readonly stallMs: number;
    readonly onStall?: ((stall: Stall) => void) | undefined;
    readonly parallelism: number;
    readonly maxSpares: number;
  };
  nowMs(): number;
  /** Processor time of all threads but this one (milliseconds); undefined where the platform does not tell it. */
  othersCpuMs(): number | undefined;
  /** Processor time of one thread (milliseconds); undefined where the platform does not tell it. */
  cpuMs(slot: number): number | undefined;
  /** The slots of workers and spares. */
  slots(): readonly number[];
  thread(slot: number): ThreadView;
  running(slot: number): RunningTask;
  /** Asks a thread to say that it has forked, joined, called `checkpoint` or looked for work. */
  ask(slot: number): void;
  /** Number of invocations that wait for a thread. */
  queued(): number;
  /** Time for which the event loop has not come to this look (milliseconds). */
  lateMs(): number;
  /** Number of invocations that have ended meanwhile, and their callers could not hear of it. */
  ended(): number;
  /** Number of threads in `blocking` sections. */
  blocked(): number;
  /** Limits of this thread that tasks wait for. */
  limits(): readonly LimitWait[];
  /** See `Stall.stack`. */
  stack(slot: number): Promise<string | undefined>;
  warn(message: string): void;
}
