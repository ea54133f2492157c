/** What the core asks of spare threads, which are in a part of their own (core/spares); runs on every thread. */
import { part } from '../code/parts.js';
import type { ControlMemory } from '../memory/control.js';
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
