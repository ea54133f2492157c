/**
 * Every tunable of the library, with its unit, its range and the benchmark that set it; runs on every thread.
 */

/**
 * Slots of a fresh private stack (elements, a power of two). It doubles on demand; the larger it is, the sooner a fresh worker
 * collects garbage.
 */
export const MIN_STACK_SLOTS = 1024;

/** Most records that one request from a thief publishes (tasks, 1 up). benchmarks/micro/flat.ts */
export const MAX_PUBLISH = 256;

/** How many steals may be nested in one join (levels, 0 up). In a simulation, 4 keep 75 to 93 % of 16 workers busy. */
export const MAX_NESTED_STEALS = 4;

/** How many of its own older tasks a waiting join may nest (levels, 0 up): bounds the depth of the JavaScript stack. */
export const MAX_NESTED_OWN = 8;

/** How long an idle worker spins before it sleeps (microseconds, 20 to 50). benchmarks/micro/round-trip.ts */
export const SPIN_US = 50;

/**
 * How long the owner looks for the end of a short invocation before it returns to its event loop (microseconds, 0 to 50),
 * and how many invocations it lets pass without looking, at most, after it has looked in vain. An empty task on a
 * worker that is awake ends within 5 us; hearing of it through the event loop takes 30. benchmarks/micro/round-trip.ts
 */
export const OWNER_SPIN_US = 40;
export const MAX_UNSPUN = 64;

/** Longest single sleep of an idle worker (milliseconds). A safety net only: wake-ups do not rely on it. */
export const IDLE_SLICE_MS = 10_000;

/** Longest single sleep of a join (milliseconds): how soon a dead thief is noticed. */
export const JOIN_SLICE_MS = 20;

/** How long idle workers are kept (milliseconds) by default, as Java's common pool keeps them. */
export const KEEP_ALIVE_MS = 60_000;

/** How long a worker may take to import a module (milliseconds). */
export const IMPORT_TIMEOUT_MS = 10_000;

/** Largest parallelism that a pool accepts (threads). */
export const MAX_PARALLELISM = 256;

/** How long an idle worker watches an `invokeSync` before it asks the caller for work (microseconds). */
export const POLITE_US = 100;

/** How long after the caller's last `invokeSync` the first worker keeps an eye on it (milliseconds), and how often it looks. */
export const MONITOR_MS = 1000;
export const MONITOR_SLICE_MS = 1;
