/**
 * `decodeText`: the text of bytes, which may be shared; on every thread. It is in the core, and not in the family of `lineChunks`: what travels in a
 * context must be known under its name before any of it is called.
 */
import { show } from '../errors.js';
import { isShared } from '../memory/shared-array.js';
import { builtin } from './registry.js';

/** By encoding. Making one takes as long as decoding a kilobyte. */
const decoders = new Map<string, TextDecoder>();

/**
 * Decodes bytes to text, also bytes in shared memory, which the `TextDecoder` of browsers refuses: it decodes a copy of those. What is no text of the
 * encoding becomes U+FFFD. An inline function of an algorithm gets it through its context: `{ context: { decodeText } }`.
 *
 * @param bytes a `Uint8Array`, such as a part of what `sharedFile` gives. Nobody writes to it meanwhile
 * @param encoding as of `TextDecoder`; default 'utf-8'
 * @throws TypeError for other bytes; RangeError for an encoding that the platform does not know
 * @example
 * decodeText(sharedArray(Uint8Array, [102, 111, 114, 107])); // => 'fork'
 */
export function decodeText(bytes: Uint8Array, encoding = 'utf-8'): string {
  if (!ArrayBuffer.isView(bytes) || bytes[Symbol.toStringTag] !== 'Uint8Array')
    throw new TypeError(
      `furcate: decodeText(bytes, encoding) takes a Uint8Array, such as sharedFile() gives; it was given ${show(bytes)}.`,
    );
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    if (typeof encoding !== 'string')
      throw new TypeError(
        `furcate: decodeText(bytes, encoding): encoding must be a name, such as 'utf-8'; it was ${show(encoding)}.`,
      );
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder.decode(isShared(bytes) ? bytes.slice() : bytes);
}

builtin('decodeText', decodeText); // so that it travels in a context
