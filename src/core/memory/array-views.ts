/**
 * The views that this realm has of shared arrays: which block each belongs to, and when the realm lets go of it; runs on
 * every thread, all state is the realm's own.
 *
 * The views of one array share a buffer object that nothing else uses, a clone of the memory's: same bytes, other
 * identity. Every view keeps its buffer alive, so a finalization registry on the buffers learns when the last is gone;
 * on the first view it would not, for `subarray` views outlive it.
 *
 * Two things keep the collector honest. It does not count shared memory, so ballast of the same size, ordinary memory that
 * is never touched, is tied to each buffer (without: 4 GiB full after 51 dropped arrays of 80 MB; with: 240 MB at the peak).
 * And decoded views are cached strongly only until `forgetViews`, so that a worker at rest holds nothing.
 */

import { addBallast } from './ballast.js';
import {
  constructorOfType,
  NO_TYPE,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfView,
} from './element-types.js';
import { currentHeap, heapAvailable, sameHeap } from './heap.js';
import { ARRAY_HEADER_UNITS, BASE_UNITS, UNIT_BYTES } from './heap-layout.js';
import { ViewCache } from './view-cache.js';

/** What crosses threads for a view of a shared array. */
export interface ArrayDescription {
  /** Number of the element type: `nameOfType` and kin in element-types.ts. */
  readonly type: number;
  /** Names the block; a positive integer below 2^28. */
  readonly block: number;
  /** In the heap, below 2^32: in an Int32 slot it turns negative, which `viewAt` undoes. */
  readonly byteOffset: number;
  /** Elements. */
  readonly length: number;
}

/** This realm's hold of one array block. */
export interface Hold {
  readonly block: number;
  readonly serial: number;
  readonly byteOffset: number;
  /** Buffer objects over the block that are not finalized yet. */
  buffers: number;
  /** The latest of them, once it may be asked for again. */
  latest: WeakRef<SharedArrayBuffer> | undefined;
  /** Keeps it from being collected until `forgetViews`. */
  cached: SharedArrayBuffer | undefined;
  /** Whether another realm may know the block. */
  exposed: boolean;
  /** Whether this realm called `free` on it. */
  freed: boolean;
}

/**
 * The hold of a buffer object is a property of it: an entry of a `WeakMap` takes 1 us more to make, and a property that is not
 * enumerable 2 us.
 */
const HOLD = Symbol('furcate.hold');

interface Held {
  [HOLD]?: Hold;
}

const heldBy = (buffer: ArrayBufferLike): Hold | undefined => (buffer as Held)[HOLD];

const holds = new Map<number, Hold>();
const cachedHolds: Hold[] = [];
const views = new ViewCache();

const registry = new FinalizationRegistry<Hold>((hold) => {
  hold.buffers--;
  if (hold.buffers > 0) return;
  if (holds.get(hold.block) === hold) holds.delete(hold.block);
  if (hold.freed) return;
  const { heap, arrays } = currentHeap();
  // What a worker made may be on its way to another realm; what the root realm drops is in no invocation of its own.
  arrays.release(hold.block, hold.serial, heap.isRoot || !hold.exposed);
});

/** Starts this realm's hold of a block that it has just made, and gives the buffer for its views. */
export function holdNewBlock(block: number): SharedArrayBuffer {
  const hold = startHold(block, false);
  try {
    return addBuffer(hold);
  } catch (error) {
    holds.delete(block);
    currentHeap().arrays.free(block, hold.serial, true);
    throw error;
  }
}

/** Where the payload of a block begins, in bytes. */
export function payloadOffset(block: number): number {
  return (block + ARRAY_HEADER_UNITS) * UNIT_BYTES;
}

/**
 * The hold that a view belongs to, or `undefined` for a view that is not of a shared array.
 * @throws TypeError if the array was freed, or if the view reaches beyond the array whose buffer it was made on
 */
