/**
 * Who allocates byte blocks on the shared heap, and frees them; runs on every thread.
 *
 * A block that several threads of a worker group use belongs to the worker group (`ControlMemory`). It must not be freed while a thread of
 * a crashed worker group may still write to it, nor once more when the worker group is gone and all its blocks have been freed. What the
 * owner of a pool makes for its calls belongs to the owner alone, who frees it when the call has settled.
 */
import { currentHeap, freeBytes } from './heap.js';

export interface Arena {
  /**
   * @returns the byte offset of so many bytes of any values, 16-byte aligned
   * @throws RangeError when the heap is full
   */
  allocate(bytes: number): number;
  /** Frees what `allocate` gave, from any thread of the arena's. */
  free(byteOffset: number): void;
}

/** Of this thread alone: repair frees its blocks if the thread dies. */
export const ownArena: Arena = {
  allocate: (bytes) => currentHeap().allocateScratch(bytes),
  free: freeBytes,
};
