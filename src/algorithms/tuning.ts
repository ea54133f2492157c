/**
 * Every tunable of the algorithms, with its unit, its range and what set it; runs on every thread.
 */

/**
 * Target duration of a chunk: what a thread runs between two looks at the clock, at thieves and at cancellation (microseconds,
 * 20 to 400). Claiming a chunk and counting it costs 0.3.
 */
export const CHUNK_US = 200;

/**
 * Longest round of `parallelRounds` that one thread runs alone (microseconds, 10 to 30). The others are awake, so sharing a round costs 6: one of
 * 11 us takes 11.7 on two threads, one of 24 takes 17.5, one of 76 takes 44.
 */
export const ROUND_LONE_US = 15;

/**
 * Target duration of a chunk when the pool has one thread (microseconds, `CHUNK_US` to 1000). There are no thieves to leave
 * anything to, so only the latency of an abort counts: half a chunk on average.
 */
export const LONE_CHUNK_US = 400;

/** Fewest parts for each thread that a sort or the blocks of an array are cut into (1 to 64): costs vary. */
export const LEAVES_PER_THREAD = 8;

/**
 * Damping of cost increases (factor, 2 to 16). Threads of a pool slow each other down, so a pool's measurement runs high: only
 * 1/n of a rise is applied.
 */
export const POOL_DOUBT = 8;

/** A chunk has at most this many times as many elements as were measured (factor, 2 to 64). */
export const MAX_GROWTH = 16;

/**
 * Cost of a pool's help (microseconds, 60 to 1000). If sharing the work saves less, the caller does the work. A round trip to a
 * worker takes 40 to 60 us when the worker is awake and all code is compiled. A call takes 250 more than its share of the work after 2,000
 * others, 350 to 500 after 20, and 700 to 1200 before: V8 compiles on the same cores, and what the threads need is in another core's
 * cache. With 300 here, a map that takes the caller 1 ms took 1.3 in a pool of two, and a sum of 0.6 ms 1.0.
 */
export const HELP_US = 600;

/** Cost of a pool's help within a task, whose worker is awake (microseconds, 60 to 500). */
export const FORK_HELP_US = 300;

/** Longest call that the caller does itself because of `HELP_US` (microseconds, 200 to 1000). Its event loop waits meanwhile. */
export const CALLER_MOST_US = 1000;

/**
 * Time after which the caller hands the rest of a call that proves more expensive than expected to a pool (microseconds).
 */
export const CALLER_LIMIT_US = 1500;

/**
 * Time for which a caller works between two looks at the clock (microseconds, up to `CALLER_LIMIT_US`). Nobody steals from
 * it.
 */
export const CALLER_BLOCK_US = 125;

/** Calls this short are done without a look at the clock (microseconds, 1 to 20). A look takes 0.1 us. */
export const CALLER_PIECE_US = 5;

/** Scratch memory that a thread keeps for calls that it does itself (bytes, a power of two): enough for about 1,000 elements. */
export const CALLER_MEMORY_BYTES = 65_536;

/** Time to copy one byte into shared memory (nanoseconds): 0.06 if warm, 0.44 at the first touch of new memory. */
export const COPY_NS_PER_BYTE = 0.1;

/**
 * An array that is not shared is copied only if the work takes this many times as long as the copy (factor). Copying 80 MB takes
 * 5 ms into memory that was used before, and 35 ms into new memory.
 */
export const WORTH_COPIES = 5;

/** Most cells in a tile of a grid (256 to 16,384): 64 by 64 doubles fit a core's first-level cache. */
export const MAX_TILE_CELLS = 4096;

/** Tiles of a grid for each thread, about, where they are smaller than `MAX_TILE_CELLS` (16 to 256): cells may be expensive. */
export const TILES_PER_THREAD = 64;

/** Assumed cost of a named reduction without `map` before it was measured (nanoseconds an element). */
export const NAMED_REDUCTION_NS = 0.8;

/** Assumed cost of filling before it was measured (nanoseconds a byte): 0.05 in the cache, 0.14 in memory. */
export const FILL_NS_PER_BYTE = 0.15;

/** Assumed cost of `parallelIndexOf` before it was measured (nanoseconds an element): 0.3 to 0.8 in the cache. */
export const INDEX_OF_NS = 0.6;

/** Assumed cost of moving elements in shared memory before it was measured (nanoseconds a byte). */
export const MOVE_NS_PER_BYTE = 0.15;

/** Assumed cost of comparing an element with a constant before it was measured (nanoseconds). */
export const COMPARISON_NS = 1.5;

/** Assumed cost of a scan by a named operation before it was measured (nanoseconds an element). */
export const NAMED_SCAN_NS = 1.5;

/** Fewest elements in a block of a scan (a power of two). */
export const MIN_SCAN_BLOCK = 64;

/** Most elements in a block of a reduction (a power of two). Larger blocks gain nothing; with smaller ones, combining costs time. */
export const MAX_REDUCE_BLOCK = 4096;

/** Most blocks in a unit (a power of two, 4 to 16). 8 blocks of 4096 doubles, and their results, fit the second-level cache. */
export const UNIT_BLOCKS = 8;

