/**
 * Values as bytes and back, in plain JavaScript, for hosts without a serializer; runs on every thread.
 *
 * The codec copies what structured cloning copies, and refuses what it refuses. As in all codecs of the library, a view on memory that threads share
 * crosses as numbers, and any other view comes with its own bytes alone, on a buffer of its own. Unlike structured cloning, the codec takes objects at
 * any depth, and leaves out what a very long array has besides its elements (`LONG_ARRAY`).
 *
 * The format is described in codec/format.ts.
 */
import { ByteWriter } from './codec/byte-writer.js';
import { VERSION } from './codec/format.js';
import { ValueReader } from './codec/value-reader.js';
import { ValueWriter } from './codec/value-writer.js';
import type { PortableCodec } from './host.js';

export const portableCodec: PortableCodec = (isProxy) => {
  /** Undefined while a call uses it. A getter of a value may serialize another value meanwhile. */
  let spare: ByteWriter | undefined = new ByteWriter();
  return {
    serialize(value, views) {
      const out = spare ?? new ByteWriter();
      spare = undefined;
      try {
        out.byte(VERSION);
        new ValueWriter(out, views, isProxy).writeAll(value);
        return out.take();
      } finally {
        out.clear();
        spare = out;
      }
    },
    deserialize: (bytes, views) => new ValueReader(bytes, views).readAll(),
  };
};
