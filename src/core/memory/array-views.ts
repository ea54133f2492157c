/**
 * This realm's views of shared arrays, and its references to their blocks; runs on every thread. All state is the realm's own.
 *
 * All views of one array share a buffer object of their own, a clone of the memory's buffer over the same bytes. Every view keeps its
 * buffer alive. So a finalization registry watches the buffers and not the first view, because `subarray` views may outlive that view.
 *
 * The collector does not count shared memory. So ballast of the same size, ordinary memory that is never touched, is tied to each
 * buffer (without: 4 GiB full after 51 dropped arrays of 80 MB; with: 240 MB at the peak).
 *
 * Non-owning views are views of bytes that somebody else keeps alive. A reference takes the lock, an entry in a finalization registry,
 * and ballast, which made every thread collect garbage at every other call. The library's own loops need no references, because a call
 * keeps its arrays alive until nothing of the call runs any more. Non-owning views lie on the memory's own buffer, which tells them from
 * all other views, and they cross to other threads as places alone. Users never get one.
 */

import type { Arena } from './arena.js';
import { BY_NOBODY } from './array-blocks.js';
import { addBallast } from './ballast.js';
import {
  constructorOfType,
  isOnSharedMemory,
  isSharedBuffer,
  NO_TYPE,
  type TypedArray,
  type TypedArrayConstructor,
  typeOfConstructor,
  typeOfView,
} from './element-types.js';
import { currentHeap, hasHeap, heapAvailable, sameHeap } from './heap.js';
import {
  ARRAY_HEADER_UNITS,
  NO_BLOCK,
  ROOT_PAGE_BYTES,
  STATE_ARRAY,
  STATE_DOOMED,
  STATE_FREE,
  UNIT_BYTES,
} from './heap-layout.js';

import { pin } from './pins.js';
import { areGone, collectFor, hasFreed, keepForJob, living, type Traces, trace } from './reclaim.js';
import { type SharedHeap, setReclaim } from './shared-heap.js';

/** Description of a view of a shared array that crosses threads. */
export interface ArrayDescription {
  /** Number of the element type (element-types.ts). */
  readonly type: number;
  /** Unit at which the block begins, below 2^28. */
  readonly block: number;
  /** Offset in the heap, below 2^32. In a word it may turn negative, which `viewAt` undoes. */
  readonly byteOffset: number;
  /** Length (elements). */
  readonly length: number;
  /** The last byte of the block's serial, which tells most arrays from a later one at their place. */
  readonly serial: number;
}

/** This realm's reference to one array block. */
export interface Reference {
  readonly block: number;
  readonly serial: number;
  /** Buffer objects over the block that are not finalized yet. */
  buffers: number;
  /** The latest of these buffers, once another realm may name the block. The engine keeps it alive until the thread's job ends. */
  latest: WeakRef<SharedArrayBuffer> | undefined;
  /** True if another realm may know the block. */
  exposed: boolean;
  /** True if it came by `structuredClone` or `postMessage`: then nobody knows which invocations name it. */
  adopted: boolean;
  /** Number of invocations, jobs and calls of this realm that name it (pins.ts). */
  pins: number;
  /** True once this realm called `free` on it. */
  freed: boolean;
  /** Traces that tell that its buffers are gone before their finalizers run. */
  traces: Traces;
  /** True once it was released, since its buffers are gone. */
  isReleased: boolean;
}

/**
 * The property of a buffer object that holds its reference. An entry of a `WeakMap` would take 1 us more to make, a property that is not
 * enumerable 2 us more.
 */
const REFERENCE = Symbol('furcate.reference');

/** The references of buffers that take no property: those of a WebAssembly memory in Chromium, and clones of them in Deno. */
let referencesOfFrozen: WeakMap<object, Reference> | undefined;

interface OwnBuffer {
  [REFERENCE]?: Reference;
}

const referenceOfBuffer = (buffer: ArrayBufferLike): Reference | undefined =>
  (buffer as OwnBuffer)[REFERENCE] ?? referencesOfFrozen?.get(buffer);

const references = new Map<number, Reference>();

const registry = new FinalizationRegistry<Reference>((reference) => {
  reference.buffers--;
  reference.traces = living(reference.traces);
  if (reference.buffers === 0) release(reference);
});

/** Releases a block of which this realm has no view any more. */
function release(reference: Reference): void {
  if (reference.isReleased) return;
  reference.isReleased = true;
  const { block, serial, freed, exposed } = reference;
  if (references.get(block) === reference) references.delete(block);
  const heap = currentHeap();
  if (freed && heap.stateOf(block, serial) !== STATE_DOOMED) return;
  // A worker's array may be on its way to another realm. The root realm drops no array that its invocations still use.
  heap.release(block, serial, heap.isRoot || !exposed);
}

