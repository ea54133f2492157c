/**
 * The process-wide shared heap, as the rest of the library sees it; runs on every thread.
 *
 * The heap is made at its first use, never at import. The realm that makes it gives it to the threads that it starts (`SharedHeap.handle`), which
 * adopt it before anything else (`adoptHeap`). So a typed array crosses threads as an offset, and TypeScript and WebAssembly kernels use
 * the same bytes. README.md has the protocol and its reasons.
 */

import { ArrayHeap } from './array-blocks.js';
import { type HeapHandle, heapAvailable } from './heap-memory.js';
import { type PlainMemory, plainMemory } from './plain-memory.js';

export { isHeapFull } from './shared-heap.js';
export { type HeapHandle, heapAvailable };

let current: ArrayHeap | undefined;

/** Returns true if this realm has a heap by now. */
export const hasHeap = (): boolean => current !== undefined;

/** This realm's heap, made now if there is none. */
export function currentHeap(): ArrayHeap {
  current ??= ArrayHeap.create();
  return current;
}

/** Makes the heap of the realm that started this thread this realm's, too. Adopting the same memory twice does nothing. */
export function adoptHeap(handle: HeapHandle): void {
  const adopted = ArrayHeap.adopt(handle);
  current ??= adopted;
  if (!sameHeap(adopted.root)) {
    throw new Error(
      'furcate: this realm has made a shared heap of its own before it could adopt one; adopt before first use.',
    );
  }
}

/** The memory of the shared heap for WebAssembly modules; undefined where this realm has none, or one that they cannot use. */
export const kernelMemory = (): WebAssembly.Memory | undefined =>
  heapAvailable() ? currentHeap().memory.memory : undefined;

/**
 * Allocates bytes of any values for the library's own use.
 * @param tag an integer >= 0 to free by, such as the number of a pool
 * @param purpose what an error calls them
 * @returns the byte offset in the heap, 16-byte aligned
 * @throws RangeError when the heap is full, with what was asked, what is in use and the limit
 */
export const allocBytes = (bytes: number, tag: number, purpose?: string): number =>
  currentHeap().allocBytes(bytes, tag, purpose);

/** Frees what `allocBytes` gave, from any thread. A wrong offset or a second free is a `RangeError`. */
export const freeBytes = (byteOffset: number): void => currentHeap().freeBytes(byteOffset);

/** Frees every block of this tag; returns how many. It walks the heap, so it is for crashes and for closing pools. */
export const freeTagged = (tag: number): number => currentHeap().freeTagged(tag);

/** A view of bytes that some thread has allocated, or this thread in its own arena. It does not keep them alive. */
export const bytesAt = (byteOffset: number, length: number): Uint8Array =>
  (current ?? ownMemory()).bytesAt(byteOffset >>> 0, length);

/** Memory on which this thread's own arena lies. */
const ownMemory = (): ArrayHeap | PlainMemory => (heapAvailable() ? currentHeap() : plainMemory);

/** For this thread's own arena (arena.ts). */
export function allocateOwn(bytes: number): number {
  return heapAvailable() ? currentHeap().allocateScratch(bytes) : plainMemory.allocBytes(bytes);
}

export const freeOwn = (byteOffset: number): void => ownMemory().freeBytes(byteOffset);

/** Present state of the heap, in figures. */
export const heapStats = (): ReturnType<ArrayHeap['stats']> => currentHeap().stats();

/**
 * Defers frees while an invocation is in flight: a block that is freed, or that a worker drops, waits until every deferral
 * that began earlier has ended. To be called before the first record is published.
 * @returns ends the deferral, once the result is decoded; further calls do nothing
 */
export function deferFrees(): () => void {
  const heap = currentHeap();
  const epoch = heap.beginDeferral();
  let isOver = false;
  return () => {
    if (!isOver) heap.endDeferral(epoch);
    isOver = true;
  };
}

/** Number of things this realm has abandoned that go on. */
let abandoned = 0;

/**
 * Something was abandoned that goes on in this realm. Until the function that is returned is called, the arrays to which this realm has
 * references keep their bytes, even if they are freed, because it may write to them.
 */
export function keepArrays(): () => void {
  if (!hasHeap()) return () => {};
  abandoned++;
  currentHeap().beginKeeping(); // at each: what was made since the last may be named, too
  let isOver = false;
  return () => {
    if (!isOver && --abandoned === 0) currentHeap().endKeeping();
    isOver = true;
  };
}

/** Checks whether these words, in whatever buffer object, are the start of this realm's heap. */
export const sameHeap = (start: Int32Array): boolean => current?.hasIdentityOf(start) ?? false;
