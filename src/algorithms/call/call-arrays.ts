/**
 * The arrays of one call, as the caller's own loops use them or as workers see them; runs on the calling thread.
 *
 * An algorithm names its arrays by what it does with them, and gets views. On the caller those are the arrays themselves;
 * for a pool, arrays that are not shared are copied into shared memory, and written back when all has gone well. A call
 * that moves from the caller to a pool asks again, in the same order, and what was written so far comes along.
 */
import type { Arena } from '../../core/memory/arena.js';
import { constructorOfType, type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { holdFrees } from '../../core/memory/heap.js';
import {
  borrow,
  free,
  freeScratch,
  isShared,
  scratchArray,
  shrunk,
  unfilledArray,
} from '../../core/memory/shared-array.js';
import { isComputing } from '../../core/worker/scheduler.js';
import { arenaOfThread } from '../../core/worker/seat.js';
import { beginCallerMemory, callerMemory, endCallerMemory } from './caller-memory.js';
import { isDetached } from './options.js';

/** A constructor of this realm. */
export type ArrayType<T extends TypedArray = TypedArray> = Parameters<typeof scratchArray<T>>[0] &
  (new (
    length: number,
  ) => T);

/** The constructor of an array's elements' type: not of a subclass, such as `Buffer`. */
export const typeOf = <T extends TypedArray>(xs: T): ArrayType<T> =>
  constructorOfType(typeOfView(xs)) as unknown as ArrayType<T>;

/** A view of the same elements of the plain class of its type: a `Buffer` or another subclass would slow down loops. */
export function plainView<T extends TypedArray>(xs: T): T {
  const Type = typeOf(xs);
  return Object.getPrototypeOf(xs) === Type.prototype ? xs : new Type(xs.buffer, xs.byteOffset, xs.length);
}

/** Where an algorithm's results go. */
export interface Output<T extends TypedArray> {
  /** The user's own array (`options.into`), if one was given. */
  readonly into: T | undefined;
  /** Otherwise: its type, and whether it is to be shared, as the input is. */
  readonly type: ArrayType<T>;
  readonly shared: boolean;
  readonly length: number;
  /** Whether `length` is only the most that it may be: `delivered` says what it is. */
  readonly mayBeShorter?: boolean;
  /** What its elements are at first; any values if it does not say. */
  readonly initially?: number;
}

export interface CallArrays {
  /** An array that is read. */
  input<T extends TypedArray>(xs: T): T;
  /** An array that is changed in place; `argument` is its name in errors. */
  inout<T extends TypedArray>(xs: T, argument: string): T;
  /** An array for results. */
  output<T extends TypedArray>(wanted: Output<T>): T;
  /**
   * An array of the call's own, of any values unless it says which. On the caller it is an ordinary one, unless `onHeap`: for
   * kernels.
   */
  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number, onHeap?: boolean): T;
  /** Whether one thread runs all units, from left to right. */
  readonly inOrder: boolean;
  /** What the user gets for an output, or for its first `length` elements. */
  delivered<T extends TypedArray>(output: T, length?: number): T;
}

const empties = new Map<unknown, TypedArray>();

/** Where nothing is wanted: a new array takes longer than ten elements of most loops. */
function emptyOf<T extends TypedArray>(type: ArrayType<T>): T {
  let empty = empties.get(type) as T | undefined;
  if (empty === undefined) {
    empty = new type(0);
    empties.set(type, empty);
  }
  return empty;
}

/** For loops on the caller. */
export class LocalArrays implements CallArrays {
  readonly inOrder = true;
  /** What a pool that takes over has to know of, in the order in which it was asked for. */
  readonly written: TypedArray[] = [];
  readonly #shared: TypedArray[] = [];
  readonly #scratch: TypedArray[] = [];
  readonly #begunMemory = beginCallerMemory();
  /** Outputs whose elements are copied when it is known how many there are. */
  readonly #drafts: TypedArray[] = [];
  readonly #draftsFor: Output<TypedArray>[] = [];

  input<T extends TypedArray>(xs: T): T {
    return plainView(xs);
  }

  inout<T extends TypedArray>(xs: T): T {
    return this.#note(plainView(xs));
  }