/** Releases the blocks of arrays that are gone, for an allocation that did not fit. */
function reclaim(heap: SharedHeap, bytes: number): void {
  if (!hasHeap() || heap !== currentHeap()) return; // a test's
  collectFor(bytes);
  for (const reference of [...references.values()]) {
    if (reference.pins > 0 || !areGone(reference.traces, reference.buffers)) continue;
    release(reference);
    hasFreed();
  }
}
setReclaim(reclaim);

/** The buffer for views of a block that this realm has just allocated. */
export function bufferOfNewBlock(block: number): SharedArrayBuffer {
  const reference = newReference(block, false);
  try {
    return addBuffer(reference);
  } catch (error) {
    references.delete(block);
    currentHeap().free(block, reference.serial, BY_NOBODY);
    throw error;
  }
}

/** Offset at which the payload of a block begins, in bytes. */
export function payloadOffset(block: number): number {
  return (block + ARRAY_HEADER_UNITS) * UNIT_BYTES;
}

/**
 * This realm's reference to the block of a view; `undefined` for a view that is not of a shared array.
 * @throws TypeError if the array was freed, or if the view reaches beyond the array whose buffer it was made on
 */
export function referenceOf(view: ArrayBufferView): Reference | undefined {
  const { buffer } = view; // the engine takes 30 ns to answer
  const reference = find(view, buffer);
  if (reference === undefined) {
    if (isOwnBuffer(buffer)) throw new Error('furcate: a non-owning view has no reference to its array');
    return undefined;
  }
  if (reference === null || fateOfReference(reference) === GONE) {
    throw new TypeError('furcate: the shared array was freed; make a new one with sharedArray().');
  }
  const { byteOffset, byteLength } = view;
  const start = byteOffset - payloadOffset(reference.block);
  if (start < 0 || start + byteLength > bytesOf(reference)) {
    throw new TypeError(
      `furcate: the view covers bytes ${byteOffset} to ${byteOffset + byteLength} of the shared heap, beyond its ` +
        'own array: xs.buffer is the whole heap, so use xs.subarray(), or add xs.byteOffset.',
    );
  }
  return reference;
}

/** The array may be used; so may a view that is not of a shared array. */
export const ALIVE = STATE_ARRAY;
/** Another thread has freed the array. Invocations that were in flight then may still use it. */
export const DOOMED = STATE_DOOMED;
/** This thread has freed the array, or its bytes may belong to another block by now. */
export const GONE = STATE_FREE;

/**
 * State of a view's array: `ALIVE`, `DOOMED` or `GONE`.
 *
 * @param buffer the view's buffer, if the caller has it: the engine takes 30 ns to give it again
 */
export function fateOf(view: ArrayBufferView, buffer = view.buffer): number {
  if (buffer instanceof ArrayBuffer) return freedStandIns?.has(buffer) === true ? GONE : ALIVE; // first: nearly free
  const reference = find(view, buffer);
  return reference === undefined ? ALIVE : fateOfReference(reference);
}

/** The buffers of freed arrays, where memory cannot be shared. */
let freedStandIns: WeakSet<object> | undefined;

/** Frees an array where memory cannot be shared: the collector takes its bytes. Its views are refused from now on. */
export function freeStandIn(buffer: object): void {
  freedStandIns ??= new WeakSet();
  freedStandIns.add(buffer);
}

/** @param reference null for that of an array that is gone */
function fateOfReference(reference: Reference | null): number {
  if (reference === null || reference.freed) return GONE;
  const state = currentHeap().stateOf(reference.block, reference.serial);
  return state < STATE_ARRAY ? GONE : state;
}

/** The error for an array that was freed; `what` names the array. */
export const freedError = (what: string): TypeError =>
  new TypeError(
    `furcate: ${what} is a shared array that was freed. Call free() after its last use, or make a new one.`,
  );

/** Checks whether a view lies on the shared heap (freed or not). */
export function isHeap(view: ArrayBufferView): boolean {
  const { buffer } = view;
  return referenceOfBuffer(buffer) !== undefined || isHeapBuffer(buffer);
}

/** Checks whether a view is non-owning: it lies on the heap memory's own buffer. */
export const isNonOwning = (view: ArrayBufferView): boolean => isOwnBuffer(view.buffer);

/** Checks whether a view lies on a `SharedArrayBuffer` that is not the heap's. */
export const isExternal = (view: ArrayBufferView): boolean => isOnSharedMemory(view) && !isHeap(view);

/**
 * The description of a view for another thread; `undefined` for a view that is not on the heap.
 * @throws TypeError for a freed array
 */
export function describe(view: ArrayBufferView): ArrayDescription | undefined {
  const reference = referenceOf(view);
  const type = typeOfView(view);
  if (reference === undefined || type === NO_TYPE) return undefined;
  if (!reference.exposed) {
    // From now on another realm may name the block to this realm, which must find its buffer again.
    reference.exposed = true;
    reference.latest ??= new WeakRef(view.buffer as SharedArrayBuffer);
  }
  pin(reference);
  keepForJob(reference.traces);
  const { block, serial } = reference;
  return { type, block, byteOffset: view.byteOffset, length: (view as TypedArray).length, serial: serial & 0xff };
}

