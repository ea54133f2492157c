/** The arrays of a call whose loops run on the calling thread: the user's own, and memory that the thread keeps. */
import type { TypedArray } from '../../core/memory/element-types.js';
import { free, freeScratch, scratchArray, unfilledArray } from '../../core/memory/shared-array.js';
import { arenaOfThread } from '../../core/worker/worker-slot.js';
import { type ArrayType, type CallArrays, firstOf, type Output, plainView } from './call-arrays.js';
import { beginCallerMemory, callerMemory, endCallerMemory } from './caller-memory.js';

export class LocalArrays implements CallArrays {
  readonly inOrder = true;
  /** What a pool that takes over has to copy, in the order in which it was asked for. */
  readonly written: TypedArray[] = [];
  readonly #shared: TypedArray[] = [];
  readonly #scratch: TypedArray[] = [];
  readonly #memoryBefore = beginCallerMemory();
  /** Outputs in the caller's memory, which are copied when it is known how many elements they have. */
  readonly #drafts: { readonly draft: TypedArray; readonly wanted: Output<TypedArray> }[] = [];

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
      this.#drafts.push({ draft, wanted });
      return this.#note(draft);
    }
    const made = this.#note(shared ? unfilledArray(type, length) : new type(length));
    if (shared) this.#shared.push(made);
    if (initially !== undefined && (shared || initially !== 0)) (made as Float64Array).fill(initially);
    return made;
  }

  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number, onHeap = false): T {
    const isOnHeap = onHeap && length > 0;
    const xs = isOnHeap
      ? scratchArray(type, length, arenaOfThread())
      : (callerMemory(type, length) ?? new type(length));
    if (isOnHeap) this.#scratch.push(xs);
    if (initially !== undefined) (xs as Float64Array).fill(initially);
    return this.#note(xs);
  }

  delivered<T extends TypedArray>(output: T, length = output.length): T {
    if (this.#drafts.length === 0) return firstOf(output, length);
    const wanted = this.#drafts.find(({ draft }) => draft === output)?.wanted as Output<T> | undefined;
    if (wanted === undefined) return firstOf(output, length);
    if (!wanted.shared) return output.slice(0, length) as T;
    const made = unfilledArray(wanted.type, length);
    (made as Float64Array).set(output.subarray(0, length) as Float64Array);
    return made;
  }

  /** Frees results that nobody will get. */
  discard(): void {
    for (const xs of this.#shared) free(xs);
  }

  /** Frees everything but the results. */
  release(): void {
    endCallerMemory(this.#memoryBefore);
    if (this.#scratch.length > 0) for (const xs of this.#scratch.splice(0)) freeScratch(xs, arenaOfThread());
  }

  #note<T extends TypedArray>(xs: T): T {
    this.written.push(xs);
    return xs;
  }
}
