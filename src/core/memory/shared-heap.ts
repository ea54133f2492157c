/**
 * The shared heap as one realm has it: allocation of byte blocks, growth, threads, repair. Each thread has an object of its own over the
 * same memory; `heap.ts` keeps this realm's.
 *
 * All changes of the heap happen under its lock, in `locked`. A section may be cut off by an exception or by the end of its thread. The
 * chain of blocks is whole then (allocator.ts) and the torn mark set, and the next holder of the lock derives the rest again.
 */

import { probeStep } from '../probe.js';
import { Allocator } from './allocator.js';
import {
  BASE_UNITS,
  H_BYTES,
  H_TAG,
  HEADER_UNITS,
  HEAP_MAGIC,
  MASKED_THREADS,
  NO_BLOCK,
  ROOT_PAGE_BYTES,
  STATE_BYTES,
  THREAD_MASK_WORDS,
  UNIT_BYTES,
  UNIT_WORDS_SHIFT,
  unitsFor,
  W_BLOCKS_IN_USE,
  W_FRESH,
  W_IDENTITY,
  W_LIMIT,
  W_MAGIC,
  W_RESERVED,
  W_THREADS,
  W_TOP,
  W_TORN,
  W_UNITS_IN_USE,
  W_UNMASKED_THREADS,
} from './heap-layout.js';
import { HeapLock } from './heap-lock.js';
import { createHeapMemory, type HeapHandle, HeapMemory, type HeapSizes } from './heap-memory.js';

const MIB = 1024 * 1024;

type HeapClass<H> = new (memory: HeapMemory, thread: number) => H;

/** Called when a heap is full: it may release what is not used any more. */
let reclaim: (heap: SharedHeap, bytes: number) => void = () => {};

export function setReclaim(how: typeof reclaim): void {
  reclaim = how;
}

export class SharedHeap {
  readonly memory: HeapMemory;
  readonly blocks: Allocator;
  readonly lock: HeapLock;
  /** The words of the root page. They stay valid when the heap grows. */
  readonly root: Int32Array;
  /** This realm's thread number, unique among live threads. The creator is thread 0. */
  readonly thread: number;

