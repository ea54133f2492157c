/**
 * Digests that tell values apart, equal in all processes. They are of the bytes of the portable codec, which depend on values alone: V8's serializer writes a 4
 * in two ways, depending on whether the engine holds it as an integer or as a double.
 */
import { portableCodec } from '../../core/platform/portable-codec.js';
import { digestOf } from './names.js';

const codec = portableCodec();
const views = {
  encode: () => undefined,
  decode: (): never => {
    throw new Error('furcate: what tells values apart is never decoded.');
  },
};

/** Bytes that are equal for equal plain data, as `identityOf` gives it. */
export const canonicalBytes = (data: unknown): Uint8Array => codec.serialize(data, views);

/** @param data as `identityOf` gives it */
export const digestOfData = (data: unknown): string => digestOf(canonicalBytes(data));
