import { expect, test } from 'vitest';
import { decodeText } from '../../../../src/core/code/decode-text.js';

test('text is decoded as TextDecoder does, in any of its encodings', () => {
  expect(decodeText(Uint8Array.of(0xc3, 0xa4, 0xff))).toBe('ä\ufffd');
  expect(decodeText(Uint8Array.of(0xe4), 'latin1')).toBe('ä');
  expect(decodeText(Uint8Array.of(0xe4, 0), 'utf-16le')).toBe('ä');
});

test('what is no array of bytes, and what is no encoding, is refused by name', () => {
  expect(() => decodeText('text' as never)).toThrow('furcate: decodeText(bytes, encoding) takes a Uint8Array');
  expect(() => decodeText(new Uint8Array(1), 7 as never)).toThrow('encoding must be a name');
  expect(() => decodeText(new Uint8Array(1), 'klingon')).toThrow(RangeError);
});
