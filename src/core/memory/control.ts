/**
 * The control memory of a worker group as one thread sees it: its words, the same bytes as doubles, the layout, and the worker group's
 * byte blocks on the shared heap.
 */
import type { Arena } from './arena.js';
import { load } from './atomics.js';
import { allocBytes, freeBytes, freeTagged } from './heap.js';
import { C_LAST_WORKER, C_PHASE, C_SPARES, type Layout, PHASE_CRASHED, rootsSlot, slotOfWord } from './layout.js';

/** More than a worker group has. */
const MOST_SLOTS = 2 ** 12;

export class ControlMemory implements Arena {
  readonly buffer: SharedArrayBuffer;
  readonly layout: Layout;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  /** Tag of the worker group's byte blocks on the shared heap, so that all of them can be freed when it is gone. */
  readonly tag: number;
  /** True once the worker group is gone, so that records name no blocks any more. */
  isReleased = false;

  constructor(buffer: SharedArrayBuffer, layout: Layout, tag: number) {
    this.buffer = buffer;
    this.layout = layout;
    this.tag = tag;
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }

  /** Slots in use, from 0 up: of the caller, the workers, the roots, and of the spares that have a thread. */
  get slots(): number {
    return rootsSlot(this.layout) + 1 + load(this.words, C_SPARES);
  }

  /** The slot of the last worker that may take tasks: of all of them but for a profile that sees what tasks cost on fewer. */
  get lastWorker(): number {
    return load(this.words, C_LAST_WORKER) || this.layout.parallelism;
  }

  /** True once a worker of the group has died. Then nothing new starts, and every wait ends with an error. */
  get hasCrashed(): boolean {
    return load(this.words, C_PHASE) === PHASE_CRASHED;
  }

  allocate(bytes: number): number {
    return allocBytes(bytes, this.tag, 'memory for tasks');
  }

  /**
   * Frees a block; does nothing once the worker group has crashed or is gone. In a crashed worker group a frame may end while tasks that
   * it forked still run and may write to the block. `release` frees the block when they cannot any more.
   */
  free(byteOffset: number): void {
    if (this.isReleased || this.hasCrashed) return;
    freeBytes(byteOffset);
  }

  /**
   * Frees all blocks of the worker group. Its owner calls this once no worker can run any more.
   *
   * @param mayBeWritten whether a worker runs on that nothing can end: then the blocks are never used again
   */
  release({ mayBeWritten = false } = {}): void {
    this.isReleased = true;
    if (!mayBeWritten) freeTagged(this.tag);
  }

  /** Names a slot of this worker group: slots of others, which may come after it in a pool, have other addresses. */
  addressOf(slot: number): number {
    return this.tag * MOST_SLOTS + slot;
  }

  /** The slot that an address names; 0 if it is one of another worker group. The number of a slot is an address in whatever group. */
  slotAt(address: number): number {
    return address < MOST_SLOTS || Math.floor(address / MOST_SLOTS) === this.tag ? address % MOST_SLOTS : 0;
  }

  slotOf(record: number): number {
    return slotOfWord(this.layout, record);
  }
}
