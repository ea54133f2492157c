/**
 * Buffers that are moved to workers (the option `transfer`); runs on the calling thread.
 *
 * Their bytes are copied once into shared memory with the value that holds them, as any task may be taken by any worker. Then they are
 * detached here, so that their memory is free while the workers have theirs.
 */

import { disown } from '../../core/engine.js';
import { isSharedBuffer } from '../../core/memory/element-types.js';
import { shown } from '../shown.js';
import type { Run } from './source.js';

type Movable = ArrayBuffer & { transfer?(length: number): unknown };

const isMovable = (value: unknown): value is Movable =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/**
 * The buffers that `transfer` names in values.
 *
 * @throws TypeError for what is no list of buffers; what `transfer` throws
 */
export function moved(
  transfer: ((value: unknown) => unknown) | undefined,
  { first, values }: Run,
): ReadonlySet<Movable> {
  const buffers = new Set<Movable>();
  if (transfer === undefined) return buffers;
  for (const [k, value] of values.entries()) {
    const named = transfer(value);
    const isList = Array.isArray(named);
    const wrong: unknown = isList ? named.find((one) => !isMovable(one) && !isSharedBuffer(one)) : named;
    if (!isList || wrong !== undefined) {
      disown(wrong);
      const cure = ArrayBuffer.isView(wrong) ? ' Name its buffer: [bytes.buffer].' : '';
      throw new TypeError(
        `furcate: options.transfer must return an array of ArrayBuffers; for value ${first + k} it returned ${isList ? `one with ${shown(wrong)}` : shown(wrong)}.${cure}`,
      );
    }
    for (const buffer of named) if (isMovable(buffer)) buffers.add(buffer);
  }
  return buffers;
}

/** Takes their memory away. What cannot be detached, such as the memory of a WebAssembly module, stays as it is. */
export function detach(buffers: Iterable<Movable>): void {
  for (const buffer of buffers) {
    try {
      if (buffer.transfer === undefined) structuredClone(buffer, { transfer: [buffer] });
      else buffer.transfer(0);
    } catch {
      // It was copied, as all of them are.
    }
  }
}
