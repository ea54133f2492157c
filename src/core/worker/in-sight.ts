/** The worker group as a thread without work sees it: work in deques, threads that compute, the end of the group; runs on workers. */
import { load } from '../memory/atomics.js';
import { C_PHASE, C_SEARCHERS, C_SLEEPERS, PHASE_CRASHED, PHASE_KILLED, PHASE_RUN } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { hasWork } from './steal.js';
import { invocationOf, NO_INVOCATION, type WorkerSlot } from './worker-slot.js';

export const nowUs = (): number => host().nowMs() * 1000;

/** Checks whether there might be work in one of the first `count` victims' deques, or in the inbox. */
export function mayHaveWork({ victims, slot, inbox }: WorkerSlot, count: number): boolean {
  for (let victim = 0; victim < count; victim++) {
    const deque = victims[victim];
    if (deque.seemsFilled && deque.slot !== slot) return true;
  }
  return victims[inbox].seemsFilled;
}

export function hasTakeableWork(own: WorkerSlot): boolean {
  for (let victim = 0, count = own.victimCount; victim < count; victim++) {
    if (own.victims[victim].slot !== own.slot && hasWork(own, victim)) return true;
  }
  return hasWork(own, own.inbox);
}

export const isStopping = (own: WorkerSlot): boolean => load(own.words, C_PHASE) !== PHASE_RUN;

/**
 * Returns true if a thread that has left its loop ends what it keeps by itself. Not where the others have crashed, or all are ended
 * at once.
 */
export function leavesInOrder({ words }: WorkerSlot): boolean {
  const phase = load(words, C_PHASE);
  return phase !== PHASE_CRASHED && phase !== PHASE_KILLED;
}

export const computes = (own: WorkerSlot, slot: number): boolean => invocationOf(own.memory, slot) !== NO_INVOCATION;

/** Checks whether any thread sleeps or looks for work. */
export const hasIdle = ({ words }: WorkerSlot): boolean => load(words, C_SLEEPERS) + load(words, C_SEARCHERS) > 0;