  output<T extends TypedArray>(wanted: Output<T>): T {
    const { into, type, shared, length, initially } = wanted;
    if (into !== undefined) return this.#note(plainView(into));
    const draft = wanted.mayBeShorter === true ? callerMemory(type, length) : undefined;
    if (draft !== undefined) {
      this.#drafts.push(draft);
      this.#draftsFor.push(wanted);
      return this.#note(draft);
    }
    const made = this.#note(shared ? unfilledArray(type, length) : new type(length));
    if (shared) this.#shared.push(made);
    if (initially !== undefined && (shared || initially !== 0)) (made as Float64Array).fill(initially);
    return made;
  }

  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number, onHeap = false): T {
    if (length === 0) return this.#note(emptyOf(type));
    const xs = onHeap ? scratchArray(type, length, arenaOfThread()) : (callerMemory(type, length) ?? new type(length));
    if (onHeap) this.#scratch.push(xs);
    if (initially !== undefined) (xs as Float64Array).fill(initially);
    return this.#note(xs);
  }

  delivered<T extends TypedArray>(output: T, length = output.length): T {
    const draft = this.#drafts.indexOf(output);
    if (draft < 0) return cut(output, length);
    const { type, shared } = this.#draftsFor[draft] as Output<T>;
    if (!shared) return output.slice(0, length) as T;
    const made = unfilledArray(type, length);
    (made as Float64Array).set(output.subarray(0, length) as Float64Array);
    return made;
  }

  /** Frees results that nobody will get. */
  discard(): void {
    for (const xs of this.#shared) free(xs);
  }

  /** Frees all but the results. */
  release(): void {
    endCallerMemory(this.#begunMemory);
    if (this.#scratch.length > 0) for (const xs of this.#scratch.splice(0)) freeScratch(xs, arenaOfThread());
  }

  #note<T extends TypedArray>(xs: T): T {
    this.written.push(xs);
    return xs;
  }
}

/** For workers: everything in shared memory. */
export class SharedArrays implements CallArrays {
  readonly inOrder = false;
  readonly #name: string;
  readonly #begun: readonly TypedArray[];
  readonly #arena: Arena = arenaOfThread();
  #asked = 0;
  readonly #scratch: TypedArray[] = [];
  /** The user's arrays that are in use: nobody else may hold them. */
  readonly #lent: TypedArray[] = [];
  /** Ends what makes `free` of them wait. */
  #endHold: (() => void) | undefined;
  readonly #copies: { readonly view: TypedArray; readonly original: TypedArray; readonly argument: string }[] = [];
  readonly #outputs = new Map<TypedArray, { readonly wanted: Output<TypedArray>; readonly made: TypedArray }>();

  /**
   * @param name of the algorithm, for errors
   * @param begun what the caller has worked on so far
   */
  constructor(name: string, begun: readonly TypedArray[] = []) {
    this.#name = name;
    this.#begun = begun;
  }

  input<T extends TypedArray>(xs: T): T {
    return isShared(xs) ? this.#borrow(xs) : this.#copyOf(xs);
  }

  inout<T extends TypedArray>(xs: T, argument: string): T {
    this.#asked++;
    if (isShared(xs)) return this.#borrow(xs);
    const view = this.#copyOf(xs);
    this.#copies.push({ view, original: xs, argument });
    return view;
  }

  output<T extends TypedArray>(wanted: Output<T>): T {
    const { into, type, shared, length, initially } = wanted;
    if (into !== undefined && isShared(into)) {
      this.#asked++;
      return this.#borrow(into);
    }
    const isResult = into === undefined && shared;
    const made = isResult
      ? unfilledArray(type, length)
      : into === undefined
        ? this.#make(type, length)
        : this.#make(typeOf(into), into.length);
    const view = isResult ? borrow(made) : made;
    if (initially !== undefined) (view as Float64Array).fill(initially);
    this.#outputs.set(view, { wanted, made });
    if (into !== undefined) this.#copies.push({ view, original: into, argument: 'options.into' });
    return this.#goOn(view);
  }

  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number): T {
    const xs = this.#make(type, length);
    if (initially !== undefined) (xs as Float64Array).fill(initially);
    return this.#goOn(xs);
  }

  /** Writes snapshots back to the arrays that they were taken of. */
  writeBack(): void {
    for (const { view, original, argument } of this.#copies) {
      if (view.length !== 0 && isDetached(original)) {
        throw new TypeError(
          `furcate: ${this.#name}: ${argument} was transferred away while the call ran, so its result cannot be written back. Wait for the promise first, or use a shared array.`,
        );
      }
      (original as Float64Array).set(view as Float64Array);
    }
  }

  delivered<T extends TypedArray>(output: T, length = output.length): T {
    const known = this.#outputs.get(output);
    if (known === undefined) return cut(output, length);
    const { wanted, made } = known;
    if (wanted.into !== undefined) return wanted.into as T;
    if (wanted.shared) return cut(made as T, length);
    const own = new (wanted.type as ArrayType<T>)(length);
    (own as Float64Array).set(output.subarray(0, length) as Float64Array);
    return own;
  }

  /** Frees results that nobody will get. */
  discard(): void {
    for (const { wanted, made } of this.#outputs.values()) if (wanted.into === undefined && wanted.shared) free(made);
  }

  /** Frees all but the results, and lets go of what was lent. */
  release(): void {
    for (const xs of this.#scratch.splice(0)) freeScratch(xs, this.#arena);
    this.#lent.length = 0;
    this.#endHold?.();
    this.#endHold = undefined;
  }

  /** Takes over what the caller has written into an array, which may be the beginning only. */
  #goOn<T extends TypedArray>(xs: T): T {
    const begun = this.#begun[this.#asked++] as Float64Array | undefined;
    if (begun !== undefined) (xs as unknown as Float64Array).set(begun);
    return xs;
  }

  /** Inside a task the invocation holds frees back; its thread may die, and would never end a hold of its own. */
  #borrow<T extends TypedArray>(xs: T): T {
    const view = borrow(plainView(xs));
    this.#lent.push(xs);
    if (!isComputing()) this.#endHold ??= holdFrees(); // longer than the invocation: a failed sort mends the array after it
    return view;
  }

  #make<T extends TypedArray>(type: ArrayType<T>, length: number): T {
    const xs = scratchArray(type, length, this.#arena);
    this.#scratch.push(xs);
    return xs;
  }

  #copyOf<T extends TypedArray>(xs: T): T {
    const copy = this.#make(typeOf(xs), xs.length);
    (copy as unknown as Float64Array).set(plainView(xs) as unknown as Float64Array);
    return copy;
  }
}

/** The first elements of an output, in an array of just that length: what is shared need not be copied for it. */
function cut<T extends TypedArray>(output: T, length: number): T {
  if (length === output.length) return output;
  return isShared(output) ? shrunk(output, length) : (output.slice(0, length) as T);
}
