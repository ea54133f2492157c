/**
 * Contexts of function tasks: values that are encoded once, and not with each task that is given them; runs on every thread.
 *
 * `build.with({ ids, coords })` makes a copy of the object, which tasks get as their last argument and hand on to those that they fork. Where a
 * record, or anything else that crosses threads, holds this copy, it names bytes on the shared heap:
 *
 * ```
 * the copy -> its bytes, a shared array, made when the copy first leaves its thread -> the copy of another thread, opened once from these bytes
 * ```
 *
 * So the array lives as long as a thread has a copy, and the heap knows who that is. The arrays in a context are pinned with every invocation that
 * names it, as if they were arguments.
 */
import { currentHeap, heapAvailable } from '../memory/heap.js';
import { keepAlive } from '../memory/pins.js';
import { fateOf, freedError, GONE, unfilledArray } from '../memory/shared-array.js';
import { host } from '../platform/host.js';
import { type Mark, mark } from './data-marks.js';
import { views as codec } from './view-codec.js';

/** A context as it leaves the thread that made it. */
export interface PackedContext {
  /** A copy for a serializer, with marks in it if it `isMarked` (data-copy.ts). */
  readonly data: unknown;
  readonly isMarked: boolean;
  /** Numbers of the classes in it: a thread needs these before it opens the context. */
  readonly codes: readonly number[];
}

interface KnownContext {
  readonly name: string;
  /** Until it has bytes, and after that on the thread that made it. */
  readonly packed: PackedContext | undefined;
  readonly codes: readonly number[];
  bytes: Uint8Array | undefined;
  /** The arrays in it, where invocations pin arrays. */
  arrays: readonly ArrayBufferView[];
}

/** The kind of mark of a context; the mark's value is the view of its bytes. */
export const CONTEXT = 'context';

/**
 * Number of contexts that a thread keeps, those that it opened last, until it is idle. The collector has the others when no task names
 * them.
 */
const MAX_KEPT = 8;

/** By this thread's copy. */
const known = new WeakMap<object, KnownContext>();
/** The copies, by the buffer of their bytes: all views of one shared array have the same in one realm. */
const copies = new WeakMap<object, object>();
/** True once there is any. */
let isUsed = false;
const kept: object[] = [];

const EMPTY: readonly never[] = [];

/** @param copy what tasks on this thread get @param name of the context in errors */
export function addContext(copy: object, packed: PackedContext, name: string): void {
  isUsed = true;
  known.set(copy, { name, packed, codes: packed.codes, bytes: undefined, arrays: EMPTY });
}

/** Numbers of the classes in those values that are contexts. */
export function codesOfContexts(values: readonly unknown[]): readonly number[] {
  if (!isUsed) return EMPTY;
  return values.flatMap(
    (value) => (typeof value === 'object' && value !== null ? known.get(value)?.codes : undefined) ?? [],
  );
}

/**
 * The bytes that stand for a context on its way to another thread; undefined for any other value, and where memory is not shared.
 *
 * @throws TypeError where an array in it was freed; RangeError when the heap is full; NotShareableError
 */
export function bytesOfContext(value: object): Uint8Array | undefined {
  const context = isUsed ? known.get(value) : undefined;
  if (context === undefined || !heapAvailable()) return undefined;
  if (context.bytes === undefined) write(context, value);
  else for (const array of context.arrays) pinned(array, context.name);
  keepAlive(value);
  return context.bytes;
}

/**
 * Mark that stands for a context in a copy, whose classes are added to `codes`; undefined where `bytesOfContext` is.
 */
export function contextMark(value: object, codes: Set<number>): Mark | undefined {
  const bytes = bytesOfContext(value);
  if (bytes === undefined) return undefined;
  for (const code of codesOfContexts([value])) codes.add(code);
  return mark(CONTEXT, bytes, {});
}

function write(context: KnownContext, value: object): void {
  const arrays: ArrayBufferView[] = [];
  const { packed, codes, name } = context;
  const bytes = host().serialize([packed?.data, packed?.isMarked, codes], {
    ...codec,
    encode(view) {
      const place = pinned(view, name);
      if (place !== undefined) arrays.push(view);
      return place;
    },
  });
  context.bytes = unfilledArray(Uint8Array, bytes.length);
  context.bytes.set(bytes);
  if (currentHeap().isRoot) context.arrays = arrays;
  copies.set(context.bytes.buffer, value);
}

/** The place of a view, whose array is pinned. @throws TypeError for one that was freed */
function pinned(view: ArrayBufferView, name: string): number[] | undefined {
  if (fateOf(view) === GONE) throw freedError(`an array in ${name}`);
  return codec.encode(view);
}

/**
 * The context behind such bytes: the same object for the same bytes, as long as anything uses it.
 *
 * @param open replaces marks
 * @throws TaskRegistrationError where the module of a class in it is not loaded on this thread
 */
export function contextAt(bytes: Uint8Array, open: (data: unknown) => unknown): object {
  const before = copies.get(bytes.buffer);
  if (before !== undefined) return before;
  const arrays: ArrayBufferView[] = [];
  const [data, isMarked, codes] = host().deserialize(bytes.slice(), {
    ...codec,
    decode(place) {
      const view = codec.decode(place);
      arrays.push(view);
      return view;
    },
  }) as [object, boolean, readonly number[]];
  const copy = Object.freeze((isMarked ? open(data) : data) as object);
  isUsed = true;
  const name = 'the context of a task';
  known.set(copy, { name, packed: undefined, codes, bytes, arrays: currentHeap().isRoot ? arrays : EMPTY });
  copies.set(bytes.buffer, copy);
  if (kept.push(copy) > MAX_KEPT) kept.shift();
  return copy;
}

/** Leaves contexts that no task names to the collector; called by idle workers. */
export function forgetContexts(): void {
  kept.length = 0;
}
