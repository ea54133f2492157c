/** Telling the thread that waits for a record that it is completed; runs on every thread. */

import { add, compareExchange, load, notify } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { C_COMPLETED, STATE_RUNNING, slotWord, W_COMPLETED, W_STATE } from '../memory/layout.js';
import { linkCompleted } from '../memory/record-kinds.js';
import { probeStep } from '../probe.js';
import { wakeSlot } from './sleep.js';

/** Puts a completed record into the list of the slot whose coroutine has forked it, and wakes that thread. */
export function tellCoroutine(memory: ControlMemory, record: number): void {
  const { words, layout } = memory;
  const slot = memory.slotOf(record);
  probeStep('coroutine: record completed');
  const list = slotWord(layout, slot) + W_COMPLETED;
  let next: number;
  do {
    next = load(words, list);
    linkCompleted(words, record, next);
  } while (compareExchange(words, list, next, record) !== next); // A1: before the look at the state; pairs with `sleepInLoop`
  probeStep('coroutine: record linked');
  if (load(words, slotWord(layout, slot) + W_STATE) !== STATE_RUNNING) wakeSlot(memory, slot);
}

/** Wakes the owner, because a root has completed or a task has reported something. */
export function tellOwner({ words }: ControlMemory): void {
  probeStep('complete: root not counted');
  add(words, C_COMPLETED, 1); // S8: after the record is completed; N1: after the report is linked
  probeStep('complete: root counted');
  notify(words, C_COMPLETED);
}

export const wakeForker = (memory: ControlMemory, record: number): void => wakeSlot(memory, memory.slotOf(record));

export const nobodyWaits = (): void => {};
