/**
 * The words of the shared heap: its root page, and the headers of its blocks; runs on every thread.
 *
 * ```text
 * page 0 (64 KiB)                       page 1 ...
 * +-------+-----------+-------+------+  +--------+---------+--------+---------+-- ... --+
 * | ident | allocator | roots | bins |  | header | payload | header | payload |         |
 * +-------+-----------+-------+------+  +--------+---------+--------+---------+-- ... --+
 *                                       BASE_UNITS                                      W_TOP
 * ```
 * Sizes and places are counted in units of 16 bytes: 4 GiB are 2^28 units, which are small integers on every engine.
 * The folder's README says who writes each word, and why the chain of headers is whole after every store.
 */

/** Bytes of one unit: every block begins at, and is a multiple of, a unit. */
export const UNIT_BYTES = 16;
/** Words of one unit, as a shift: word index of unit `u` is `u << UNIT_WORDS_SHIFT`. */
export const UNIT_WORDS_SHIFT = 2;

/** Bytes of the root page. */
export const ROOT_PAGE_BYTES = 65_536;
/** No block: unit 0 is the root page. */
export const NO_BLOCK = 0;
/** The first unit that a block may take. */
export const BASE_UNITS = ROOT_PAGE_BYTES / UNIT_BYTES;

export const HEAP_MAGIC = 0x46_75_72_63; // 'Furc'

// Identity: written once, before the heap is handed to anyone.
export const W_MAGIC = 0;
/** Two random words that tell this heap from any other of the process. */
export const W_IDENTITY = 2;
/** The most units that the heap can grow to. */
export const W_LIMIT = 4;

// The lock is the first word of a cache line. The words that it guards follow, because they are read next.
/** 0, or the holder's thread number plus one; negative while someone waits for it. */
export const W_LOCK = 16;
/** 1 after a critical section was left by an exception: the next holder rebuilds. */
export const W_TORN = 17;
/** The end of the chain of blocks, in units. A header follows, of which only `H_PREVIOUS` is in use. */
export const W_TOP = 18;
/** From this unit on no byte has ever been handed out, so it is still zero. */
export const W_FRESH = 20;
/** Units that the memory has now. */
export const W_RESERVED = 21;
export const W_UNITS_IN_USE = 22;
export const W_BLOCKS_IN_USE = 23;
/** Number of arrays made so far: tells a block from a later block at the same place. */
export const W_SERIAL = 24;
/** 0 or 1: the epoch in which new deferrals count. */
export const W_EPOCH = 25;
/** Two words: how many invocations defer frees, by epoch. */
export const W_DEFERRALS = 26;
/** Two words: unit of the first array block that waits for the deferrals of an epoch, 0 for none. */
export const W_PENDING = 28;
/** Thread numbers handed out beyond the ones that have a bit. */
export const W_UNMASKED_THREADS = 30;

/** Eight words: a bit for each thread number that is taken. */
export const W_THREADS = 32;
export const THREAD_MASK_WORDS = 8;
/** Threads with a bit of their own. References of later threads are counted, and are never released if such a thread crashes. */
export const MASKED_THREADS = THREAD_MASK_WORDS * 32;
/** Eight words: a bit for each thread where something goes on that was abandoned. */
export const W_KEEPERS = 40;

/** The code table's root word, zero at first. The words from here to the free lists are not the allocator's. */
export const ROOT_CODE_TABLE = 48;

// Free lists.
export const W_BIN_MAP = 81;
export const BIN_MAP_WORDS = 13;
export const W_BINS = 96;
export const BIN_COUNT = BIN_MAP_WORDS * 32;

/** A word for each thread with a bit: the newest array (its serial) that what was abandoned on this thread may name. */
export const W_KEPT_SERIALS = W_BINS + BIN_COUNT;

// The header of every block: one unit.
/** Units of the block << 4 | state. */
export const H_SIZE = 0;
/** Units of the previous block, 0 for the first: a freed block finds its lower neighbour by it. */
export const H_PREVIOUS = 1;
export const H_TAG = 2;
/** Bytes that were asked for. */
export const H_BYTES = 3;
/** While a block is free, its tag and bytes hold the links of its free list. */
export const H_NEXT_FREE = 2;
export const H_PREVIOUS_FREE = 3;
export const HEADER_UNITS = 1;
/** Tag of the code table's blocks ('code' in ASCII). No pool has this number, so no pool frees them. */
export const CODE_TAG = 0x63_6f_64_65;
/** Smallest block: a header and 16 bytes. */
export const MIN_BLOCK_UNITS = 2;

export const STATE_BITS = 4;
export const STATE_MASK = 15;
export const STATE_FREE = 0;
export const STATE_BYTES = 1;
export const STATE_ARRAY = 2;
/** An array that `free` was called on, and whose bytes somebody may still name. */
export const STATE_DOOMED = 3;

// An array block has three more units of header, in front of its payload.
/** Value of W_SERIAL at allocation: tells realms with a reference to an earlier block at this place that their block is gone. */
export const A_SERIAL = 4;
/** Number of threads without a bit that have a reference to the array. */
export const A_UNMASKED = 5;
/** 0, or 1 + the epoch whose pending list the block is on, or `PINNED`. */
export const A_PENDING = 6;
/** The block is on no list: the root realm gives it back when its last pin ends. */
export const PINNED = 3;
/** Next block of that list, 0 for none. */
export const A_NEXT_PENDING = 7;
/** Eight words: a bit for each other thread that has a reference to the array. */
export const A_MASK = 8;
export const ARRAY_HEADER_UNITS = 4;

/** Units that cover `bytes`, which may be anything up to 2^32. */
export function unitsFor(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES);
}
