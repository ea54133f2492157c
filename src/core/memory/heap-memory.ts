/**
 * The bytes of the shared heap: one shared `WebAssembly.Memory` that grows on demand, or a plain `SharedArrayBuffer`
 * where there is none; runs on every thread.
 *
 * Several sizes are tried, because hosts refuse large ones. V8 reserves 10 GiB of address space for a shared memory whatever its maximum,
 * so under a `ulimit -v` only the plain buffer is left. iOS refuses 2 GiB. A reservation costs address space only; the operating system gives
 * pages at the first touch.
 */

import { UNIT_BYTES } from './heap-layout.js';

const PAGE_BYTES = 65_536;
const PAGE_UNITS = PAGE_BYTES / UNIT_BYTES;
const MIB = 1024 * 1024;

/** Sizes to try, in order. */
const SIZES = {
  /** Maximum sizes, in pages of 64 KiB: 4 GiB, 1 GiB, 256 MiB. */
  maximumPages: [65_536, 16_384, 4_096],
  /** Sizes of the plain buffer (bytes). It cannot grow. */
  fixedBytes: [256 * MIB, 64 * MIB, 16 * MIB],
};
/** Tests pass tiny ones. */
export type HeapSizes = typeof SIZES;

const INITIAL_PAGES = 16;
/** Smallest growth (pages), so that growth is rare. Untouched pages cost nothing. */
const GROWTH_PAGES = 256;

/** Most buffer objects that are cloned at once (a power of two). Together each takes 0.2 us, alone 0.6. */
const CLONES = 32;

/** Handle by which a worker shares the heap. It can be cloned. */
export interface HeapHandle {
  readonly source: HeapSource;
  /** The thread number that the adopting realm takes. */
  readonly thread: number;
}

type HeapSource = WebAssembly.Memory | SharedArrayBuffer;

export class HeapMemory {
  readonly source: HeapSource;
  /** Undefined over a plain buffer, which cannot grow. */
  readonly memory: WebAssembly.Memory | undefined;
  buffer!: SharedArrayBuffer;
  /** All of `buffer`. Its length is fixed, so V8 needs no length check against the memory. */
  words!: Int32Array;
  /** Units of `buffer`. */
  units!: number;
  /** `buffer`, and those before it. */
  readonly #buffers = new WeakSet<object>();
  /** The buffers that are cloned together, all of the size of `buffer`. Their number doubles with each batch. */
  #originals: SharedArrayBuffer[] = [];
  /** Clones for the next calls of `ownBuffer`. */
  #spares: SharedArrayBuffer[] = [];

  constructor(source: HeapSource) {
    this.source = source;
    this.memory = source instanceof SharedArrayBuffer ? undefined : source;
    this.refresh();
  }

  /** Checks whether a buffer is the memory's own, and not a clone from `ownBuffer`. */
  isOwn(buffer: ArrayBufferLike): boolean {
    return this.#buffers.has(buffer);
  }

  /** Shows growth by other threads. A thread that was woken from a wait may hold a stale buffer, which growing by 0 renews. */
  refresh(): void {
    this.memory?.grow(0);
    this.buffer = (this.memory?.buffer ?? this.source) as unknown as SharedArrayBuffer;
    this.words = new Int32Array(this.buffer);
    this.units = this.buffer.byteLength / UNIT_BYTES;
    this.#buffers.add(this.buffer);
    this.#originals = [this.buffer];
    this.#spares = [];
  }

  /** Grows until `units` are there, if the maximum and the system allow. */
  grow(units: number, limitUnits: number): boolean {
    if (this.memory === undefined || units > limitUnits) return false;
    this.refresh();
    if (units <= this.units) return true; // a thread died between growing and saying so
    const need = Math.ceil((units - this.units) / PAGE_UNITS);
    const generous = Math.min(Math.max(need, GROWTH_PAGES), (limitUnits - this.units) / PAGE_UNITS);
    for (const pages of [generous, need]) {
      try {
        this.memory.grow(pages);
        this.refresh();
        return true;
      } catch {
        // more than the system gives
      }
    }
    return false;
  }

  /**
   * A new buffer object over the same bytes, as long as `buffer`. The views of one array share it, and nothing else does, so its
   * collection tells that all of them are gone.
   */
  ownBuffer(): SharedArrayBuffer {
    if (this.#spares.length === 0) {
      this.#spares = structuredClone(this.#originals);
      if (this.#originals.length < CLONES) this.#originals.push(...structuredClone(this.#originals));
    }
    return this.#spares.pop() as SharedArrayBuffer;
  }
}

/** Makes the largest heap that the host grants, and tells its limit in units. */
export function createHeapMemory(sizes: HeapSizes = SIZES): { memory: HeapMemory; limitUnits: number } {
  const rungs = [
    ...sizes.maximumPages.map((maximum) => ({
      limitUnits: maximum * PAGE_UNITS,
      make: () => new WebAssembly.Memory({ initial: Math.min(INITIAL_PAGES, maximum), maximum, shared: true }),
    })),
    ...sizes.fixedBytes.map((bytes) => ({ limitUnits: bytes / UNIT_BYTES, make: () => new SharedArrayBuffer(bytes) })),
  ];
  let cause: unknown;
  for (const { limitUnits, make } of rungs) {
    try {
      return { memory: new HeapMemory(make()), limitUnits };
    } catch (error) {
      cause = error; // too much for this host, or it has no WebAssembly: the next rung
    }
  }
  const problem = 'the host grants no shared memory, not even 16 MiB; is there a limit on address space?';
  throw new RangeError(`furcate: ${problem}`, { cause });
}

/** Checks whether this realm may share memory at all; without isolation a browser has no `SharedArrayBuffer`. */
export function heapAvailable(): boolean {
  return (
    typeof SharedArrayBuffer === 'function' &&
    typeof structuredClone === 'function' &&
    (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false
  );
}