/** Most blocks in a unit of a named reduction (a power of two): as many as its kernels take at once. */
export const NODE_BLOCKS = 16;

/** Fewest blocks of a reduction that calls functions, about (a power of two), so that all threads share expensive functions. */
export const MIN_REDUCE_BLOCKS = 128;

/**
 * The caller sorts arrays of up to this length itself, without a comparator and by kernels (elements, 8192 to 131,072). Float64: 10,000 take
 * 80 us and in a pool of two 1000, 65,536 take 650 and 1300, 100,000 as long in both.
 */
export const CALLER_SORT_ELEMENTS = 65_536;

/** A thread sorts arrays of up to this length itself in a task, and where there are no kernels (elements): 8192 take 70 us, or 500. */
export const TASK_SORT_ELEMENTS = 8192;

/** The caller sorts arrays of up to this length itself, with a comparator of which nothing is known (elements): 1024 take about 100 us. */
export const CALLER_COMPARE_ELEMENTS = 1024;

/**
 * Longest array of which the caller sorts a sample to see whether to sort it itself (elements, 4096 to 16,384): more take 1 ms and more, which is too long
 * for the caller. With a comparator of 10 ns, 3000 elements take 0.5 ms, and in a pool of two 1.3.
 */
export const CALLER_SAMPLED_ELEMENTS = 16_384;

/** Elements in such a sample (256 to 1024): 40 us. */
export const SAMPLE_ELEMENTS = 512;

/** Leaves of a sort with a comparator (a power of four, so that the last merge ends in the user's array). */
export const COMPARE_LEAVES = 64;

/** Fewest elements in a leaf of a sort (a power of two, 4 up). */
export const MIN_SORT_LEAF = 32;

/** Output segments for each leaf in the merges of a sort (a power of two up to `MIN_SORT_LEAF`). */
export const SEGMENTS_PER_LEAF = 4;

/**
 * Fewest elements for which the caller sorts numbers by a kernel (elements, 512 to 4096). Below, the built-in sort takes about
 * as long as copying to the heap and clearing counters, and a program need not load the kernels. Float64: 1024 take 46 us by the
 * built-in sort, 8192 750; 8000 take 240 by the kernel.
 */
export const KERNEL_ELEMENTS = 1024;

/**
 * Elements in a bucket of a numeric sort, about, so that a bucket and two copies of it stay in a core's cache (elements, 2048 to
 * 32,768). With 4096 and 8192, 1e7 uint32 take 95 and 99 ms of CPU time, and 1e7 float64 take 149 and 147.
 */
export const SORT_BUCKET_ELEMENTS = 4096;

/**
 * Size of what a thread partitions at once, so that it and its copy stay in a core's cache (bytes, 256 KiB to 4 MiB). The
 * fewer chunks, the fewer parts a bucket has to be collected from. 1e7 float64 by 0.6, 1, 1.5, 2.2 MB: partitioning 67, 70,
 * 78, 90 ms, collecting and counting 55, 50, 43, 42.
 */
export const SORT_WINDOW_BYTES = 2 ** 20;

/** Time for which the caller merges items by a collator before the event loop gets a turn (milliseconds, 2 to 8). */
export const MERGE_SLICE_MS = 4;

/** Assumed cost of merging numbers before it was measured (nanoseconds an element). */
export const MERGE_NS = 4;

/** Segments of the output of a merge, about (a power of two). */
export const MERGE_SEGMENTS = 512;

/** Fewest elements in a segment of a merge by numbers. */
export const MIN_MERGE_SEGMENT = 2048;

/** Fewest elements in a segment of a merge by a comparator. */
export const MIN_COMPARED_SEGMENT = 256;

/** Elements in a block of `parallelMinMax`. */
export const MIN_MAX_BLOCK = 4096;

/** Assumed cost of counting an element into bins of equal width before it was measured (nanoseconds). */
export const HISTOGRAM_NS = 0.9;

/** Cost of one more table of counts, for clearing and adding it (nanoseconds a bin). */
export const ADD_BIN_NS = 0.5;

/** Largest part of the counting that the tables of a histogram may cost (0 to 1). If they cost more, one thread counts alone. */
export const TABLES_SHARE = 0.5;

/**
 * Distance between the counters of two threads (words): two pages. A core prefetches up to a page beyond what it uses, and so takes
 * cache lines from the thread that writes there. A histogram of 1e7 uint32 on two threads takes 2.7 ms with a distance of 256
 * bytes, 2.45 with one page, and 2.15 with two, half of what one thread takes. A larger distance gains nothing.
 */
export const APART_WORDS = 2048;

/** Most counts in the tables of all threads together: 64 MiB. */
export const MAX_TABLE_WORDS = 2 ** 24;

/** Bins that one unit of a histogram's last stage adds up (256 to 65,536): 5 to 20 us of work. */
export const BINS_UNIT = 4096;

/** Assumed cost of grouping an element by its key before it was measured (nanoseconds): 3 for few keys, 30 for many. */
export const GROUP_NS = 5;

