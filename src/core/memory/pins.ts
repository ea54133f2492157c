/**
 * Arrays that the invocations, jobs and calls of this realm name: `free` of such an array waits for them; runs on every thread.
 *
 * The realm that hands out work encodes it, and so meets every array that the work can name. What tasks make meanwhile is known to their
 * invocation alone until its outcome, or a report, is decoded. So pins need no shared words. They count in the root realm only: `free` on
 * other threads cannot see them, and waits for all invocations (array-blocks.ts).
 */
import { currentHeap } from './heap.js';

/** This realm's reference to an array, as pins see it. */
export interface Pinnable {
  readonly block: number;
  readonly serial: number;
  pins: number;
  readonly freed: boolean;
}

/** The pins of one invocation, job or call. */
export class Pins {
  #pinned: Pinnable[] | undefined;
  /** Other objects that must not be collected meanwhile. */
  #kept: object[] | undefined;

  keep(object: object): void {
    this.#kept ??= [];
    this.#kept.push(object);
  }

  add(reference: Pinnable): void {
    if (!currentHeap().isRoot) return;
    reference.pins++;
    this.#pinned ??= [];
    this.#pinned.push(reference);
  }

  /** Pins all arrays that are encoded or decoded meanwhile. All pins end at once if that fails. */
  during<T>(encode: () => T): T {
    const outer = pinTo(this);
    try {
      return encode();
    } catch (error) {
      this.release();
      throw error;
    } finally {
      pinTo(outer);
    }
  }

  /** Ends the pins. Arrays that were freed meanwhile give their bytes back if no other pins are left. */
  release(): void {
    const pinned = this.#pinned;
    this.#pinned = this.#kept = undefined;
    for (const reference of pinned ?? []) {
      if (--reference.pins === 0 && reference.freed) currentHeap().unpin(reference.block, reference.serial);
    }
  }
}

let current: Pins | undefined;

/** Adds to these pins all arrays that are encoded or decoded from now on; returns the pins before, for a second call at the end. */
export function pinTo(pins: Pins | undefined): Pins | undefined {
  const outer = current;
  current = pins;
  return outer;
}

/** Called for each object that is encoded and named by a number: it is kept as long as the invocation, job or call. */
export const keepAlive = (object: object): void => current?.keep(object);

/** Called for each array that is encoded or decoded. */
export const pin = (reference: Pinnable): void => current?.add(reference);
