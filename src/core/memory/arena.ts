/**
 * Arenas: the owners of byte blocks on the shared heap; runs on every thread.
 *
 * A block that several threads of a worker group use belongs to the worker group (`ControlMemory`). It must not be freed while a thread of
 * a crashed worker group may still write to it, and not a second time after the worker group has freed all its blocks. Blocks that the
 * owner of a pool makes for its calls belong to the owner alone, which frees them when the call has finished.
 */
import { allocateOwn, freeOwn } from './heap.js';

export interface Arena {
  /** Tells its blocks from those of other arenas. That of a worker group ends with the group, and no later group has its tag. */
  readonly tag: number;
  /**
   * @returns the byte offset of so many bytes of any values, 16-byte aligned
   * @throws RangeError when the heap is full
   */
  allocate(bytes: number): number;
  /** Frees what `allocate` gave, from any thread of the arena's. */
  free(byteOffset: number): void;
}

/** The arena of this thread alone. Repair frees its blocks if the thread dies. */
export const ownArena: Arena = {
  tag: -1,
  allocate: allocateOwn,
  free: freeOwn,
};
