/**
 * Residents: what tasks have left on this thread that only this thread can go on with, such as paused generators. Runs on threads that compute.
 *
 * A blocking section may wait for what a resident of another task does next. So a thread with residents takes no task that may block, which any
 * synchronous one may. When it meets the first such task, it lends its place to a spare, as a thread in a section does, and serves only its inbox
 * and its coroutines until its last resident has gone. Where no spare can come, it takes the task.
 */
import { load } from '../memory/atomics.js';
import { C_LACKS_SPARES } from '../memory/layout.js';
import { hooks } from './extension.js';
import { thread, type WorkerSlot } from './worker-slot.js';

let count = 0;
let hadResidents = false;
/** Ends the loan of this thread's place. */
let takeBack: (() => void) | undefined;

export const hasResidents = (): boolean => count > 0;

/** True if something may still be sent to this thread because of a resident: the word that the resident has gone may be on its way. */
export const hasHadResidents = (): boolean => hadResidents;

/** The functions of the library whose tasks leave residents. Such tasks go where others are: each thread that they meet would need a spare. */
const leavers = new Set<unknown>();

export const leavesResidents = (fn: unknown): boolean => leavers.has(fn);

/** For code that leaves something on its thread. */
export const residents = {
  /** Names a function whose synchronous tasks leave residents, and do not wait for those of others. */
  areLeftBy(fn: object): void {
    leavers.add(fn);
  },
  /** The address of this thread, by which tasks can be sent to it while it has residents; 0 if its pool has no others. */
  address: (): number => thread.own?.memory.addressOf(thread.own.slot) ?? 0,
  moveIn(): void {
    count++;
    hadResidents = true;
  },
  moveOut(): void {
    if (--count > 0) return;
    takeBack?.();
    takeBack = undefined;
  },
};

/** Checks whether a spare computes in the place of this thread, because of its residents. */
export const isLending = (own: WorkerSlot): boolean => takeBack !== undefined && load(own.words, C_LACKS_SPARES) === 0;

/** Lends the place of this thread, which has residents, to a spare; false if no spare can come. */
export function lend(own: WorkerSlot): boolean {
  if (load(own.words, C_LACKS_SPARES) !== 0) return false;
  takeBack ??= hooks.lend(own);
  return takeBack !== undefined;
}
