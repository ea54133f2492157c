/** The memory of a code table: the shared heap, or memory of one thread; runs on every thread. */
import { ROOT_CODE_TABLE } from '../memory/heap-layout.js';
import { PlainMemory } from '../memory/plain-memory.js';
import type { SharedHeap } from '../memory/shared-heap.js';

/** Part of the heap that a table needs. Its root word in `root` is 0 at first. Blocks' offsets are multiples of 4, not 0. */
export type TableStorage = Pick<SharedHeap, 'root' | 'allocBytes' | 'freeBytes' | 'bytesAt'>;

/** Memory of one thread, for environments without shared memory and for tests. */
export class PlainStorage extends PlainMemory implements TableStorage {
  readonly root = new Int32Array(ROOT_CODE_TABLE + 1);
}
