/**
 * The rest of a spare; runs on spares.
 *
 * A spare is a worker that computes in the place of a thread that is in a blocking section (blocking.ts). Spare i computes while at least
 * i threads are blocked. Otherwise it rests, and nobody claims it: a thread that enters a blocking section wakes it by its slot.
 */

import { compareExchange } from '../../core/memory/atomics.js';
import { C_SPARES, STATE_WAITING, spareNumber } from '../../core/memory/layout.js';
import { host } from '../../core/platform/host.js';
import { probeStep } from '../../core/probe.js';
import { hasHadResidents } from '../../core/worker/residents.js';
import { eventOf, sleep, wakeSlot } from '../../core/worker/sleep.js';
import type { WorkerSlot } from '../../core/worker/worker-slot.js';

/** See `Hooks.rest`. */
export function rest(own: WorkerSlot, look: () => boolean): boolean {
  const { words, memory, slot } = own;
  const number = spareNumber(memory.layout, slot);
  const leaveAtMs = host().nowMs() + own.keepAliveMs;
  do {
    probeStep('spare: rests');
    const event = eventOf(own); // S1, S10
    const leftMs = leaveAtMs - host().nowMs();
    // S12: what is sent to it would find nobody. S11: only the highest spare leaves. It wakes the one below, whose time may be over, too.
    if (leftMs <= 0 && !hasHadResidents() && compareExchange(words, C_SPARES, number, number - 1) === number) {
      probeStep('spare: has left');
      wakeSlot(memory, slot - 1);
      return true;
    }
    sleep(own, STATE_WAITING, leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY, event, look);
  } while (!look());
  return false;
}
