/**
 * Published tasks taken back by their forker before anyone has started them, and records that are freed.
 */
import { type Forked, HANDLE_MASK, local, SETTLED } from '../deque/private-stack.js';
import { isPublic, tryClaim } from '../memory/records.js';
import { freeBlob } from '../task/values.js';
import type { Seat } from './seat.js';

/** Takes a published task of slot `k` back if nobody has started it: it is private again. */
export function reclaim(seat: Seat, k: number, item: Forked): boolean {
  if (!tryClaim(seat.words, seat.records.wordOf(item.entry), item.entry)) return false;
  if (item.task === null) local.handles[k] &= HANDLE_MASK;
  local.stack[k] = item.task; // at once: should the stack end in what follows, the task is here still, and once
  seat.counters.count('reclaimed');
  dropRecord(seat, item);
  return true;
}

/** Frees the record of a task that is home, cancelled or claimed, and what is stale at the bottom of the deque. */
export function dropRecord(seat: Seat, forked: Forked): void {
  const { entry } = forked;
  forked.entry = SETTLED; // first: what cuts the rest off loses a record, and nothing is freed twice
  freeBlob(seat.memory, seat.records.wordOf(entry));
  seat.records.release(entry);
  trimDeque(seat);
}

/** Takes what is stale from the bottom of the deque. */
export function trimDeque(seat: Seat): void {
  for (;;) {
    const entry = seat.deque.peek();
    if (entry < 0 || isPublic(seat.words, seat.records.wordOf(entry), entry)) return;
    seat.deque.pop();
  }
}
