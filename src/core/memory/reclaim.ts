/**
 * Helps the collector when the heap is full: finds arrays whose buffer objects are gone already, although their finalizers have not run, which
 * they do in turns of the event loop only; runs on every thread.
 *
 * Engines do not know how much memory hangs on a buffer object. Ballast makes them collect in time as a rule, but not for a program that makes
 * 4 GiB of arrays within a few turns. So an allocation that fails has the host collect, where it can, looks for large arrays that are gone, and
 * tries again. A weak reference keeps its buffer until the thread's job ends. So what is dropped in the job that is running counts as in use, as it does
 * for finalizers.
 */

/** Smallest array that is looked for (bytes). Four million smaller ones would be needed to fill the heap. */
const LEAST_BYTES = 1024;

/**
 * A collection that freed nothing is made again after this many times its duration, unless as many bytes as are asked for, and no less than
 * `WORTH_BYTES`, were allocated meanwhile.
 */
const PATIENCE = 20;
/** Arrays that are worth a collection before its time (bytes). Fewer would have a program with a full heap collect at every call. */
const WORTH_BYTES = 2 ** 24;

/** Buffer objects of one array that may be gone. */
export type Traces = WeakRef<object>[] | undefined;

/** Bytes of arrays that were made since the last collection. */
let madeBytes = 0;
let nextMs = 0;

/** Collects garbage; false where the host cannot. */
let collect = (): boolean => false;

export function setCollector(how: typeof collect): void {
  collect = how;
}

/** Notes a buffer object of an array of so many bytes. */
export function trace(traces: Traces, buffer: object, bytes: number): Traces {
  if (bytes < LEAST_BYTES) return traces;
  madeBytes += bytes;
  const all = traces ?? [];
  all.push(new WeakRef(buffer));
  return all;
}

const isHere = (trace: WeakRef<object>): boolean => trace.deref() !== undefined;

/** Keeps the objects until the job ends: what the library knows of the array by its place alone stays as it is while an allocation reclaims memory. */
export function keepForJob(traces: Traces): void {
  if (traces !== undefined) for (const trace of traces) trace.deref();
}

/** Those whose objects live. */
export const living = (traces: Traces): Traces => traces?.filter(isHere);

/** Checks whether all buffer objects of an array are gone. @param buffers how many there are, by their finalizers */
export const areGone = (traces: Traces, buffers: number): boolean =>
  traces !== undefined && traces.length >= buffers && !traces.some(isHere);

/** The latest collection has freed something: the next allocation that does not fit collects again. */
export function hasFreed(): void {
  nextMs = 0;
}

/** Collects garbage for an allocation of so many bytes, unless that was tried in vain just now. First: a look at a weak reference keeps its object alive. */
export function collectFor(bytes: number): void {
  const startMs = performance.now();
  if (madeBytes < Math.max(bytes, WORTH_BYTES) && startMs < nextMs) return;
  if (!collect()) return;
  madeBytes = 0;
  const endMs = performance.now();
  nextMs = endMs + PATIENCE * (endMs - startMs);
}
