/**
 * The role of a worker or spare with an empty stack: what it may compute now, and who wakes it; runs on workers.
 *
 * | role | which thread | takes | sleeps in |
 * | --- | --- | --- | --- |
 * | `helper` | a worker; a spare while a thread is blocked for which it computes | any task | `STATE_IDLE`: whoever has work wakes it |
 * | `substitute` | the last worker while the owner computes under `invokeSync`: P threads compute without it | what is addressed to it | `STATE_WAITING`: the caller wakes it at the end. `STATE_IDLE` where it would find nothing then |
 * | `reserve` | a spare for which no thread is blocked | what is addressed to it | `STATE_WAITING`: the thread that blocks wakes it |
 * | `bystander` | a worker behind the last one that may take tasks, while a profile sees what these cost on one thread | what is addressed to it | `STATE_WAITING`: the owner wakes all when it may |
 * | `lender` | a thread with residents, in whose place a spare computes (residents.ts) | what is addressed to it | `STATE_WAITING`: what is sent to it wakes it |
 *
 * The coroutines of a thread go on in every role. A helper that sleeps may be the monitor meanwhile (caller-watch.ts).
 */
import { load } from '../memory/atomics.js';
import { C_BLOCKED, C_CALLER_COMPUTES, spareNumber } from '../memory/layout.js';
import { isLending } from './residents.js';
import type { WorkerSlot } from './worker-slot.js';

export type Role = 'helper' | 'substitute' | 'reserve' | 'lender' | 'bystander';

/** The number of this thread among the spares; not positive if it is a worker. */
export const spareOf = (own: WorkerSlot): number => spareNumber(own.memory.layout, own.slot);

/** The role of this thread at the moment: others change it at any time. */
export function roleOf(own: WorkerSlot): Role {
  if (isLending(own)) return 'lender';
  const { lastWorker } = own.memory;
  if (own.slot === lastWorker) return load(own.words, C_CALLER_COMPUTES) !== 0 ? 'substitute' : 'helper';
  const spare = spareOf(own);
  if (spare > 0) return spare > load(own.words, C_BLOCKED) ? 'reserve' : 'helper';
  return own.slot > lastWorker ? 'bystander' : 'helper';
}

/** Returns true if a thread in this role takes any task. Otherwise it is one more than should compute. */
export const takesAny = (role: Role): boolean => role === 'helper';
