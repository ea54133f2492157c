/**
 * Published tasks taken back by their forker before anyone has started them, and records that are freed.
 */
import { type Forked, HANDLE_MASK, local, SETTLED } from '../deque/private-stack.js';
import { isPublic, tryClaim } from '../memory/records.js';
import { freeBlob } from '../task/values.js';
import type { WorkerSlot } from './worker-slot.js';

/** Takes a published task of slot `k` back if nobody has started it: it is private again. */
export function reclaim(own: WorkerSlot, k: number, item: Forked): boolean {
  if (!tryClaim(own.words, own.records.wordOf(item.entry), item.entry)) return false;
  if (item.task === null) local.handles[k] &= HANDLE_MASK;
  local.stack[k] = item.task; // at once: should the stack end in what follows, the task is here still, and once
  own.counters.count('reclaimed');
  dropRecord(own, item);
  return true;
}

/** Frees the record of a task that is home, cancelled or claimed, and what is stale at the bottom of the deque. */
export function dropRecord(own: WorkerSlot, forked: Forked): void {
  const { entry } = forked;
  forked.entry = SETTLED; // first: what cuts the rest off loses a record, and nothing is freed twice
  freeBlob(own.memory, own.records.wordOf(entry));
  own.records.release(entry);
  trimDeque(own);
}

/** Takes what is stale from the bottom of the deque. */
export function trimDeque(own: WorkerSlot): void {
  for (;;) {
    const entry = own.deque.peek();
    if (entry < 0 || isPublic(own.words, own.records.wordOf(entry), entry)) return;
    own.deque.pop();
  }
}