export function holdOfView(view: ArrayBufferView): Hold | undefined {
  const hold = heldBy(view.buffer) ?? adoptBuffer(view);
  if (hold === undefined && !isHeapBuffer(view.buffer)) return undefined;
  if (hold === undefined || hold.freed || !currentHeap().arrays.isLive(hold.block, hold.serial)) {
    throw new TypeError('furcate: the shared array was freed; make a new one with sharedArray().');
  }
  const start = view.byteOffset - hold.byteOffset;
  if (start < 0 || start + view.byteLength > bytesOf(hold)) {
    throw new TypeError(
      `furcate: the view covers bytes ${view.byteOffset} to ${view.byteOffset + view.byteLength} of the shared heap, beyond its ` +
        'own array: xs.buffer is the whole heap, so use xs.subarray(), or add xs.byteOffset.',
    );
  }
  return hold;
}

/** Its bytes are its own; so are those of what is no shared array. */
export const ALIVE = 0;
/** Another thread has freed it, and the invocations that were in flight then can still use it. */
export const DOOMED = 1;
/** This thread has freed it, or its bytes may be others' by now. */
export const GONE = 2;

/**
 * What has become of the array that a view is of.
 *
 * @param buffer the view's: a caller that has asked for it saves the 30 ns that the engine takes to answer again
 */
export function fateOf(view: ArrayBufferView, buffer = view.buffer): typeof ALIVE | typeof DOOMED | typeof GONE {
  if (buffer instanceof ArrayBuffer) return ALIVE; // first: nearly free
  let hold = heldBy(buffer);
  if (hold === undefined) {
    if (!isHeapBuffer(buffer) || isNonOwning(view)) return ALIVE;
    hold = adoptBuffer(view);
  }
  if (hold === undefined || hold.freed) return GONE;
  const { arrays } = currentHeap();
  if (arrays.isArray(hold.block, hold.serial)) return ALIVE;
  return arrays.isLive(hold.block, hold.serial) ? DOOMED : GONE;
}

/** The refusal of an array that was freed; `what` names it. */
export const freedError = (what: string): TypeError =>
  new TypeError(
    `furcate: ${what} is a shared array that was freed. Call free() after its last use, or make a new one with sharedArray().`,
  );

/** Whether a view lies on the shared heap (freed or not). */
export function isHeap(view: ArrayBufferView): boolean {
  const { buffer } = view;
  return (
    !(buffer instanceof ArrayBuffer) && (heldBy(buffer) !== undefined || isNonOwning(view) || isHeapBuffer(buffer))
  );
}

/** Whether a view lies on the heap memory's own buffer, as only those of non-owning-views.ts do. */
export function isNonOwning(view: ArrayBufferView): boolean {
  return heapAvailable() && currentHeap().heap.memory.isOwn(view.buffer);
}

/** Whether a view lies on a `SharedArrayBuffer` that is not the heap's. */
export function isExternal(view: ArrayBufferView): boolean {
  return isSharedBuffer(view.buffer) && !isHeap(view);
}

/**
 * What crosses to another thread for a view, made in whatever realm; `undefined` for one that is not on the heap.
 * @throws TypeError for a freed array
 */
export function describe(view: ArrayBufferView): ArrayDescription | undefined {
  const hold = holdOfView(view);
  if (hold === undefined) return undefined;
  const type = typeOfView(view);
  if (type === NO_TYPE) return undefined;
  if (!hold.exposed) expose(hold, view.buffer as SharedArrayBuffer);
  return { type, block: hold.block, byteOffset: view.byteOffset, length: (view as TypedArray).length };
}

/**
 * The view that a description names, in this realm; the same object while it stays cached. Holds the block for this
 * realm until its views are dropped and `forgetViews` was called. Some realm must hold the block meanwhile, or an
 * invocation hold frees back.
 * @throws TypeError if no shared array lives there, and for a type that this host lacks
 */
