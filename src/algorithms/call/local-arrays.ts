/**
 * The arrays of a call whose loops run on the calling thread: the user's own, and pieces of a buffer that the thread keeps.
 *
 * A new typed array of more than 64 bytes takes V8 0.2 to 0.5 us and a share of a collection, and a smaller one as much once its
 * buffer is asked for. A view of a buffer that exists takes 0.02 us.
 */

import { arenaOfThread, free, freeScratch, scratchArray, unfilledArray } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { BufferCache } from '../schedule/buffer-cache.js';
import { CALLER_MEMORY_BYTES } from '../tuning.js';
import { type ArrayType, type CallArrays, firstOf, type Output, plainView } from './call-arrays.js';

/** Arrays of every element type may begin at multiples of it (bytes). */
const ALIGNMENT = 8;

const buffers = new BufferCache(() => new ArrayBuffer(CALLER_MEMORY_BYTES));

export class LocalArrays implements CallArrays {
  readonly inOrder = true;
  /** Arrays that a pool that takes over has to copy, in the order in which they were asked for. */
  readonly written: TypedArray[] = [];
  readonly #shared: TypedArray[] = [];
  readonly #scratch: TypedArray[] = [];
  #buffer: ArrayBuffer | undefined;
  #usedBytes = 0;
  /** Outputs in the kept buffer, which are copied when it is known how many elements they have. */
  readonly #drafts: { readonly draft: TypedArray; readonly wanted: Output<TypedArray> }[] = [];

  input<T extends TypedArray>(xs: T): T {
    return plainView(xs);
  }

  output<T extends TypedArray>(wanted: Output<T>): T {
    const { into, type, shared, length, initially } = wanted;
    if (into !== undefined) return this.#note(plainView(into));
    const draft = wanted.mayBeShorter === true ? this.#piece(type, length) : undefined;
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
    const xs = isOnHeap ? scratchArray(type, length, arenaOfThread()) : (this.#piece(type, length) ?? new type(length));
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
    if (this.#buffer !== undefined) buffers.give(this.#buffer);
    this.#buffer = undefined;
    if (this.#scratch.length > 0) for (const xs of this.#scratch.splice(0)) freeScratch(xs, arenaOfThread());
  }

  /** A piece of the buffer, with any values; undefined where the buffer has no room for it. */
  #piece<T extends TypedArray>(type: ArrayType<T>, length: number): T | undefined {
    const start = this.#usedBytes;
    const end = start + Math.ceil((length * type.BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT;
    if (end > CALLER_MEMORY_BYTES) return undefined;
    this.#buffer ??= buffers.take();
    this.#usedBytes = end;
    return new type(this.#buffer, start, length);
  }

  #note<T extends TypedArray>(xs: T): T {
    this.written.push(xs);
    return xs;
  }
}
