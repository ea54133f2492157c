/** `blocking`, and what the core asks of spare threads, which are in a part of their own (core/spares); runs on every thread. */
import { part } from '../code/parts.js';
import type { ControlMemory } from '../memory/control.js';
import type { Synchronous } from '../task/synchronous.js';
import type { WorkerSlot } from './worker-slot.js';

/** A worker group, as it is seen by what starts its spares. */
export interface SpareHome {
  readonly memory: ControlMemory;
  readonly settings: { readonly name: string; readonly checked: boolean };
  /** Whether a spare could not start: then no other is tried. */
  lacksSpares: boolean;
  /** Is there a thread on a slot? */
  hasMember(slot: number): boolean;
  /** Starts a thread on a slot. */
  startMember(slot: number): void;
}

/** What the part `spares` has for the core. */
export interface Spares {
  blocking(fn: () => unknown): unknown;
  /**
   * A spare that is surplus rests.
   *
   * @param look true when it must go on: the last look before each sleep
   * @returns true when it has left the worker group, after a rest of `keepAliveMs`
   */
  rest(own: WorkerSlot, look: () => boolean): boolean;
  /** Starts spares until there are so many, unless the pool may not have them. */
  start(home: SpareHome, count: number): void;
  /** A spare is gone: it has rested for long enough, or it could not start. */
  gone(home: SpareHome, couldStart: boolean, error: unknown): void;
}

/** The part, evaluated at the first call. */
export const spares = (): Spares => part('spares') as unknown as Spares;

/**
 * Runs a function that blocks its thread: `execFileSync`, synchronous file access, `Atomics.wait`, a native add-on. Meanwhile a spare
 * thread of the pool computes in its place, and takes the tasks that this one has forked. Outside of a pool, it only calls the function.
 *
 * For synchronous tasks. An asynchronous task awaits instead.
 *
 * @param fn called once, at once, on this thread; synchronous. It may fork and join
 * @returns what `fn` returns
 * @throws what `fn` throws; TypeError if it returns a promise, or is no function; Error in an asynchronous task; CancellationError,
 *   before `fn` is called, if the invocation is cancelled. Nothing ends a call of `fn` that has begun
 * @example
 * export const sizeOf = forkable(import.meta.url, 'sizeOf', (path: string): number => blocking(() => statSync(path).size));
 */
export function blocking<R>(fn: () => Synchronous<R>): R {
  return spares().blocking(fn) as R;
}
