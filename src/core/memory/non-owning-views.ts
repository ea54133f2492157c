/**
 * Non-owning views: views of bytes on the shared heap that somebody else keeps alive; runs on every thread.
 *
 * A view that a user may keep has a reference to its block until the view is collected. Such a reference takes the lock, an entry in a
 * finalization registry, and ballast, which made every thread collect garbage at every other call. The library's own loops need no
 * references, because a call keeps its arrays alive until nothing of the call runs any more. Non-owning views lie on the memory's own
 * buffer, which tells them from all other views, and they cross to other threads as places alone. Users never get one.
 */

import type { Arena } from './arena.js';
import { describe, isHeap, isNonOwning } from './array-views.js';
import {
  bytesOfType,
  constructorOfType,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
  typeOfView,
} from './element-types.js';
import { currentHeap, heapAvailable } from './heap.js';

export { isNonOwning } from './array-views.js';

/** A view of elements of the heap, by the number of their type and their offset (bytes). */
export function nonOwningView(type: number, byteOffset: number, length: number): TypedArray {
  const heap = currentHeap();
  heap.reach(byteOffset + length * bytesOfType(type));
  return new (constructorOfType(type) as TypedArrayConstructor)(heap.memory.buffer, byteOffset, length);
}

/**
 * A view of a user's array for the library's own loops; the array itself if it is not on the heap. The caller keeps the array alive
 * meanwhile, and `free` waits for the invocations in flight.
 *
 * @throws TypeError for an array that was freed
 */
export function nonOwning<T extends TypedArray>(xs: T): T {
  if (!isHeap(xs)) return xs;
  describe(xs); // checks that it lives, and notes that other threads know of it
  return nonOwningView(typeOfView(xs), xs.byteOffset, xs.length) as T;
}

/**
 * An array of n elements of any values, for the library's own buffers, which are written before they are read. Its maker frees it.
 *
 * @param arena the owner of the bytes: the worker group's arena if its threads share the array
 * @throws RangeError when the heap is full
 */
export function scratchArray<T extends TypedArray>(type: TypedArrayConstructor<T>, n: number, arena: Arena): T {
  if (!heapAvailable()) return new type(new ArrayBuffer(n * type.BYTES_PER_ELEMENT), 0, n);
  const elementType = typeOfConstructor(type);
  const byteOffset = arena.allocate(n * bytesOfType(elementType));
  return nonOwningView(elementType, byteOffset, n) as T;
}

/** Frees a scratch array of that arena. */
export function freeScratch(xs: TypedArray, arena: Arena): void {
  if (isNonOwning(xs)) arena.free(xs.byteOffset);
}
