/**
 * The arrays of a call whose loops run on the calling thread: the user's own, and what the thread keeps for itself.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { free, freeScratch, scratchArray, unfilledArray } from '../../core/memory/shared-array.js';
import { arenaOfThread } from '../../core/worker/worker-slot.js';
import { type ArrayType, type CallArrays, firstOf, type Output, plainView } from './call-arrays.js';
import { beginCallerMemory, callerMemory, endCallerMemory } from './caller-memory.js';

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
  readonly #preparedMemory = beginCallerMemory();
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
    if (draft < 0) return firstOf(output, length);
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
    endCallerMemory(this.#preparedMemory);
    if (this.#scratch.length > 0) for (const xs of this.#scratch.splice(0)) freeScratch(xs, arenaOfThread());
  }

  #note<T extends TypedArray>(xs: T): T {
    this.written.push(xs);
    return xs;
  }
}
