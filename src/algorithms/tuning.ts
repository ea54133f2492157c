/**
 * Every tunable of the algorithms, with its unit, its range and what set it; runs on every thread.
 */

/**
 * Target duration of a chunk: what a thread runs between two looks at the clock, at thieves and at cancellation (microseconds,
 * 20 to 400). Claiming a chunk and counting it costs 0.3.
 */
export const CHUNK_US = 200;

/**
 * Target duration of a chunk when the pool has one thread (microseconds, `CHUNK_US` to 1000). There are no thieves to leave
 * anything to, so only the latency of an abort counts: half a chunk on average.
 */
export const LONE_CHUNK_US = 400;

/** Fewest parts for each thread that a sort or the blocks of an array are cut into (1 to 64): costs vary. */
export const LEAVES_PER_THREAD = 8;

/** A rise in cost that a pool's threads measured is believed by one part in so many (2 to 16): they slow each other down. */
export const POOL_DOUBT = 8;

/** Most that one block may be larger than what the last measurement stands for (factor, 2 to 64). */
export const MAX_GROWTH = 16;

/**
 * What a pool's help costs (microseconds, 60 to 500): where sharing the work saves less, the caller does it. A round trip to a
 * worker takes 40 to 60 when it is just awake, and with its caches and code cold, and the data in another core's, 100 to 350;
 * in the first forty calls of a process, while V8 compiles on the same two cores, 1000. A map of 400,000 numbers, 450 us on
 * the caller, takes 1300 to 2500 in a pool of two then.
 */
export const HELP_US = 300;

/** Most that a caller does by itself because of that (microseconds, 200 to 1000): its event loop waits meanwhile. */
export const CALLER_MOST_US = 500;

/** A caller that has worked so long on what was thought to be less hands the rest over (microseconds). */
export const CALLER_LIMIT_US = 1000;

/** How long a caller works between two looks at the clock (microseconds, up to `CALLER_LIMIT_US`): nobody steals from it. */
export const CALLER_BLOCK_US = 125;

/** What a caller does without a look at the clock in between (microseconds, 1 to 20): with one it takes 0.1 longer. */
export const CALLER_PIECE_US = 5;

/** What a thread keeps for the arrays of calls that their caller does (bytes, a power of two): of 1,000 elements or so. */
export const CALLER_MEMORY_BYTES = 65_536;

/** Copying one byte into shared memory (nanoseconds): 0.06 warm, 0.44 at the first touch of fresh memory. */
export const COPY_NS_PER_BYTE = 0.1;

/**
 * A non-shared array is copied only where the work is worth so many copies (factor). Copying 80 MB takes 5 ms into memory
 * that was used before, and 35 ms into fresh memory.
 */
export const WORTH_COPIES = 5;

/** What a named reduction without `map` is taken to cost before it was measured (nanoseconds an element). */
export const NAMED_REDUCTION_NS = 0.8;

/** What filling is taken to cost before it was measured (nanoseconds a byte): 0.05 in the cache, 0.14 in memory. */
export const FILL_NS_PER_BYTE = 0.15;

/** What `parallelIndexOf` is taken to cost before it was measured (nanoseconds an element): 0.3 to 0.8 in the cache. */
export const INDEX_OF_NS = 0.6;

/** What moving elements of shared memory is taken to cost before it was measured (nanoseconds a byte). */
export const MOVE_NS_PER_BYTE = 0.15;

/** What comparing an element with a constant is taken to cost before it was measured (nanoseconds). */
export const COMPARISON_NS = 1.5;

/** What a scan by a named operation is taken to cost before it was measured (nanoseconds an element). */
export const NAMED_SCAN_NS = 1.5;

/** Fewest elements in a block of a scan (a power of two). */
export const MIN_SCAN_BLOCK = 64;

/** Most elements in a block of a reduction (a power of two): beyond it a block gains nothing, below it combining shows. */
export const MAX_REDUCE_BLOCK = 4096;

/** Most blocks in a unit (a power of two, 4 to 16): 8 of 4096 doubles, and what they become, fit the second-level cache. */
export const UNIT_BLOCKS = 8;

/** The same for named reductions: what their kernels take at once. */
export const NODE_BLOCKS = 16;

/** The same for bins of equal width, which cost the same everywhere and are not written in order (a power of two, 8 to 64). */
export const EQUAL_BINS_UNIT_BLOCKS = 32;

/** About how many blocks a reduction over functions has at least (a power of two), so that expensive functions spread. */
export const MIN_REDUCE_BLOCKS = 128;

/** Arrays up to this length are sorted by numbers at once on the caller (elements): 8192 take 110 to 170 us. */
export const CALLER_SORT_ELEMENTS = 8192;

/** The same with a comparator (elements): 1024 take about 100 us. */
export const CALLER_COMPARE_ELEMENTS = 1024;

