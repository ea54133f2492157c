/**
 * Layout of a worker group's control memory, word by word; runs on every thread.
 *
 * A worker group (one generation of a pool's workers) shares one fixed `SharedArrayBuffer` of Int32 words:
 *
 * ```
 * | worker group words | slot 0: caller | slot 1 .. P: workers | slot P+1: roots | slot P+2 ..: spares |
 *                 slot = | header, one line a word | rings of its deques | records |
 * ```
 *
 * It is sized for the largest deque and the most records at once, and never moves: the operating system gives pages
 * on first touch, so what is not used costs address space only, and no thread ever holds a stale view.
 * README.md lists who may write which word.
 */

/** 128 bytes: two cache lines, since adjacent lines are fetched in pairs. */
const LINE_WORDS = 32;

// WorkerGroup words.
/** Number of threads that are registered as asleep. */
export const C_SLEEPERS = 0 * LINE_WORDS;
/** Number of workers that look for work right now. */
export const C_SEARCHERS = 1 * LINE_WORDS;
/** Counts completed roots; the owner waits on it. */
export const C_COMPLETED = 2 * LINE_WORDS;
/** One of the `PHASE_` values. */
export const C_PHASE = 3 * LINE_WORDS;
/** 1 while the owner computes under `invokeSync`: the last worker then rests, so that P threads compute. */
export const C_CALLER_COMPUTES = 4 * LINE_WORDS;
/** 1 while the first worker looks now and then whether the caller computes. */
export const C_MONITOR = 5 * LINE_WORDS;
/** Counts the invocations that the owner computed itself. */
export const C_CALLS = 6 * LINE_WORDS;
/** 1 once a thread of the worker group has run an asynchronous task: from then on thieves look into ready deques, too. */
export const C_ASYNC = 7 * LINE_WORDS;
/** Number of spares that have a thread: spares 1 up to this number. */
export const C_SPARES = C_ASYNC + 1;
/** Number of invocations of low priority in flight, except those that have waited so long that they count as normal. */
export const C_LOW = 8 * LINE_WORDS;
/** Roots that were pushed to the deque of normal ones before this index have waited long enough to count as high. */
export const C_AGED = 9 * LINE_WORDS;
/** Number of threads in a blocking section, or that lend their place to their residents: so many spares compute. */
export const C_BLOCKED = 10 * LINE_WORDS;
/** 1 once a worker could not load code: the next call gets new workers, which remember nothing of it. */
export const C_LACKS_CODE = C_BLOCKED + 1;
/** 1 once a spare could not start: no other is tried. */
export const C_LACKS_SPARES = C_BLOCKED + 2;
/** Kind of observation that the owner wants (observe/observer.ts), 0 for none. Its sole writer is the owner. */
export const C_OBSERVED = C_BLOCKED + 3;
/** The last worker that may take tasks, by its slot, while a profile wants fewer than all; 0 for all. Its sole writer is the owner. */
export const C_LAST_WORKER = C_BLOCKED + 4;
const GROUP_WORDS = 11 * LINE_WORDS;

export const PHASE_RUN = 0;
/** Workers leave their loop when they find nothing to do. */
export const PHASE_STOP = 1;
/** A worker has died: nobody starts anything, waits end with an error. */
export const PHASE_CRASHED = 2;
/** As `PHASE_STOP`, and the threads are being ended: workers that leave do nothing else. */
export const PHASE_KILLED = 3;

/** The deques of a slot, by number. A thread's slot: its public tasks, forks of its asynchronous tasks, and what only it may take. */
export const PUBLIC_DEQUE = 0;
export const READY_DEQUE = 1;
export const INBOX_DEQUE = 2;
/** The roots' slot: one deque for each priority. */
export const NORMAL_ROOTS = 0;
export const HIGH_ROOTS = 1;
export const LOW_ROOTS = 2;
export const DEQUES = 3;

// Header words of a slot. Those of a deque stand for deque 0 (`dequeWord`).
export const W_TOP = 0 * LINE_WORDS;
export const W_BOTTOM = 1 * LINE_WORDS;
export const DEQUE_WORDS = 2 * LINE_WORDS;
/** Requests of others to this worker: `REQUEST_` bits. Read plainly at every fork and join. */
export const W_REQUESTS = DEQUES * DEQUE_WORDS;
/** The word this thread sleeps on; it changes with every wake-up call. */
export const W_EVENT = W_REQUESTS + LINE_WORDS;
/** One of the `STATE_` values. */
export const W_STATE = W_EVENT + LINE_WORDS;
/**
 * The invocation that this thread works for, named by the entry of its root's record; -1 (`NO_INVOCATION`) for none. The
 * owner writes -1 before the threads start, afterwards the thread of the slot is the sole writer.
 */
