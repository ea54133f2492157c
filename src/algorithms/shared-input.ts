/**
 * Input arrays that workers can see: shared ones as they are, others through a snapshot; runs on the calling thread.
 */
import { bytesOfType, constructorOfType, type TypedArray, typeOfView } from '../core/memory/element-types.js';
import { free, isShared, scratchArray, sharedArray } from '../core/memory/shared-array.js';
import { isDetached } from './options.js';
import { COPY_NS_PER_BYTE, WORTH_COPIES } from './tuning.js';

export { isShared };

/** A view of the same elements of the plain class of its type: a `Buffer` or another subclass would slow down loops. */
export function plainView<T extends TypedArray>(xs: T): T {
  const Type = constructorOfType(typeOfView(xs)) as unknown as new (b: ArrayBufferLike, o: number, n: number) => T;
  return Object.getPrototypeOf(xs) === Type.prototype ? xs : new Type(xs.buffer, xs.byteOffset, xs.length);
}

type Constructor = Parameters<typeof scratchArray>[0];

const typeOf = (xs: TypedArray): Constructor => constructorOfType(typeOfView(xs)) as unknown as Constructor;

/** The shared memory of one call, freed together: also when the heap is full half-way. */
export class CallMemory {
  readonly #held: TypedArray[] = [];

  /** An array of the type and length of `xs`, of any values. */
  like<T extends TypedArray>(xs: T): T {
    return this.#hold(scratchArray(typeOf(xs), xs.length) as T);
  }

  /** A copy of `xs`. */
  copy<T extends TypedArray>(xs: T): T {
    return this.#hold(sharedArray(typeOf(xs), plainView(xs) as unknown as ArrayLike<never>) as T);
  }

  /** Words for what the tasks of a call tell each other, zero-filled. */
  words(length: number): Uint32Array {
    return this.#hold(sharedArray(Uint32Array, length));
  }

  release(): void {
    for (const xs of this.#held.splice(0)) free(xs);
  }

  #hold<T extends TypedArray>(xs: T): T {
    this.#held.push(xs);
    return xs;
  }
}

/** Whether a cost an element is worth copying arrays of that type so many times. */
export function worthCopying(xs: TypedArray, nsPerElement: number, copies: number): boolean {
  return nsPerElement >= WORTH_COPIES * copies * COPY_NS_PER_BYTE * bytesOfType(typeOfView(xs));
}

/** An input array as workers see it. */
export class SharedInput<T extends TypedArray> {
  /** The elements in shared memory. */
  readonly view: T;
  readonly #original: T;

  /** Takes the snapshot, if there has to be one. */
  constructor(xs: T, memory: CallMemory) {
    this.#original = xs;
    this.view = isShared(xs) ? plainView(xs) : memory.copy(xs);
  }

  /** Writes a snapshot back to the array it was taken of. */
  writeBack(name: string, argument: string): void {
    if (this.view.buffer === this.#original.buffer) return;
    if (this.view.length !== 0 && isDetached(this.#original)) {
      throw new TypeError(
        `furcate: ${name}: ${argument} was transferred away while the call ran, so its result cannot be written back. Wait for the promise first, or use a shared array.`,
      );
    }
    (this.#original as Float64Array).set(this.view as Float64Array);
  }
}