/** Into how many leaves a sort with a comparator is cut (a power of four, so that the last merge ends in the array). */
export const COMPARE_LEAVES = 64;

/** Fewest elements in a leaf of a sort (a power of two, 4 up). */
export const MIN_SORT_LEAF = 32;

/** Output segments per leaf in the merges of a sort (a power of two up to `MIN_SORT_LEAF`). */
export const SEGMENTS_PER_LEAF = 4;

/**
 * Fewest elements for which the caller sorts numbers by a kernel (elements, 512 to 4096). Below, the built-in sort takes about
 * as long as copying to the heap and clearing counters, and a program need not load the kernels. Float64: 1024 take 46 us by the
 * built-in sort, 8192 750; 8000 take 240 by the kernel.
 */
export const KERNEL_ELEMENTS = 1024;

/**
 * About how many elements a bucket of a numeric sort has, so that it and two copies stay in a core's cache (elements, 2048 to
 * 32,768). CPU time of 1e7 uint32 by 4096, 8192: 95, 99 ms; of 1e7 float64: 149, 147.
 */
export const SORT_BUCKET_ELEMENTS = 4096;

/**
 * How much a thread partitions at once, so that it and its copy stay in a core's cache (bytes, 256 KiB to 4 MiB). The fewer
 * chunks, the fewer parts a bucket has to be collected from. 1e7 float64 by 0.6, 1, 1.5, 2.2 MB: partitioning 67, 70, 78, 90
 * ms, collecting and counting 55, 50, 43, 42.
 */
export const SORT_WINDOW_BYTES = 2 ** 20;

/** What merging numbers is taken to cost before it was measured (nanoseconds an element). */
export const MERGE_NS = 4;

/** About how many segments the output of a merge has (a power of two), and fewest elements in one by numbers and by a comparator. */
export const MERGE_SEGMENTS = 512;
export const MIN_MERGE_SEGMENT = 2048;
export const MIN_COMPARED_SEGMENT = 256;

/** Elements in a block of `parallelMinMax`. */
export const MIN_MAX_BLOCK = 4096;

/** What counting an element into bins of equal width is taken to cost before it was measured (nanoseconds). */
export const HISTOGRAM_NS = 0.9;

/** What one more table of counts costs, clearing and adding (nanoseconds a bin). */
export const ADD_BIN_NS = 0.5;

/** What share of the counting the tables of a histogram may cost, or else one thread counts alone (0 to 1). */
export const TABLES_SHARE = 0.5;

/**
 * Words between the counters of two threads: two pages, since what a core fetches in advance goes a page beyond what it uses,
 * and takes it from the thread that writes there. A histogram of 1e7 uint32 on two threads: 2.7 ms with 256 bytes between,
 * 2.45 with a page, 2.15 with two, which is half of what one takes; more is no better. A sort of 1e7 float64: 70.7, 67.4 ms.
 */
export const APART_WORDS = 2048;

/** Most counts in the tables of all threads together: 64 MiB. */
export const MAX_TABLE_WORDS = 2 ** 24;

/** Bins that are added up by one unit of the last stage: two threads never write to one cache line. */
export const BINS_UNIT = 256;

/** What grouping an element by its key is taken to cost before it was measured (nanoseconds): 3 for few keys, 30 for many. */
export const GROUP_NS = 5;

/** Fewest and most elements in a block that is grouped alone (powers of two): a table of the most stays in the L2 cache. */
export const MIN_GROUP_BLOCK = 2048;
export const MAX_GROUP_BLOCK = 16_384;

/** About how many blocks there are at least, where they are larger than the fewest elements (a power of two). */
export const GROUP_BLOCKS = 128;

/** Up to so many entries of all blocks together are merged by one thread: 0.3 ms; beyond, by buckets. */
export const MERGE_ALONE_ENTRIES = 32_768;

/** Elements for each bucket, and the bounds of how many there are (powers of two). */
export const BUCKET_ELEMENTS = 8192;
export const MIN_BUCKETS = 16;
export const MAX_BUCKETS = 1024;

/** What looking at an element is taken to cost in `parallelTopK` without a comparator, before it was measured (nanoseconds). */
export const TOP_K_NS = 1.5;

/** More of the elements than this share are found by sorting all (0 to 1). */
export const TOP_K_SHARE = 1 / 16;

/** Fewest and most elements in a block of `parallelTopK` (powers of two), and how many times k a block has at least. */
export const MIN_TOP_BLOCK = 1024;
export const MAX_TOP_BLOCK = 16_384;
export const TOP_BLOCKS = 128;
export const TOP_BLOCK_PER_K = 8;

/** Most strings, or items with equal keys, that `parallelSortBy` orders by comparing them on the caller (elements, 1 to 8192). */
export const SORTED_HERE = 512;

/** Sorts in the pool that strings are given, before the caller compares what is still tied. */
export const STRING_ROUNDS = 8;