/**
 * The view that a description names, in this realm. This realm has a reference to the block from then on, until its views are
 * collected. Some realm must have a reference meanwhile, or an invocation defer frees.
 * @throws TypeError if no shared array lives there, and for a type that this host lacks
 */
export function viewAt(type: number, block: number, byteOffset: number, length: number, serial?: number): TypedArray {
  const Ctor = constructorOfType(type);
  if (Ctor === undefined) throw new TypeError(`furcate: type ${type} is no element type of typed arrays on this host.`);
  const reference = liveReference(block, serial);
  pin(reference);
  const buffer = reference.latest?.deref() ?? addBuffer(reference);
  reference.latest ??= new WeakRef(buffer);
  return new Ctor(buffer, byteOffset >>> 0, length);
}

function liveReference(block: number, tag?: number): Reference {
  const heap = currentHeap();
  const known = references.get(block);
  const isKnown = known !== undefined && heap.isLive(known.block, known.serial);
  const isThere = isKnown || heap.retain(block);
  if (isThere && (tag === undefined || (heap.serialOf(block) & 0xff) === tag))
    return isKnown ? known : newReference(block, true);
  if (isThere && !isKnown) heap.release(block, heap.serialOf(block), false);
  throw new TypeError(`furcate: the shared array of block ${block} was freed while it was in use.`);
}

/** The length of an array (bytes), which is read each time because its maker may have cut it down. */
export const bytesOf = ({ block }: Reference): number => currentHeap().bytesOf(block);

function newReference(block: number, exposed: boolean): Reference {
  const reference: Reference = {
    block,
    serial: currentHeap().serialOf(block),
    buffers: 0,
    latest: undefined,
    exposed,
    adopted: false,
    pins: 0,
    freed: false,
    traces: undefined,
    isReleased: false,
  };
  references.set(block, reference);
  return reference;
}

function addBuffer(reference: Reference): SharedArrayBuffer {
  const buffer = currentHeap().memory.ownBuffer(); // reaches the block: making or retaining it took the lock
  reference.latest = undefined;
  register(buffer, reference);
  addBallast(buffer, bytesOf(reference));
  return buffer;
}

function register(buffer: SharedArrayBuffer, reference: Reference): void {
  reference.buffers++;
  reference.traces = trace(reference.traces, buffer, bytesOf(reference));
  if (Object.isExtensible(buffer)) (buffer as OwnBuffer)[REFERENCE] = reference;
  else {
    referencesOfFrozen ??= new WeakMap();
    referencesOfFrozen.set(buffer, reference);
  }
  registry.register(buffer, reference);
}

/** This realm's reference for a view; null where its array is gone, undefined for a non-owning view and one of other memory. */
function find(view: ArrayBufferView, buffer: ArrayBufferLike): Reference | null | undefined {
  const known = referenceOfBuffer(buffer);
  if (known !== undefined || !isHeapBuffer(buffer) || isOwnBuffer(buffer)) return known;
  // The view came by `structuredClone` or `postMessage`. Its buffer becomes one of ours.
  const block = currentHeap().blockAround(view.byteOffset, view.byteLength);
  if (block === NO_BLOCK) return null;
  const reference = liveReference(block);
  reference.exposed = true;
  reference.adopted = true;
  reference.latest = new WeakRef(buffer);
  register(buffer, reference);
  return reference;
}

const isOwnBuffer = (buffer: ArrayBufferLike): boolean => hasHeap() && currentHeap().memory.isOwn(buffer);

const isHeapBuffer = (buffer: ArrayBufferLike): buffer is SharedArrayBuffer =>
  isOwnBuffer(buffer) ||
  (isSharedBuffer(buffer) && buffer.byteLength >= ROOT_PAGE_BYTES && sameHeap(new Int32Array(buffer, 0, 8)));

/** A view of elements of the heap, by the number of their type and their offset (bytes). */
export function nonOwningView(type: number, byteOffset: number, length: number): TypedArray {
  const heap = currentHeap();
  const Ctor = constructorOfType(type) as TypedArrayConstructor;
  heap.reach(byteOffset + length * Ctor.BYTES_PER_ELEMENT);
  return new Ctor(heap.memory.buffer, byteOffset, length);
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
  const bytes = n * type.BYTES_PER_ELEMENT;
  if (!heapAvailable()) return new type(new ArrayBuffer(bytes), 0, n);
  return nonOwningView(typeOfConstructor(type), arena.allocate(bytes), n) as T;
}

/** Frees a scratch array of that arena. */
export function freeScratch(xs: TypedArray, arena: Arena): void {
  if (isNonOwning(xs)) arena.free(xs.byteOffset);
}
