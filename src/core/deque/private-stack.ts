/**
 * The private stack: what this thread has forked and no other thread knows; one per realm.
 *
 * ```
 *   0 .. split-1   no longer private: published (a Forked), taken out (HOLE), or of an older frame
 *   split .. sp-1  private: a task object, or null for a function task, whose handle and arguments are in `calls`
 *   base .. sp-1   forked by the body that runs now (its frame)
 * ```
 *
 * A fork writes here and nowhere else. Each position has one `Call`, made once, so that a function task costs no object. All state is
 * on one constant object, because V8 knows then that its fields are small integers (fib(32) takes 33.4 ms, and 36.6 with module
 * variables). A `Call` holds the handle of its function task, with the sign bit set once the task is no longer private. All
 * other positions hold -1 there. Positions above `sp` hold null in `stack`.
 */
import { REQUEST_CANCEL } from '../memory/layout.js';
import { MIN_CALLS, MIN_STACK_ELEMENTS } from '../tuning.js';

/** A forked task that is no longer private: it was published, could not be encoded, or was run while a join waited. */
export class Forked {
  /** The task object, or null for a function task. */
  readonly task: object | null;
  /** Entry of its record while it is published, else `ENDED`. */
  entry: number;
  /** Its outcome, once `entry` is `ENDED`. */
  failed = false;
  value: unknown = undefined;
  /** Set once the program has asked how the task ended: then a failure no longer surfaces by itself. */
  observed = false;
  /** Its cost, if this thread is observed. */
  account: object | undefined = undefined;

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

type CalledFunction = (...args: unknown[]) => unknown;

/**
 * A call of a function with four arguments: a shorter call is filled up with undefined, and `spread` makes any other (function-task.ts).
 * The fields of one object take fewer checks than the elements of arrays: fib with four numbers takes 13 ns a pair instead of 27.
 */
export class PrivateCall {
  handle: number;
  fn: CalledFunction;
  a: unknown;
  b: unknown;
  c: unknown;
  d: unknown;

  constructor() {
    this.handle = -1;
    this.fn = unused;
    this.a = null;
    this.b = null;
    this.c = null;
    this.d = null;
  }
}

const unused: CalledFunction = () => undefined;

/** Not zero, so that every fork and join outside a pool takes the slow path, which throws. */
const OUTSIDE = new Int32Array([1]);

/** A request word that nobody sets, for threads without a pool. */
export const NOBODY_ASKS = new Int32Array(1);

/** The request word of a thread without a pool whose work may have to end: nobody can tell it, so every fork and checkpoint looks. */
export const LOOKS_ITSELF = new Int32Array([REQUEST_CANCEL]);

/** The stack of this thread. */
export const local = {
  /** Height of the stack. */
  sp: 0,
  /** Position at which the running body's own forks begin. */
  base: 0,
  /** Everything below is no longer private. */
  split: 0,
  /** Position at which the present invocation's tasks begin: below are those of an invocation that has given way. */
  floor: 0,
  /** Tasks forked by this thread, modulo 2^30: the newest handle. */
  forks: 0,
  /** One word: what other threads ask of this one. If it is not zero, forks and joins take the slow path. */
  requests: OUTSIDE as Int32Array,
  stack: new Array(MIN_STACK_ELEMENTS).fill(null) as (object | null)[],
  /** Of the positions from 0; there may be fewer than positions. */
  calls: [] as PrivateCall[],
};
for (let i = Math.min(MIN_CALLS, MIN_STACK_ELEMENTS); i > 0; i--) local.calls.push(new PrivateCall());

/** V8 notes what fields have held: so that no code that it has compiled meets something new. */
for (const value of [0, 0.5, null, '', undefined])
  clear(Object.assign(local.calls[0], { a: value, b: value, c: value, d: value }));
for (const fn of [growStack, PrivateCall, unused] as unknown as CalledFunction[]) local.calls[0].fn = fn;

/** Forgets the arguments, which may be garbage now. */
export function clear(call: PrivateCall): void {
  call.a = call.b = call.c = call.d = 0;
}

/** The handle at a position, -1 for what is no function task. */
export const handleAt = (k: number): number => (k < local.calls.length ? local.calls[k].handle : -1);

/** Position `k` holds no function task any more. */
export function noHandle(k: number): void {
  if (k < local.calls.length) local.calls[k].handle = -1;
}

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

/** Doubles the calls until position `sp` has one. */
export function growStack(): void {
  let n = local.calls.length;
  while (n <= local.sp) n *= 2;
  while (local.stack.length < n) local.stack.push(null);
  while (local.calls.length < n) local.calls.push(new PrivateCall());
}

/** Replaces the task at position `k`, which is no longer private, by what is known of it. */
export function putForked(k: number, forked: Forked): void {
  if (forked.task === null) local.calls[k].handle |= NOT_PRIVATE;
  local.stack[k] = forked;
}

/** Takes position `i` out of the stack, and with it the holes that are then on top of the frame. */
export function removeAt(i: number): void {
  const { stack, base } = local;
  stack[i] = HOLE;
  if (handleAt(i) !== -1) {
    const call = local.calls[i];
    clear(call);
    call.handle |= NOT_PRIVATE; // kept: handles are found by binary search
  }
  let sp = local.sp;
  while (sp > base && stack[sp - 1] === HOLE) {
    stack[--sp] = null;
    noHandle(sp);
  }
  local.sp = sp;
  if (local.split > sp) local.split = sp;
}

/** This thread runs no task from now on: forks and joins throw. */
export function leaveStack(): void {
  local.requests = OUTSIDE;
}

export const hasLeftStack = (): boolean => local.requests === OUTSIDE;