export function viewAt(type: number, block: number, byteOffset: number, length: number): TypedArray {
  byteOffset >>>= 0;
  const cached = views.find(type, block, byteOffset, length);
  if (cached !== undefined) {
    const hold = holds.get(block) as Hold;
    if (currentHeap().arrays.isLive(block, hold.serial)) return cached;
  }
  const Ctor = constructorOfType(type);
  if (Ctor === undefined) throw new TypeError(`furcate: type ${type} is no element type of typed arrays on this host.`);
  const hold = liveHold(block);
  const view = new (Ctor as TypedArrayConstructor)(bufferFor(hold), byteOffset, length);
  views.put(type, block, byteOffset, length, view);
  return view;
}

/** Drops what only the cache keeps: dropped arrays can be collected then. A worker calls it when it runs out of work. */
export function forgetViews(): void {
  views.clear();
  for (const hold of cachedHolds) hold.cached = undefined;
  cachedHolds.length = 0;
}

function liveHold(block: number): Hold {
  const { arrays } = currentHeap();
  const known = holds.get(block);
  if (known !== undefined && arrays.isLive(block, known.serial)) return known;
  if (!arrays.retain(block))
    throw new TypeError(`furcate: the shared array of block ${block} was freed while it was in use.`);
  return startHold(block, true);
}

/** Read anew each time: whoever made the array may have cut it down. */
export const bytesOf = (hold: Hold): number => currentHeap().heap.bytesOf(hold.block);

function startHold(block: number, exposed: boolean): Hold {
  const { arrays } = currentHeap();
  const hold: Hold = {
    block,
    serial: arrays.serialOf(block),
    byteOffset: payloadOffset(block),
    buffers: 0,
    latest: undefined,
    cached: undefined,
    exposed,
    freed: false,
  };
  if (holds.has(block)) views.clear(); // of an array that was freed: they must not stand for this one
  holds.set(block, hold);
  return hold;
}

/** The block's buffer object, cached from now on; a new one if there is none. */
function bufferFor(hold: Hold): SharedArrayBuffer {
  if (hold.cached !== undefined) return hold.cached;
  const buffer = hold.latest?.deref() ?? addBuffer(hold);
  hold.latest ??= new WeakRef(buffer);
  hold.cached = buffer;
  if (cachedHolds.push(hold) === 1 && currentHeap().heap.isRoot) queueMicrotask(forgetViews);
  return buffer;
}

function addBuffer(hold: Hold): SharedArrayBuffer {
  const buffer = currentHeap().heap.memory.ownBuffer(); // reaches the block: making or retaining it took the lock
  hold.latest = undefined;
  hold.buffers++;
  (buffer as Held)[HOLD] = hold;
  registry.register(buffer, hold);
  addBallast(buffer, bytesOf(hold));
  return buffer;
}

/** From now on another realm may name the block to this one, so its buffer must be found again. */
function expose(hold: Hold, buffer: SharedArrayBuffer): void {
  hold.exposed = true;
  hold.latest ??= new WeakRef(buffer);
}

/**
 * The hold of a view whose buffer is the heap's, but was not made here: a view that came by `structuredClone` or
 * `postMessage`. Its buffer becomes one of ours. `undefined` where no array lies there (any more).
 */
function adoptBuffer(view: ArrayBufferView): Hold | undefined {
  if (!isHeapBuffer(view.buffer)) return undefined;
  if (isNonOwning(view)) throw new Error('furcate: a non-owning view is no hold of its array');
  const block = currentHeap().arrays.blockAround(view.byteOffset, view.byteLength);
  if (block < BASE_UNITS) return undefined;
  const hold = liveHold(block);
  hold.exposed = true;
  hold.buffers++;
  hold.latest = new WeakRef(view.buffer as SharedArrayBuffer);
  (view.buffer as Held)[HOLD] = hold;
  registry.register(view.buffer, hold);
  return hold;
}

function isHeapBuffer(buffer: ArrayBufferLike): boolean {
  return (
    isSharedBuffer(buffer) && buffer.byteLength >= BASE_UNITS * UNIT_BYTES && sameHeap(new Int32Array(buffer, 0, 8))
  );
}

/** By brand, since the buffer may come from another realm; an ordinary one of this realm is told faster. */
function isSharedBuffer(buffer: ArrayBufferLike): boolean {
  if (buffer instanceof ArrayBuffer) return false;
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';
}
