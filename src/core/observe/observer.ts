/**
 * Observers, which look on while a thread runs tasks: an extension makes one for each thread that is to be observed (`Hooks.observer`).
 *
 * A thread whose forks are observed has `REQUEST_OBSERVE` set in its own request word, so every fork and join takes its slow path, and tells the
 * observer. A thread that is not observed has no observer, and its forks and joins are what they always are. What a task that another thread
 * has run has cost comes to its forker as an *account*, through the record of the task.
 */

import type { CounterName } from './counters.js';
import type { RecordHome } from './record-home.js';

/** Takes events of a thread as they are counted. */
export interface EventSink {
  /** @param forks the forks of this thread so far (modulo 2^30): each event says how many there were since the one before */
  noted(event: CounterName, amount: number, about: number, forks: number): void;
  /**
   * The thread does something beside its tasks from now on: it gives its event loop a turn, loads code, or copies an array. Sleep is noted (`sleeps`).
   *
   * @param what undefined when the latest of these, or the latest sleep, is over
   * @param about the id of the code, or how many bytes are copied
   */
  beside(what?: 'turn' | 'code' | 'copy', about?: number): void;
}

/** The cost of a task and of all that it has forked: plain data, which crosses threads. Only observers look into it. */
export type Account = object;

/** The point at which a fork left its forker: its account counts from there. */
export interface ForkMark {
  /** Set once the task has ended. */
  account: Account | undefined;
  /** The size of the arguments of an invocation, once they are packed (bytes). */
  bytes?: number | undefined;
  /** The task is joined. Only the first call counts. @param isBeside whether others of the same call go on beside it: `stageEnded` follows */
  arrive(isBeside?: boolean): void;
}

/** A task that runs apart from what its thread runs beside: it was taken, or runs while a join waits. */
export interface Strand {
  /** The point at which it was begun. */
  readonly mark: ForkMark;
  /** A coroutine forks. */
  fork(): ForkMark;
  /** Runs the body of a coroutine: what it does later, in the same context, counts for this strand, too. */
  run<R>(body: () => R): R;
  /** This thread goes on with what it has run before. */
  leave(): void;
  /** To be called once all has ended that the task has forked. Undefined if its forker need not know. */
  account(): Account | undefined;
}

/** A stage of a pipeline in a run. */
export interface StageUse {
  /** As errors name it. */
  readonly stage: string;
  /** Items that its functions have dealt with. */
  readonly items: number;
  /** Tasks in which these were. */
  readonly calls: number;
  /** The time that they took, in all threads together (microseconds). */
  readonly us: number;
  /** The time that items have waited for a task, together (microseconds). */
  readonly waitUs: number;
  /** The number of items that waited, on average over the time of the run, and at most. */
  readonly meanQueue: number;
  readonly mostQueue: number;
  /** Bytes of the items on their way to the threads. */
  readonly encodedBytes: number;
}

/** A run of a pipeline, or of a graph some of whose nodes wait, as its observer sees it. */
export interface FlowWatch {
  /**
   * Nothing of it runs any more.
   *
   * @param stages those of a pipeline
   * @param graph the number under which its calls, or nodes, were given to `node`
   * @param edges which of them came before which
   */
  ended(stages: readonly StageUse[], graph: number, edges: Iterable<readonly [before: number, after: number]>): void;
}

/** The run of a graph or a pipeline, one of whose nodes or calls runs; in an asynchronous task one object for each task. */
export interface ObservedGraph {
  /** A number of the run. */
  readonly job: number;
  readonly spec: { readonly name: string };
}

/** Is told by a thread what happens there, in that order. */
export interface Observer extends EventSink {
  /** As `C_OBSERVED`: above 0 it counts what tasks cost, below 0 it records what the thread does when. */
  readonly mode: number;
  /** True if every fork and join should tell it. */
  readonly seesForks: boolean;
  /** True if algorithms should be cut as finely as they can be. */
  readonly isFine: boolean;
  /** The size of the arguments of the task that was published last (bytes); 0 for those that fit its record. */
  packedBytes?: number;
  /** A pool of this thread is about to be given something. */
  uses?(home: RecordHome): void;
  /** The thread, a worker, is not observed any more, or by another observer. */
  stops?(): void;
  /** The thread has served a request for tasks, after `looked`: that is no work of its task. */
  published?(): void;
  /** The program calls an algorithm. @param place tells the line of the call, if the runtime does */
  called?(name: string, place: () => { readonly module: string; readonly line: number } | undefined): void;
  /** Without workers: returns true if the thread may fork a part of what it has. */
  asks?(): boolean;
  /**
   * Without workers: returns true if what runs should leave to others what they have, as if another thread were faster.
   */
  leaves?(): boolean;
  /** The thread has looked at its request word: it has forked if `local.forks` has changed. */
  looked(): void;
  /** A task begins that was forked at a position of the private stack, because it is joined. Returns what `ended` takes. */
  begins(position: number, task: object): object | undefined;
  ended(begun: object): void;
  /**
   * A task begins apart from what runs here; without it, what calls the library from outside of tasks.
   *
   * @param record that the thread has taken it by
   */
  apart(task?: object, record?: number): Strand;
  /** The thread waits from now on, and runs what it can help with, until `joined`. */
  waits(): void;
  /** A task is joined that was forked at a position, and has run apart. */
  joined(position: number, account: Account | undefined): void;
  /** A task is handed to a pool. @param called what its caller calls it: an algorithm by its name */
  mark(task: object, called?: string): ForkMark;
  /**
   * Runs units [lo, hi) of an algorithm, which do not depend on each other.
   *
   * @param calls the name of what they call
   * @param run runs some of them; returns how many elements they were, undefined if they do not matter any more
   * @returns how many elements all of them were
   */
  units(lo: number, hi: number, calls: string, run: (lo: number, hi: number) => number | undefined): number;
  /** All units of a stage have run. */
  stageEnded(): void;
  /** Runs a node of a graph. `graphEnded`, or the `FlowWatch`, tells the order of the nodes. In an asynchronous task, it goes on until its promise settles. */
  node<R>(graph: ObservedGraph, node: number, name: string, run: () => R): R;
  /** A node is ready, because the last one has ended that it waited for. */
  ready?(graph: ObservedGraph, node: number, last: number): void;
  /** All nodes have run. @param edges which node comes before which */
  graphEnded(graph: number, edges: () => Iterable<readonly [before: number, after: number]>): void;
  /** A pipeline, or a graph some of whose nodes wait, begins to run, and is waited for by what runs here. */
  flows?(): FlowWatch;
  /** Runs a part of a computation whose order `advance` tells later; returns what it gives, and what it has cost. */
  aside<R>(run: () => R): [value: R, cost: number];
  /** Parts that ran aside are waited for: the costliest chain of them has cost so much. */
  advance(calls: string, cost: number): void;
}