  constructor(memory: HeapMemory, thread: number) {
    this.memory = memory;
    this.thread = thread;
    this.root = new Int32Array(memory.buffer, 0, ROOT_PAGE_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.blocks = new Allocator(memory);
    this.lock = new HeapLock(this.root, thread);
  }

  /** Makes a heap. Its creator is the realm that starts the other threads. */
  static create<H extends SharedHeap>(this: HeapClass<H>, sizes?: HeapSizes): H {
    const { memory, limitUnits } = createHeapMemory(sizes);
    const heap = new this(memory, 0);
    const root = heap.root;
    root[W_IDENTITY] = Math.floor(Math.random() * 2 ** 32); // plain, all of them: nobody else has the memory yet
    root[W_IDENTITY + 1] = Math.floor(Math.random() * 2 ** 32);
    root[W_LIMIT] = limitUnits;
    root[W_THREADS] = 1;
    root[W_TOP] = BASE_UNITS;
    root[W_FRESH] = BASE_UNITS;
    root[W_RESERVED] = memory.units;
    root[W_MAGIC] = HEAP_MAGIC;
    return heap;
  }

  /** The heap of another thread, for this realm. */
  static adopt<H extends SharedHeap>(this: HeapClass<H>, handle: HeapHandle): H {
    const heap = new this(new HeapMemory(handle.source), handle.thread);
    if (heap.root[W_MAGIC] !== HEAP_MAGIC) throw new TypeError('furcate: handle is not that of a shared heap.');
    return heap;
  }

  /** True if this realm made the heap. */
  get isRoot(): boolean {
    return this.thread === 0;
  }

  /** Checks whether these words, in whatever buffer object, are the start of this heap. */
  hasIdentityOf(start: Int32Array): boolean {
    const { root } = this;
    return (
      start[W_MAGIC] === HEAP_MAGIC &&
      start[W_IDENTITY] === root[W_IDENTITY] &&
      start[W_IDENTITY + 1] === root[W_IDENTITY + 1]
    );
  }

  /**
   * Makes the handle that a new thread needs to take part. Each call reserves a thread number, so each thread needs a
   * handle of its own. `repairAfter(handle.thread)` gives the number back once the thread has ended, however it ended.
   */
  handle(): HeapHandle {
    return { source: this.memory.source, thread: this.locked(() => this.#takeThread()) };
  }

  /**
   * Runs a section under the lock, after a repair if the section before was cut off. Sections must not nest. `release` is called no deeper than `acquire`, so a stack that sufficed to take
   * the lock suffices to give it back.
   */
  locked<T>(section: () => T): T {
    this.lock.acquire();
    probeStep('heap: lock taken');
    let whole = false;
    try {
      if (this.memory.units < this.root[W_RESERVED]) this.memory.refresh(); // another thread has grown it
      if (this.root[W_TORN] !== 0) {
        this.blocks.rebuild();
        this.root[W_TORN] = 0;
      }
      const result = section();
      whole = true;
      return result;
    } finally {
      if (!whole) this.root[W_TORN] = 1; // plain: we hold the lock
      probeStep('heap: lock to release');
      this.lock.release();
    }
  }

  /** The whole heap as words, as far as this realm sees it; growth replaces it. */
  get words(): Int32Array {
    return this.memory.words;
  }

  /** @returns the offset of `bytes` bytes of any values, 16-byte aligned */
  allocBytes(bytes: number, tag: number, caller = 'allocBytes'): number {
    if (!Number.isInteger(bytes) || bytes < 0)
      throw new RangeError(`furcate: bytes is ${bytes}; it must be an integer >= 0.`);
    return (this.allocateBlock(HEADER_UNITS, bytes, tag, caller) + HEADER_UNITS) * UNIT_BYTES;
  }

  /**
   * A byte block, whose memory grows if needed.
   *
   * @param finish called under the lock
   * @throws RangeError when the heap is full
   */
  protected allocateBlock(
    headerUnits: number,
    bytes: number,
    tag: number,
    caller: string,
    finish?: (unit: number) => void,
  ): number {
    const units = headerUnits + unitsFor(bytes);
    const { root, blocks } = this;
    const allocate = (): number => {
      let unit = blocks.allocate(units, tag, bytes);
      if (unit === NO_BLOCK && this.memory.grow(root[W_TOP] + units + HEADER_UNITS, root[W_LIMIT])) {
        root[W_RESERVED] = this.memory.units;
        unit = blocks.allocate(units, tag, bytes);
      }
      if (unit !== NO_BLOCK) finish?.(unit);
      return unit;
    };
    const fits = units <= root[W_LIMIT];
    let unit = fits ? this.locked(allocate) : NO_BLOCK;
    if (fits && unit === NO_BLOCK) {
      reclaim(this, bytes);
      unit = this.locked(allocate);
    }
    if (unit === NO_BLOCK) throw this.#full(caller, bytes);
    return unit;
  }

  /** Frees what `allocBytes` gave. */
  freeBytes(byteOffset: number): void {
    const unit = byteOffset / UNIT_BYTES - HEADER_UNITS;
    const freed = this.locked(() => {
      if (!this.blocks.isBlock(unit) || this.blocks.stateOf(unit) !== STATE_BYTES) return false;
      this.blocks.release(unit);
      return true;
    });
    if (!freed)
      throw new RangeError(`furcate: byteOffset ${byteOffset} is not that of a block in use; was it freed before?`);
  }

  /** Frees every byte block with this tag; returns how many. Takes time in proportion to the blocks in use. */
  freeTagged(tag: number): number {
    return this.locked(() => this.releaseTagged(tag));
  }

  /** As `freeTagged`, under the lock. */
  protected releaseTagged(tag: number): number {
    const { blocks } = this;
    let released = 0;
    for (const unit of blocks.units()) {
      if (blocks.stateOf(unit) !== STATE_BYTES || this.words[(unit << UNIT_WORDS_SHIFT) + H_TAG] !== tag) continue;
      blocks.release(unit);
      released++;
    }
    return released;
  }

  /** The bytes asked for in a block, header excluded. */
  bytesOf(unit: number): number {
    return this.words[(unit << UNIT_WORDS_SHIFT) + H_BYTES] >>> 0;
  }

  /** A view of bytes of the heap, whoever allocated them. It has no reference to their block, so it is not for keeping. */
  bytesAt(byteOffset: number, length: number): Uint8Array {
    this.reach(byteOffset + length);
    return new Uint8Array(this.memory.buffer, byteOffset, length);
  }

  /** Makes sure that this realm's view of the memory goes as far as `end`, if another thread has grown the memory. */
  reach(end: number): void {
    if (end > this.memory.buffer.byteLength) this.memory.refresh();
  }

  /** Bytes of the blocks in use (headers included) and of the memory, which never shrinks, and the number of blocks. */
  stats(): { bytesInUse: number; bytesReserved: number; blocks: number } {
    const root = this.root;
    return this.locked(() => ({
      bytesInUse: root[W_UNITS_IN_USE] * UNIT_BYTES,
      bytesReserved: root[W_RESERVED] * UNIT_BYTES,
      blocks: root[W_BLOCKS_IN_USE],
    }));
  }

  /**
   * Puts the heap right after a thread has ended, however it ended: frees the lock if the thread died holding it, releases its
   * references to arrays, and gives its number back. To be called once the thread can run no more.
   */
  repairAfter(deadThread: number): void {
    if (deadThread === this.thread) throw new RangeError(`furcate: deadThread ${deadThread} is the calling thread.`);
    this.lock.breakLockOf(deadThread);
    this.locked(() => {
      this.releaseThread(deadThread);
      if (deadThread < MASKED_THREADS) this.root[W_THREADS + (deadThread >>> 5)] &= ~(1 << (deadThread & 31));
    });
  }

  /** Under the lock, in a repair: releases what a dead thread has of the heap. */
  protected releaseThread(_thread: number): void {}

  /** The error of an allocation that did not fit. */
  #full(caller: string, bytes: number): RangeError {
    const { bytesInUse } = this.stats();
    const limit = this.root[W_LIMIT] * UNIT_BYTES;
    const error = new RangeError(
      `furcate: ${caller}: ${bytes < MIB / 100 ? `${bytes} bytes` : `${inMiB(bytes)} MiB`} asked for, but the shared heap has ${inMiB(bytesInUse)} MiB in use and can grow to ` +
        `${inMiB(limit)} MiB; free(xs) what is done with, or let the event loop turn so that dropped arrays are collected.`,
    );
    fullErrors.add(error);
    return error;
  }

  #takeThread(): number {
    const root = this.root;
    for (let word = 0; word < THREAD_MASK_WORDS; word++) {
      const free = ~root[W_THREADS + word];
      if (free === 0) continue;
      const bit = 31 - Math.clz32(free & -free);
      root[W_THREADS + word] |= 1 << bit;
      return (word << 5) + bit;
    }
    return MASKED_THREADS + root[W_UNMASKED_THREADS]++;
  }
}

/** The heap's own `RangeError`s, which `isHeapFull` tells from those of the engine and of users. */
const fullErrors = new WeakSet<object>();

export const isHeapFull = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && fullErrors.has(error);

function inMiB(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < MIB ? 3 : 0);
}
