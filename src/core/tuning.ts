/**
 * The tunables of the core that a benchmark has set, each with its unit, its range and that benchmark; runs on every thread. Limits of patience that
 * nothing measures (how long to wait for a thread that may be dead, for example) stand in the files that use them.
 */

/**
 * Size of a new private stack (elements, a power of two). The stack doubles on demand. The larger it begins, the sooner a new
 * worker collects garbage.
 */
export const MIN_STACK_ELEMENTS = 1024;
export const MIN_CALLS = 64;

/**
 * Number of asynchronous tasks that may begin each other by joins: deeper ones wait for the worker's loop, because the stack is
 * finite.
 */
export const MAX_NESTED_STARTS = 32;

/** Time for which a worker runs forks of its coroutines, and flows read items or run tasks, before the event loop gets a turn (milliseconds). Timers and sockets wait for that long. */
export const TURN_MS = 2;

/**
 * Time for which a worker with coroutines leaves an asynchronous task to a free one that has fewer, for each that it has more (milliseconds, 0.1 to 1). A
 * worker that sleeps in its event loop takes 0.1 to 0.2 to come.
 */
export const SPREAD_MS = 0.25;

/** Time that a root of normal priority waits before it counts as high (milliseconds). */
export const AGED_MS = 10;

/** Time that a root of low priority waits before it counts as normal (milliseconds). */
export const LOW_AGED_MS = 1000;

/** Most tasks that one steal request publishes (tasks, 1 up). Measured by benchmarks/micro/flat.ts. */
export const MAX_PUBLISH = 256;

/** Most steals that may be nested in one join (levels, 0 up). In a simulation, 4 keep 75 to 93 % of 16 workers busy. */
export const MAX_NESTED_STEALS = 4;

/**
 * Number of its own older tasks that a waiting join may nest (levels, 0 up). It bounds the depth of the JavaScript stack.
 */
export const MAX_NESTED_OWN = 8;

/**
 * Number of tasks that a thread of a checked pool runs inside of each other as if it had stolen them (tasks). Each takes three to six times the stack of a task
 * that is run as it is: without a limit, chains ended at 800 in Deno, and at 270 in Chromium.
 */
export const MAX_NESTED_CHECKED = 100;

/**
 * Time for which an idle worker spins before it sleeps (microseconds, 20 to 50). Measured by
 * benchmarks/micro/round-trip.ts.
 */
export const SPIN_US = 50;

/**
 * Time for which the owner spins for the end of a short invocation before it returns to its event loop (microseconds, 0 to
 * 50). An empty task on a worker that is awake ends within 5 us; hearing of that through the event loop takes 30. Measured
 * by benchmarks/micro/round-trip.ts.
 */
export const OWNER_SPIN_US = 40;

/** Most turns with new invocations in which the owner does not spin, after it has spun in vain (turns, 1 up). */
export const MAX_UNSPUN = 64;

/** Longest single sleep of an idle worker (milliseconds). It is a safety net: no wake-up relies on it. */
export const IDLE_SLICE_MS = 10_000;

/** Longest single sleep of a join (milliseconds). A blocked owner notices dead workers within this time. */
export const JOIN_SLICE_MS = 20;

/** Time for which a pool keeps idle workers by default (milliseconds), as Java's common pool does. */
export const KEEP_ALIVE_MS = 60_000;

/** Most spare threads of a pool by default (threads). */
export const MAX_SPARES = 8;

/**
 * After how long a worker warns of a module that it still imports (milliseconds). A module that has called what does nothing in workers has failed
 * then: it may wait for that call.
 */
export const SLOW_IMPORT_MS = 10_000;
/** Time that a worker waits for an import before it looks at what else there is to do (milliseconds). */
export const IMPORT_SLICE_MS = 50;

/** Largest parallelism, and most spare threads, that a pool accepts (threads). */
export const MAX_PARALLELISM = 256;

/** Time for which an idle worker watches an `invokeSync` before it asks the caller for work (microseconds). */
export const POLITE_US = 100;

/** Time for which the monitor watches the caller after the caller's last `invokeSync` (milliseconds). */
export const MONITOR_MS = 1000;

/** Time between two looks of the monitor at the caller (milliseconds). */
export const MONITOR_SLICE_MS = 1;

/** Time for which cancelled coroutines may go on where no `graceMs` says so (milliseconds). */
export const COROUTINE_GRACE_MS = 1000;

/**
 * Time for which an algorithm keeps the thread that calls, where there are no threads, before the event loop gets a turn (milliseconds, 2
 * to 8). A frame of a page is 16.7; a turn takes 2 to 6 us on Node, and 19 to 47 in browsers.
 */
export const CALLER_SLICE_MS = 4;

/** Time between two reports of progress (milliseconds). */
export const PROGRESS_MS = 50;
