/** Which codec a runtime with Node's modules gets. */
import v8 from 'node:v8';
import { describe, expect, test, vi } from 'vitest';
import { NotShareableError } from '../../../../src/core/errors.js';
import { makeCodec } from '../../../../src/core/platform/node-codec.js';

const views = {
  encode: () => undefined,
  decode: () => {
    throw new Error('no view is shared here');
  },
};

class Unimplemented {
  constructor() {
    throw new Error('node:v8 Serializer is not yet implemented in Bun.');
  }
}

describe.each([
  ["Node's serializer", undefined],
  ['plain JavaScript, where a use of the serializer throws, as in Bun', { Serializer: Unimplemented } as never],
])('%s', (_, modules) => {
  test('makes the bytes, and refuses what cannot travel', () => {
    const codec = makeCodec(modules);
    const value = { a: [-0, new Uint8Array([1, 2])], m: new Map([[1n, new Set(['x'])]]) };
    expect(codec.deserialize(codec.serialize(value, views), views)).toEqual(value);
    for (const refused of [() => {}, { f: Symbol('s') }, new Proxy({}, {})])
      expect(() => codec.serialize(refused, views)).toThrow(/^furcate: .* could not be cloned/);
  });
});

test('its errors are those of the library where each serializer has its own maker of errors, as in Deno', () => {
  class Serializer extends v8.Serializer {
    _getDataCloneError: unknown = Error;
  }
  const codec = makeCodec({ ...v8, Serializer } as never);
  expect(() => codec.serialize({ f() {} }, views)).toThrow(NotShareableError);
});

test('the serializer of a runtime is tried once, when the codec is made', () => {
  const tried = vi.fn();
  class Serializer {
    constructor() {
      tried();
      throw new Error('not today');
    }
  }
  const codec = makeCodec({ Serializer } as never);
  for (let k = 0; k < 3; k++) codec.serialize(k, views);
  expect(tried).toHaveBeenCalledTimes(1);
});
