/** The codecs of values that hosts have, for tests that each of them must pass. */
import { types } from 'node:util';
import { type PlatformHost, registerHost, type ValueCodec } from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';
import { nodeCodec } from '../../src/core/platform/node-codec.js';
import { portableCodec } from '../../src/core/platform/portable-codec.js';

export const CODECS: readonly (readonly [name: string, codec: ValueCodec])[] = [
  ["V8's serializer", nodeCodec()],
  ['the portable codec', portableCodec(types.isProxy)],
];

/** Makes this thread's host Node with another codec; returns what replaces the codec. */
export function hostWithCodec(): (codec: ValueCodec) => void {
  let current: ValueCodec = nodeCodec();
  registerHost(() => ({
    ...(detectNode() as PlatformHost),
    serialize: (value, views) => current.serialize(value, views),
    deserialize: (bytes, views) => current.deserialize(bytes, views),
  }));
  return (codec) => {
    current = codec;
  };
}
