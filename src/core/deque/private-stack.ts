/**
 * The private stack: what this thread has forked and no other thread knows; one per realm.
 *
 * ```
 *   0 .. split-1   no longer private: published (a Forked), taken out (HOLE), or of an older frame
 *   split .. sp-1  private: a task object, or null for a function task, whose handle and arguments are in other arrays
 *   base .. sp-1   forked by the body that runs now (its frame)
 * ```
 *
 * A fork writes here and nowhere else. The arrays lie side by side, so that a function task costs no object. All state is on one
 * constant object, because V8 knows then that its fields are small integers (fib(32) takes 33.4 ms, and 36.6 with module
 * variables). `handles` holds the handle of each function task, with the sign bit set once the task is no longer private. All
 * other positions hold -1 there. Positions above `sp` hold null in `stack`.
 */
import { MIN_STACK_ELEMENTS } from '../tuning.js';

/** A forked task that is no longer private: it was published, could not be encoded, or was run while a join waited. */
export class Forked {
  /** The task object, or null for a function task. */
  readonly task: object | null;
  /** Entry of its record while it is published, else `ENDED`. */
  entry: number;
  /** How it ended, once `entry` is `ENDED`. */
  failed = false;
  value: unknown = undefined;
  /** Whether the program has asked how the task ended: then a failure no longer surfaces by itself. */
  observed = false;

  constructor(task: object | null, entry: number) {
    this.task = task;
    this.entry = entry;
  }
}

export const ENDED = -1;

/** Stands at a position whose task was taken out of the middle of the stack. */
export const HOLE = new Forked(null, ENDED);

/** Handles count forks modulo 2^30, so that they are small integers on every engine. */
export const HANDLE_MASK = 0x3fffffff;

/** Set in the handle of a function task that is published, taken out, or was run while a join waited. */
const NOT_PRIVATE = 1 << 31;

/** `fn` holds function index << 3 | argument count; this count stands for arguments that are in `extra`. */
export const ARGS_IN_EXTRA = 5;

/** Not zero, so that every fork and join outside a pool takes the slow path, which throws. */
const OUTSIDE = new Int32Array([1]);

/** A request word that nobody sets, for threads without a pool. */
export const NOBODY_ASKS = new Int32Array(1);

export const local = {
  /** Height of the stack. */
  sp: 0,
  /** Where the running body's own forks begin. */
  base: 0,
  /** Everything below is no longer private. */
  split: 0,
  /** Where the present invocation's tasks begin: below are those of an invocation that has given way. */
  floor: 0,
  /** Tasks forked by this thread, modulo 2^30: the newest handle. */
  forks: 0,
  /** One word: what other threads ask of this one. If it is not zero, forks and joins take the slow path. */
  requests: OUTSIDE as Int32Array,
  /** Elements of the typed arrays. */
  capacity: MIN_STACK_ELEMENTS,
  stack: new Array(MIN_STACK_ELEMENTS).fill(null) as (object | null)[],
  fn: new Int32Array(MIN_STACK_ELEMENTS),
  handles: new Int32Array(MIN_STACK_ELEMENTS).fill(-1),
  // Arguments that are numbers. null makes V8 keep tagged values, as calls take them (Float64Arrays take 6 ns a call more).
  a0: new Array(MIN_STACK_ELEMENTS).fill(null) as unknown[],
  a1: new Array(MIN_STACK_ELEMENTS).fill(null) as unknown[],
  a2: new Array(MIN_STACK_ELEMENTS).fill(null) as unknown[],
  a3: new Array(MIN_STACK_ELEMENTS).fill(null) as unknown[],
  extra: [] as (unknown[] | undefined)[],
};

/** A longer stack is not renewed, because copying it would cost what it saves. */
const MAX_RENEWED_ELEMENTS = 8192;

/**
 * Replaces the stack by a young copy. V8 records every pointer from an old object to a young one, which takes 4 ns a fork: a stack
 * that has survived two collections is old, and the tasks that are stored into it are young.
 */
export function renewStack(): void {
  if (local.stack.length <= MAX_RENEWED_ELEMENTS) local.stack = local.stack.slice();
}

renewStack(); // once here: V8 takes a field that never changes for a constant, and the 65,536th fork would cost a deoptimisation

/** Doubles the arrays until position `sp` exists. */
export function growStack(): void {
  let n = local.capacity;
  while (n <= local.sp) n *= 2;
  while (local.stack.length < n) local.stack.push(null);
  for (const column of [local.a0, local.a1, local.a2, local.a3]) while (column.length < n) column.push(null);
  const { fn, handles } = local;
  local.fn = new Int32Array(n);
  local.fn.set(fn);
  local.handles = new Int32Array(n).fill(-1);
  local.handles.set(handles);
  local.capacity = n;
}

/** Replaces the task at position `k`, which is no longer private, by what is known of it. */
export function putForked(k: number, forked: Forked): void {
  if (forked.task === null) local.handles[k] |= NOT_PRIVATE;
  local.stack[k] = forked;
}

/** Takes position `i` out of the stack, and with it the holes that are then on top of the frame. */
export function removeAt(i: number): void {
  const { stack, base } = local;
  stack[i] = HOLE;
  if (i < local.extra.length) local.extra[i] = undefined;
  if (local.handles[i] >= 0) local.handles[i] |= NOT_PRIVATE; // kept: handles are found by binary search
  let sp = local.sp;
  while (sp > base && stack[sp - 1] === HOLE) {
    stack[--sp] = null;
    local.handles[sp] = -1;
  }
  local.sp = sp;
  if (local.split > sp) local.split = sp;
}

/** This thread runs no task from now on: forks and joins throw. */
export function leaveStack(): void {
  local.requests = OUTSIDE;
}

export const hasLeftStack = (): boolean => local.requests === OUTSIDE;
