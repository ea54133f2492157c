/**
 * Buffers and other objects that are moved to workers (options `transfer`); runs on the calling thread.
 *
 * Ports, canvases and the like go to the worker that runs their task, which is known beforehand then (moved-objects.ts). Buffers go to any:
 * their bytes are copied once into shared memory with the value that holds them. Then they are
 * detached here, so that their memory is free while the workers have theirs. A buffer that the value has only a part of stays: the rest may
 * be another's, as in the `ArrayBuffer` that small Buffers of Node share.
 */
import { Copier, type CopyRule } from '../code/data-copy.js';
import { isTransferable, whileMoving } from '../code/platform-objects.js';
import { show } from '../errors.js';
import { isSharedBuffer } from '../memory/element-types.js';
import { type Moves, numbered } from '../memory/moved-objects.js';
import { disown } from './slow-paths.js';

type Movable = ArrayBuffer & { transfer?(length: number): unknown };

/** Memory and handles that values lose to the workers that get them. */
interface Moved {
  /** Ports and the like, which go along with the task that gets the values. */
  readonly moves: Moves | undefined;
  /** Copies the values with what stands for these. */
  during<T>(copy: () => T): T;
  /** Takes the memory of buffers away: to be called when the values are on their way. */
  detach(): void;
}

const NOTHING: Moved = { moves: undefined, during: (copy) => copy(), detach() {} };

const isMovable = (value: unknown): value is Movable =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/**
 * Asks `transfer` for the buffers and other objects of values that this thread needs no more.
 *
 * @param names what errors call the option, and the value at an index
 * @throws TypeError for what is no list of such objects; what `transfer` throws
 */
export function moved(
  transfer: ((value: unknown) => unknown) | undefined,
  values: readonly unknown[],
  names: { readonly option: string; value(k: number): string },
): Moved {
  if (transfer === undefined) return NOTHING;
  const named: [value: unknown, buffers: ReadonlySet<Movable>][] = [];
  const others: object[] = [];
  for (const [k, value] of values.entries()) {
    const buffers = transfer(value);
    const isList = Array.isArray(buffers);
    const wrong: unknown = isList
      ? buffers.find((one) => !isMovable(one) && !isSharedBuffer(one) && !isTransferable(one))
      : buffers;
    if (!isList || wrong !== undefined) {
      disown(wrong);
      const cure = ArrayBuffer.isView(wrong) ? ' Name its buffer: [bytes.buffer].' : '';
      throw new TypeError(
        `furcate: ${names.option} must return an array of ArrayBuffers, ports, canvases or the like; for ${names.value(k)} it returned ${isList ? `one with ${show(wrong)}` : show(wrong)}.${cure}`,
      );
    }
    named.push([value, new Set(buffers.filter(isMovable))]);
    others.push(...buffers.filter(isTransferable));
  }
  const moves = others.length === 0 ? undefined : numbered(others);
  return {
    moves,
    during: (copy) => whileMoving(moves, copy),
    detach() {
      const whole = named.flatMap(([value, buffers]) => (buffers.size === 0 ? [] : wholeIn(value, buffers))); // before any is detached
      for (const buffer of new Set(whole)) detach(buffer);
    },
  };
}

/** Those of the buffers that a value has all bytes of, in itself or under its views. */
function wholeIn(value: unknown, buffers: ReadonlySet<Movable>): Movable[] {
  const ranges = new Map<unknown, [from: number, to: number][]>();
  const note: CopyRule = (part) => {
    const isView = ArrayBuffer.isView(part);
    const buffer = isView ? part.buffer : part;
    const [from, length] = isView ? [part.byteOffset, part.byteLength] : [0, (part as Movable).byteLength];
    if (buffers.has(buffer as Movable)) ranges.set(buffer, [...(ranges.get(buffer) ?? []), [from, from + length]]);
    return part;
  };
  try {
    new Copier().copy(value, note, String);
  } catch {
    return []; // a getter of the value throws now
  }
  return [...buffers].filter((buffer) => {
    const sorted = (ranges.get(buffer) ?? []).sort(([a], [b]) => a - b);
    return sorted.reduce((end, [from, to]) => (from > end ? end : Math.max(end, to)), 0) === buffer.byteLength;
  });
}

/**
 * Detaches a buffer. One that cannot be detached stays as it is: the memory of a WebAssembly module, and what the runtime or the
 * program has marked as not transferable, which `transfer()` of Node 22.12 to 24.10 overlooks.
 */
function detach(buffer: Movable): void {
  try {
    structuredClone(buffer, { transfer: [buffer] }).transfer?.(0); // so that the memory is free now, not at the next collection
  } catch {
    // It was copied, as all of them are.
  }
}
