/** How a forker takes back a published task that nobody has started, and how records are freed. */
import { Forked, HANDLE_MASK, local, SETTLED } from '../deque/private-stack.js';
import { isPublic, tryClaim } from '../memory/records.js';
import { freeBlob } from '../task/values.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Is the task of slot `k` private? Takes it back if it was published and nobody has started it. */
export function reclaim(k: number): boolean {
  const item = local.stack[k];
  if (!(item instanceof Forked)) return true;
  if (item.entry === SETTLED) return false;
  const own = thread.own as WorkerSlot; // a thread that has published has a slot
  if (!tryClaim(own.words, own.records.wordOf(item.entry), item.entry)) return false;
  if (item.task === null) local.handles[k] &= HANDLE_MASK;
  local.stack[k] = item.task; // at once: if the stack ends in what follows, the task is still here, once
  own.counters.count('reclaimed');
  dropRecord(own, item);
  return true;
}

/** Frees the record of a task that is home, cancelled or claimed, and pops stale entries from the bottom of the deque. */
export function dropRecord(own: WorkerSlot, holder: { entry: number }): void {
  const { entry } = holder;
  holder.entry = SETTLED; // first: if the stack ends in what follows, a record is lost, but nothing is freed twice
  freeBlob(own.memory, own.records.wordOf(entry));
  own.records.release(entry);
  trimDeque(own);
}

/** Pops stale entries from the bottom of the deque. */
export function trimDeque(own: WorkerSlot): void {
  for (;;) {
    const entry = own.deque.peek();
    if (entry < 0 || isPublic(own.words, own.records.wordOf(entry), entry)) return;
    own.deque.pop();
  }
}
