/**
 * Shared buffers that are not on the heap, by number; one table a realm.
 *
 * A `SharedArrayBuffer` that a user brings along reaches workers by message only. The thread that owns a pool numbers
 * it, posts it to all workers, and only then publishes a task that names it; a thief that does not know the number
 * yet waits for the message. Other threads can pass on the buffers they were given, but cannot introduce any.
 */

const byId = new Map<number, WeakRef<SharedArrayBuffer> | SharedArrayBuffer>();
const ids = new WeakMap<SharedArrayBuffer, number>();
let introduce: ((id: number, buffer: SharedArrayBuffer) => void) | undefined;
let last = 0;

/** The owner's side: `post` sends a buffer to every worker. */
export function setIntroducer(post: ((id: number, buffer: SharedArrayBuffer) => void) | undefined): void {
  introduce = post;
}

/** The number of a buffer, introducing it if this thread may; undefined where it may not. */
export function foreignId(buffer: SharedArrayBuffer): number | undefined {
  const known = ids.get(buffer);
  if (known !== undefined || introduce === undefined) return known;
  const id = ++last;
  ids.set(buffer, id);
  byId.set(id, new WeakRef(buffer));
  introduce(id, buffer);
  return id;
}

/** A worker's side: a buffer has arrived. Buffers arrive in the order of their numbers. */
export function acceptForeign(id: number, buffer: SharedArrayBuffer): void {
  ids.set(buffer, id);
  byId.set(id, buffer);
  last = Math.max(last, id);
}

/** Buffers still alive, for a crew that starts later. */
export function liveForeign(): [id: number, buffer: SharedArrayBuffer][] {
  const live: [number, SharedArrayBuffer][] = [];
  for (const [id, held] of byId) {
    const buffer = held instanceof WeakRef ? held.deref() : held;
    if (buffer === undefined) byId.delete(id);
    else live.push([id, buffer]);
  }
  return live;
}

/** Has every buffer up to `id` arrived here? */
export const foreignArrived = (id: number): boolean => id <= last;

export function foreignBuffer(id: number): SharedArrayBuffer {
  const held = byId.get(id);
  const buffer = held instanceof WeakRef ? held.deref() : held;
  if (buffer === undefined) throw new Error(`furcate: shared buffer ${id} was dropped while a task still names it.`);
  return buffer;
}
