/**
 * The views that this realm has of shared arrays: its references to their blocks, and when it releases them; runs on every
 * thread, all state is the realm's own.
 *
 * The views of one array share a buffer object that nothing else uses, a clone of the memory's: same bytes, other
 * identity. Every view keeps its buffer alive, so a finalization registry on the buffers learns when the last is gone;
 * on the first view it would not, for `subarray` views outlive it.
 *
 * The collector does not count shared memory. So ballast of the same size, ordinary memory that is never touched, is tied to each
 * buffer (without: 4 GiB full after 51 dropped arrays of 80 MB; with: 240 MB at the peak).
 */

import { addBallast } from './ballast.js';
import {
  constructorOfType,
  isOnSharedMemory,
  isSharedBuffer,
  NO_TYPE,
  type TypedArray,
  typeOfView,
} from './element-types.js';
import { NO_BLOCK } from './free-lists.js';
import { currentHeap, hasHeap, sameHeap } from './heap.js';
import { ARRAY_HEADER_UNITS, ROOT_PAGE_BYTES, STATE_ARRAY, STATE_DOOMED, UNIT_BYTES } from './heap-layout.js';

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

/** This realm's reference to one array block. */
export interface Reference {
  readonly block: number;
  readonly serial: number;
  /** Buffer objects over the block that are not finalized yet. */
  buffers: number;
  /** The latest of them, once it may be asked for again. The engine keeps it alive until the thread's job ends. */
  latest: WeakRef<SharedArrayBuffer> | undefined;
  /** Whether another realm may know the block. */
  exposed: boolean;
  /** Whether this realm called `free` on it. */
  freed: boolean;
}

/**
 * A buffer object has its reference as a property: an entry of a `WeakMap` takes 1 us more to make, and a property that is not
 * enumerable 2 us.
 */
const REFERENCE = Symbol('furcate.reference');

interface OwnBuffer {
  [REFERENCE]?: Reference;
}

const referenceOfBuffer = (buffer: ArrayBufferLike): Reference | undefined => (buffer as OwnBuffer)[REFERENCE];

const references = new Map<number, Reference>();

const registry = new FinalizationRegistry<Reference>((reference) => {
  const { block, serial, freed, exposed } = reference;
  reference.buffers--;
  if (reference.buffers > 0) return;
  if (references.get(block) === reference) references.delete(block);
  if (freed) return;
  const heap = currentHeap();
  // What a worker made may be on its way to another realm; what the root realm drops is in no invocation of its own.
  heap.release(block, serial, heap.isRoot || !exposed);
});

/** The buffer for views of a block that this realm has just made, and so has a reference to. */
export function bufferOfNewBlock(block: number): SharedArrayBuffer {
  const reference = newReference(block, false);
  try {
    return addBuffer(reference);
  } catch (error) {
    references.delete(block);
    currentHeap().free(block, reference.serial, true);
    throw error;
  }
}

/** Where the payload of a block begins, in bytes. */
export function payloadOffset(block: number): number {
  return (block + ARRAY_HEADER_UNITS) * UNIT_BYTES;
}

/**
 * The reference that keeps a view's block alive, or `undefined` for a view that is not of a shared array.
 * @throws TypeError if the array was freed, or if the view reaches beyond the array whose buffer it was made on
 */
export function referenceOf(view: ArrayBufferView): Reference | undefined {
  const { buffer } = view; // the engine takes 30 ns to answer
  const reference = find(view, buffer);
  if (reference === undefined) {
    if (isOwnBuffer(buffer)) throw new Error('furcate: a non-owning view has no reference to its array');
    return undefined;
  }
  if (reference === null || reference.freed || !isLive(reference)) {
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

const isLive = ({ block, serial }: Reference): boolean => currentHeap().isLive(block, serial);

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
  const reference = find(view, buffer);
  if (reference === undefined) return ALIVE;
  if (reference === null || reference.freed) return GONE;
  const state = currentHeap().stateOf(reference.block, reference.serial);
  return state === STATE_ARRAY ? ALIVE : state === STATE_DOOMED ? DOOMED : GONE;
}

/** The refusal of an array that was freed; `what` names it. */
export const freedError = (what: string): TypeError =>
  new TypeError(
    `furcate: ${what} is a shared array that was freed. Call free() after its last use, or make a new one with sharedArray().`,
  );

/** Whether a view lies on the shared heap (freed or not). */
export function isHeap(view: ArrayBufferView): boolean {
  const { buffer } = view;
  return referenceOfBuffer(buffer) !== undefined || isHeapBuffer(buffer);
}

/** Whether a view lies on the heap memory's own buffer, as only those of non-owning-views.ts do. */
export const isNonOwning = (view: ArrayBufferView): boolean => isOwnBuffer(view.buffer);

/** Whether a view lies on a `SharedArrayBuffer` that is not the heap's. */
export const isExternal = (view: ArrayBufferView): boolean => isOnSharedMemory(view) && !isHeap(view);

/**
 * What crosses to another thread for a view, made in whatever realm; `undefined` for one that is not on the heap.
 * @throws TypeError for a freed array
 */
export function describe(view: ArrayBufferView): ArrayDescription | undefined {
  const reference = referenceOf(view);
  const type = typeOfView(view);
  if (reference === undefined || type === NO_TYPE) return undefined;
  if (!reference.exposed) {
    // From now on another realm may name the block to this one, so its buffer must be found again.
    reference.exposed = true;
    reference.latest ??= new WeakRef(view.buffer as SharedArrayBuffer);
  }
  return { type, block: reference.block, byteOffset: view.byteOffset, length: (view as TypedArray).length };
}

/**
 * The view that a description names, in this realm. This realm has a reference to the block from then on, until its views are
 * collected. Some realm must have a reference meanwhile, or an invocation defer frees.
 * @throws TypeError if no shared array lives there, and for a type that this host lacks
 */
export function viewAt(type: number, block: number, byteOffset: number, length: number): TypedArray {
  const Ctor = constructorOfType(type);
  if (Ctor === undefined) throw new TypeError(`furcate: type ${type} is no element type of typed arrays on this host.`);
  const reference = liveReference(block);
  const buffer = reference.latest?.deref() ?? addBuffer(reference);
  reference.latest ??= new WeakRef(buffer);
  return new Ctor(buffer, byteOffset >>> 0, length);
}

function liveReference(block: number): Reference {
  const known = references.get(block);
  if (known !== undefined && isLive(known)) return known;
  if (!currentHeap().retain(block))
    throw new TypeError(`furcate: the shared array of block ${block} was freed while it was in use.`);
  return newReference(block, true);
}

/** Read anew each time: whoever made the array may have cut it down. */
export const bytesOf = ({ block }: Reference): number => currentHeap().bytesOf(block);

function newReference(block: number, exposed: boolean): Reference {
  const reference: Reference = {
    block,
    serial: currentHeap().serialOf(block),
    buffers: 0,
    latest: undefined,
    exposed,
    freed: false,
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
  (buffer as OwnBuffer)[REFERENCE] = reference;
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
  reference.latest = new WeakRef(buffer);
  register(buffer, reference);
  return reference;
}

const isOwnBuffer = (buffer: ArrayBufferLike): boolean => hasHeap() && currentHeap().memory.isOwn(buffer);

const isHeapBuffer = (buffer: ArrayBufferLike): buffer is SharedArrayBuffer =>
  isOwnBuffer(buffer) ||
  (isSharedBuffer(buffer) && buffer.byteLength >= ROOT_PAGE_BYTES && sameHeap(new Int32Array(buffer, 0, 8)));
