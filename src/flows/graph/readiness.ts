/**
 * Readiness of nodes: each node has a count of the nodes that it still waits for, and whoever brings it to 0 runs the node.
 *
 * **R1** A thread writes the result of a node, then counts its successors down, each once. The thread that brings a count to 0 runs that node. So exactly
 * one thread runs the node, and it sees the results of all that the node waited for. A node that failed or was skipped first adds a mark to the
 * count, so that whoever brings the count to 0 sees the mark, and skips the node.
 *
 * Checked by: test/model (scenarios `readiness: ...`, and planted bugs).
 */
import { load, or, sub } from '../../core/memory/atomics.js';

/** The mark: a node before this one has no result. Counts are less. */
export const FAILED_BEFORE = 1 << 30;

/** States of a successor. */
export const WAITS = 0;
export const READY = 1;
export const TO_SKIP = 2;

/**
 * Counts a successor of a node down, which is done or has `failed`.
 *
 * @param at where the count of the successor lies in `words`
 */
export function countDown(words: Int32Array, at: number, failed: boolean): number {
  if (failed)
    or(words, at, FAILED_BEFORE); // R1: before the count is brought to 0
  else if (load(words, at) === 1) return READY; // R1: all others have counted; nobody looks at the count any more
  const before = sub(words, at, 1); // R1
  if ((before & ~FAILED_BEFORE) !== 1) return WAITS;
  return before === 1 ? READY : TO_SKIP;
}

/** As `countDown`, while no other thread has nodes of the run. What was counted is published with the first chain that is given away. */
export function countDownAlone(words: Int32Array, at: number, failed: boolean): number {
  const count = words[at] as number; // plain, as the store: no other thread
  if (count === 1 && !failed) return READY;
  const left = ((failed ? count | FAILED_BEFORE : count) - 1) | 0;
  words[at] = left;
  return (left & ~FAILED_BEFORE) !== 0 ? WAITS : left === 0 ? READY : TO_SKIP;
}