/**
 * Fewest and most elements in a block that is grouped alone (powers of two). The table of the largest block takes 512 kB at most, and fits the L2
 * cache. Larger blocks leave fewer entries to be merged: 4e6 keys in blocks of 32,768 and not 16,384 took 22 and not 33 ns of CPU time an element
 * (2,400 skewed keys), 70 and not 87 (50,000 keys), and 179 and not 161 where all are distinct, in one pair of runs on a busy machine.
 */
export const MIN_GROUP_BLOCK = 2048;
export const MAX_GROUP_BLOCK = 65_536;

/**
 * Most keys of a table that goes on from block to block, before a thread begins another one. Such a table and its keys take 800 KB, which
 * a cache of the second level holds.
 */
export const MAX_RUN_KEYS = 65_536;

/** Time that it takes to look at a value (nanoseconds). */
export const BOUND_NS = 0.5;

/** Fewest blocks of a grouping, about, if blocks are larger than `MIN_GROUP_BLOCK` (a power of two). */
export const GROUP_BLOCKS = 128;

/**
 * Assumed cost of an entry of a block in each further stage of a grouping before it was measured (nanoseconds): 1 to 10. One thread
 * runs the stages alone if an entry costs so much and there are less than `CHUNK_US` of work.
 */
export const ENTRY_NS = 5;

/** Elements in a bucket of a grouping, about (a power of two). */
export const BUCKET_ELEMENTS = 8192;

/** Fewest and most buckets of a grouping (powers of two). */
export const MIN_BUCKETS = 16;
export const MAX_BUCKETS = 1024;

/** Assumed cost of an element in `parallelTopK` without a comparator before it was measured (nanoseconds). */
export const TOP_K_NS = 1.5;

/** If k is more than this part of all elements, `parallelTopK` sorts all of them (0 to 1). */
export const TOP_K_SHARE = 1 / 16;

/** Fewest and most elements in a block of `parallelTopK` (powers of two). */
export const MIN_TOP_BLOCK = 1024;
export const MAX_TOP_BLOCK = 16_384;

/** Blocks of `parallelTopK`, about (a power of two). */
export const TOP_BLOCKS = 128;

/** A block of `parallelTopK` has at least this many times k elements. */
export const TOP_BLOCK_PER_K = 8;

/** Most strings, or items with equal keys, that `parallelSortBy` orders by comparing them on the caller (elements, 1 to 8192). */
export const SORTED_HERE = 512;

/** Number of times that the pool sorts strings before the caller compares those that are still equal. */
export const STRING_ROUNDS = 8;

/**
 * Target duration of a chunk of plain values (microseconds, 1000 to 4000). Its way to a worker and back takes about 200 of the CPU time of
 * all threads: 5000 calls of 100 us on two cores took 364 ms with chunks of 1000, 330 with 2000, 303 with 4000. Aborts and other invocations
 * wait for a chunk.
 */
export const VALUES_CHUNK_US = 4000;

/** Least duration of a chunk for each thread of the pool (microseconds, 150 to 600): the caller is busy for about 150 with each. */
export const VALUES_CALLER_US = 300;

/**
 * The most values of a chunk on the caller (2,000 to 10,000). They, their clones and results stay where V8 collects cheaply: 2e6 objects that a
 * reader gets took 210 ms of CPU time in chunks of 30,000. The program's timers wait for the clones, too.
 */
export const VALUES_HERE = 4096;

/** A chunk leaves its rest to other chunks after this many times its target duration: its calls were expected to be cheaper (factor). */
export const VALUES_PATIENCE = 3;

/** Target size of a chunk of plain values (bytes, 2^18 to 2^23): large buffers cross one by one, so that few copies of them are in memory. */
export const VALUES_CHUNK_BYTES = 2 ** 20;

/** Chunks of plain values in flight for each thread (2 to 4): one that runs, and one that is there when it ends. */
export const CHUNKS_PER_THREAD = 2;

/** Fewest values in a chunk whose copy is measured well enough to tell that the caller should rather call the function itself. */
export const TELLING_VALUES = 16;

/** Most values in a chunk whose calls wait, where any number may be in progress (1 to 64): 10,000 timers of 10 ms take 800 ms by ones. */
export const WAITING_VALUES = 16;

/**
 * The caller calls a function itself if its copies take this many times as long (factor, 1 to 4): with a copy on a worker, a call there costs
 * more than here. By 2, the first five calls over 20,000 objects took 38, 20, 18, 13 and 12 ms, by 1.25 24, 6, 5, 6 and 6.
 */
export const HERE_FACTOR = 1.25;

/**
 * A call that does nothing but read is made on the caller, from the first one on, unless `VALUES_HERE` of them took longer on average (nanoseconds, 10,000
 * to 50,000): to copy a value costs more than to read it, except for arithmetic on long bigints. With 2,000, a thread that had to wait for its core took 20 ns
 * for as much, and a pool was started in vain.
 */
export const READS_MOST_NS = 20_000;

/** Values in a block of a reduction of plain values. It decides the order of combination, and so the result. */
export const FOLD_VALUES = 64;
