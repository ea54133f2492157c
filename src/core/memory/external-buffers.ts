/**
 * External buffers: shared buffers of the user that are not on the heap, by number. Each realm has a table of them. Other objects that only
 * messages carry are in the same table: blobs, images, keys.
 *
 * Such a buffer reaches workers by message only. The thread that owns a pool gives it a number, posts it to all workers, and
 * only then publishes a task that names it. Other threads can pass on the buffers that they were given, but cannot share new
 * ones.
 *
 * A task can only name buffers that its publisher knows, be it in a field or in the specification of the task's job. Buffers
 * arrive in the order of their numbers. So a record carries the highest number that its publisher knew, and a thief takes the
 * task only when it knows that many buffers. No account is kept of the buffers that a task names.
 *
 * Another object is posted as a clone of the moment at which it is first named. When the program has dropped a buffer or such an object, and no
 * invocation that names it is in flight, workers drop theirs, too: clones at once, and buffers unless code of theirs has kept them.
 */
import { addBallast } from './ballast.js';
import { isSharedBuffer } from './element-types.js';
import { keepAlive } from './pins.js';

const byId = new Map<number, WeakRef<object> | object>();
const ids = new WeakMap<object, number>();
let shareBuffer: ((id: number, buffer: object | undefined) => void) | undefined;

/** Lets workers drop what the program has dropped. */
const dropped = new FinalizationRegistry<number>((id) => {
  byId.delete(id);
  shareBuffer?.(id, undefined);
});
let last = 0;
/** Takes the messages that have arrived, if the runtime can do so without a turn of the event loop. */
let receive: () => void = () => {};

/** The owner's side: `post` sends a buffer to every worker; undefined if they may forget it. */
export function setShareBuffer(post: ((id: number, buffer: object | undefined) => void) | undefined): void {
  shareBuffer = post;
}

/** Returns true if this thread may send new objects to workers. */
export const mayShare = (): boolean => shareBuffer !== undefined;

/** For a thread that has no workers to share with, and may have some later. */
export function shareWithNobody(): void {
  shareBuffer ??= () => {};
}

/**
 * The number of a buffer. A new buffer is shared now; undefined if this thread may not share buffers.
 *
 * @param cloneOf for an object that is no buffer: its clone, which is shared in its place, or undefined if it cannot be cloned
 */
export function externalId<T extends object>(buffer: T, cloneOf?: (object: T) => T | undefined): number | undefined {
  keepAlive(buffer);
  const known = ids.get(buffer);
  if (known !== undefined || shareBuffer === undefined) return known;
  const clone = cloneOf === undefined ? buffer : cloneOf(buffer);
  if (clone === undefined) return undefined;
  const id = ++last;
  ids.set(buffer, id);
  byId.set(id, clone);
  if (cloneOf === undefined) holdWeakly(id, buffer);
  else dropped.register(buffer, id);
  shareBuffer(id, clone);
  return id;
}

/** Keeps a buffer as long as the thread does, whose collector feels its bytes. */
function holdWeakly(id: number, buffer: object): void {
  byId.set(id, new WeakRef(buffer));
  dropped.register(buffer, id);
  addBallast(buffer, (buffer as ArrayBufferLike).byteLength);
}

/** The external buffers that a new thread starts with. */
export interface KnownExternal {
  readonly last: number;
  /** Those that are still alive. */
  readonly live: readonly (readonly [id: number, buffer: object])[];
}

/** For a thread that starts later than the buffers were shared. */
export function knownExternal(): KnownExternal {
  const live: [number, object][] = [];
  for (const [id, kept] of byId) {
    const buffer = kept instanceof WeakRef ? kept.deref() : kept;
    if (buffer !== undefined) live.push([id, buffer]);
  }
  return { last, live };
}

/** A worker's side, at its start: the buffers that were shared before, and a function that takes messages that have arrived. */
export function startExternal(known: KnownExternal, take: () => void): void {
  for (const [id, buffer] of known.live) acceptExternal(id, buffer);
  last = Math.max(last, known.last);
  receive = take;
}

/** A worker's side: a buffer has arrived, or may be forgotten. Buffers arrive in the order of their numbers. */
export function acceptExternal(id: number, buffer: object | undefined): void {
  last = Math.max(last, id);
  const kept = byId.get(id) as ArrayBufferLike;
  byId.delete(id);
  if (buffer !== undefined) {
    ids.set(buffer, id);
    byId.set(id, buffer);
  } else if (isSharedBuffer(kept)) holdWeakly(id, kept);
  else ids.delete(kept); // a copy that this thread has kept is refused from now on
}

/**
 * The owner's side: from now on tasks are taken by workers only that have received all messages so far. To be called when something else that a
 * task needs was posted (moved-objects.ts).
 */
export const markExternal = (): void => shareBuffer?.(++last, undefined);

/** The highest number that this thread knows. Tasks that it publishes name no higher number. */
export const lastExternal = (): number => last;

/** Checks whether every buffer up to `id` has arrived here, after taking the messages that have arrived. */
export function externalArrived(id: number): boolean {
  if (id > last) receive();
  return id <= last;
}

/** The buffer, or another object, of a number that a record or an outcome names. */
export function externalBuffer(id: number): object {
  const hasArrived = externalArrived(id);
  const kept = byId.get(id);
  const buffer = kept instanceof WeakRef ? kept.deref() : kept;
  if (buffer !== undefined) return buffer;
  const [why, cure] = hasArrived
    ? ['was dropped by the thread that made it', 'Keep a reference to it there while tasks use it.']
    : ['has not reached this worker yet', 'Pass it to the task as an argument.'];
  throw new Error(`furcate: shared buffer ${id} ${why}. ${cure}`);
}
