/** Views on shared memory as places, in records and in bytes; runs on every thread. */
import { NotShareableError } from '../errors.js';
import { constructorOfType, isSharedBuffer, type TypedArrayConstructor, typeOfView } from '../memory/element-types.js';
import { externalBuffer, externalId } from '../memory/external-buffers.js';
import { describe, isNonOwning, nonOwningView, viewAt } from '../memory/shared-array.js';
import { host, type ViewCodec } from '../platform/host.js';

/** Kinds of shared views. */
const HEAP = 1;
export const EXTERNAL = 2;
const NON_OWNING = 3;

/** Numbers of shared buffers begin at 1; this one stands for a buffer that this thread may not pass on. */
export const NO_BUFFER = 0;

/** The place of a view on shared memory: kind, type, block or buffer, byte offset, length, serial. Undefined for other views. */
export function placeOf(view: ArrayBufferView): number[] | undefined {
  const type = typeOfView(view);
  const length = (view as Partial<Uint8Array>).length ?? view.byteLength; // a DataView has no elements
  if (isNonOwning(view)) return [NON_OWNING, type, 0, view.byteOffset, length, 0];
  const on = describe(view);
  if (on !== undefined) return [HEAP, on.type, on.block, on.byteOffset, on.length, on.serial];
  if (!isSharedBuffer(view.buffer)) return undefined;
  return [EXTERNAL, type, externalId(view.buffer) ?? NO_BUFFER, view.byteOffset, length, 0];
}

/** The view at a place that `placeOf` gave. */
export function viewOf([kind, type, memory, byteOffset, length, serial]: readonly number[]): ArrayBufferView {
  if (kind === HEAP) return viewAt(type, memory, byteOffset, length, serial);
  if (kind === NON_OWNING) return nonOwningView(type, byteOffset, length);
  const View = constructorOfType(type) ?? DataView;
  return new (View as TypedArrayConstructor)(externalBuffer(memory) as SharedArrayBuffer, byteOffset, length);
}

/** Codec by which the serializer treats shared memory. */
export const views: ViewCodec = {
  encode(view) {
    const place = placeOf(view);
    if (place?.[0] === EXTERNAL && place[2] === NO_BUFFER) throw notPassedOn();
    return place;
  },
  decode: viewOf,
};

const notPassedOn = (): NotShareableError =>
  new NotShareableError(
    'furcate: a SharedArrayBuffer made in a worker cannot be passed on. Use sharedArray(), which every worker sees.',
  );

/** Any value that can be cloned as bytes; views on shared memory stay shared. */
export const toBytes = (value: unknown): Uint8Array => host().serialize(value, views);

export const fromBytes = (bytes: Uint8Array): unknown => host().deserialize(bytes, views);