export const W_INVOCATION = W_STATE + 1;
/** Exit code << 1 | 1 once the thread is exiting by itself: a blocked owner sees it. */
export const W_EXITED = W_STATE + 2;
/** Not 0 once the thread serves: its number in the operating system, where that is asked for and known, or else 1. */
export const W_ONLINE = W_STATE + 3;
/**
 * Number of coroutines of the thread that wait for something else than their forks, as far as others should count them.
 */
export const W_WAITING = W_STATE + 4;
/** First of the counters (observe/counters.ts); written by their worker only. */
export const W_COUNTERS = W_STATE + LINE_WORDS;
/** The newest completed record that a coroutine of this slot has forked, as its first word; 0 for none. They are a list (`nextCompleted`). */
export const W_COMPLETED = W_COUNTERS + LINE_WORDS;
const HEADER_WORDS = W_COMPLETED + LINE_WORDS;

export const REQUEST_STEAL = 1;
export const REQUEST_CANCEL = 2;
/** Publish every task at its fork: set for ever in checked mode, and by a thread itself while it is in a blocking section. */
export const REQUEST_PUBLISH = 4;
/** There is a root that need not wait until this worker's stack is empty. */
export const REQUEST_ROOT = 8;
/** An observer wants to look at this worker at its next fork or join (`Hooks.look`). */
export const REQUEST_LOOK = 16;
/** Somebody observes what this thread runs: set as long as that is so, by the thread itself. Each fork and join takes its slow path. */
export const REQUEST_OBSERVE = 32;

export const STATE_RUNNING = 0;
/** Asleep with nothing on its stack: any task will do. */
export const STATE_IDLE = 1;
/** Asleep inside a join, and able to help its own invocation. */
export const STATE_JOINING = 2;
/**
 * Asleep, and nobody who looks for a helper may claim it: the thread is woken by its slot, or when its time is over. A join
 * that may not nest another steal waits so for its task's completion, one of checked mode for another worker to take the
 * task, the last worker while it makes room for a caller that computes, and a spare while no thread is blocked for which it would
 * compute.
 */
export const STATE_WAITING = 3;

/** Sizes that tests shrink, so that deques fill and wrap at once. */
export interface Capacities {
  /** Log2 of the entries of a deque. */
  readonly ringLog2: number;
  /** Records of a slot, at most 65536 (the index has 16 bits). */
  readonly recordsPerSlot: number;
}

export const DEFAULT_CAPACITIES: Capacities = { ringLog2: 15, recordsPerSlot: 16384 };

/** Words of one record; records.ts has its words. */
export const RECORD_WORDS = 64;

export interface Layout extends Capacities {
  readonly parallelism: number;
  /** Most spares. */
  readonly maxSpares: number;
  /** Caller, workers, roots, spares. */
  readonly slots: number;
  /** Words from a slot's header to its records. */
  readonly recordsOffset: number;
  readonly slotWords: number;
  readonly totalBytes: number;
}

export function layoutOf(parallelism: number, capacities: Capacities = DEFAULT_CAPACITIES, maxSpares = 0): Layout {
  const slots = parallelism + 2 + maxSpares;
  const recordsOffset = HEADER_WORDS + DEQUES * 2 ** capacities.ringLog2;
  const slotWords = recordsOffset + capacities.recordsPerSlot * RECORD_WORDS;
  const totalBytes = 4 * (GROUP_WORDS + slots * slotWords);
  return { ...capacities, parallelism, maxSpares, slots, recordsOffset, slotWords, totalBytes };
}

export const CALLER_SLOT = 0;
export const rootsSlot = (layout: Layout): number => layout.parallelism + 1;
/** @param number of the spare, 1 and up */
export const spareSlot = (layout: Layout, number: number): number => rootsSlot(layout) + number;
/** The number of the spare on a slot; not positive for other slots. */
export const spareNumber = (layout: Layout, slot: number): number => slot - rootsSlot(layout);

/** First word of a slot's header. */
export const slotWord = (layout: Layout, slot: number): number => GROUP_WORDS + slot * layout.slotWords;

/** From here, words of a deque lie as those of deque 0 do in the header of its slot. */
export const dequeWord = (layout: Layout, slot: number, deque: number): number =>
  slotWord(layout, slot) + deque * DEQUE_WORDS;

/** First word of a deque's ring. */
export const ringWord = (layout: Layout, slot: number, deque = PUBLIC_DEQUE): number =>
  slotWord(layout, slot) + HEADER_WORDS + deque * 2 ** layout.ringLog2;

/** First word of a record. */
export const recordWord = (layout: Layout, slot: number, index: number): number =>
  slotWord(layout, slot) + layout.recordsOffset + index * RECORD_WORDS;

/** Slot to which a record belongs: that of the thread that forked the task, and joins it. */
export const slotOfWord = (layout: Layout, word: number): number => Math.floor((word - GROUP_WORDS) / layout.slotWords);
