/**
 * Buffers that are moved to workers (options `transfer`); runs on the calling thread.
 *
 * Their bytes are copied once into shared memory with the value that holds them, as any task may be taken by any worker. Then they are
 * detached here, so that their memory is free while the workers have theirs.
 */
import { show } from '../errors.js';
import { isSharedBuffer } from '../memory/element-types.js';
import { disown } from './slow-paths.js';

type Movable = ArrayBuffer & { transfer?(length: number): unknown };

const isMovable = (value: unknown): value is Movable =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/**
 * Asks `transfer` for the buffers of values that this thread needs no more.
 *
 * @param names what errors call the option, and the value at an index
 * @returns takes the memory of these buffers away: to be called when the values are on their way
 * @throws TypeError for what is no list of buffers; what `transfer` throws
 */
export function moved(
  transfer: ((value: unknown) => unknown) | undefined,
  values: readonly unknown[],
  names: { readonly option: string; value(k: number): string },
): () => void {
  if (transfer === undefined) return () => {};
  const buffers = new Set<Movable>();
  for (const [k, value] of values.entries()) {
    const named = transfer(value);
    const isList = Array.isArray(named);
    const wrong: unknown = isList ? named.find((one) => !isMovable(one) && !isSharedBuffer(one)) : named;
    if (!isList || wrong !== undefined) {
      disown(wrong);
      const cure = ArrayBuffer.isView(wrong) ? ' Name its buffer: [bytes.buffer].' : '';
      throw new TypeError(
        `furcate: ${names.option} must return an array of ArrayBuffers; for ${names.value(k)} it returned ${isList ? `one with ${show(wrong)}` : show(wrong)}.${cure}`,
      );
    }
    for (const buffer of named) if (isMovable(buffer)) buffers.add(buffer);
  }
  return () => detach(buffers);
}

/** What cannot be detached, such as the memory of a WebAssembly module, stays as it is. */
function detach(buffers: Iterable<Movable>): void {
  for (const buffer of buffers) {
    try {
      if (buffer.transfer === undefined) structuredClone(buffer, { transfer: [buffer] });
      else buffer.transfer(0);
    } catch {
      // It was copied, as all of them are.
    }
  }
}
