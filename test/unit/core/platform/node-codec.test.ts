/** Which codec a runtime with Node's modules gets. */
import v8 from 'node:v8';
import { buildSync } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NotShareableError } from '../../../../src/core/errors.js';
import type { PlatformHost, PortableCodec } from '../../../../src/core/platform/host.js';
import { detect } from '../../../../src/core/platform/node.js';
import { makeCodec } from '../../../../src/core/platform/node-codec.js';
import { runNode } from '../../../helpers/child-process.js';

const views = {
  encode: () => undefined,
  decode: () => {
    throw new Error('no view is shared here');
  },
};

test("Node's serializer makes the bytes, and refuses what cannot travel", () => {
  const codec = makeCodec();
  const value = { a: [-0, new Uint8Array([1, 2])], m: new Map([[1n, new Set(['x'])]]) };
  expect(codec.deserialize(codec.serialize(value, views), views)).toEqual(value);
  for (const refused of [() => {}, { f: Symbol('s') }, new Proxy({}, {})])
    expect(() => codec.serialize(refused, views)).toThrow(/^furcate: .* could not be cloned/);
});

test('its errors are those of the library where each serializer has its own maker of errors, as in Deno', () => {
  class Serializer extends v8.Serializer {
    _getDataCloneError: unknown = Error;
  }
  const codec = makeCodec({ ...v8, Serializer } as never);
  expect(() => codec.serialize({ f() {} }, views)).toThrow(NotShareableError);
});

test('a thread that is terminated while it rejects promises does not take the process with it', async () => {
  const built = buildSync({
    entryPoints: ['src/core/platform/node-codec.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    write: false,
  });
  const codec = `data:text/javascript,${encodeURIComponent(built.outputFiles[0]?.text as string)}`;
  expect(await runNode('test/fixtures/programs/terminated.mjs', '50', codec)).toEqual({
    code: 0,
    stdout: 'ended\n',
    stderr: '',
  });
});

describe("a runtime with Node's modules", () => {
  const portable = vi.fn<PortableCodec>(() => ({ serialize: () => new Uint8Array(1), deserialize: () => 'portable' }));
  const versions = Object.getOwnPropertyDescriptor(process, 'versions') as PropertyDescriptor;

  afterEach(() => {
    Object.defineProperty(process, 'versions', versions);
    portable.mockClear();
  });

  test('keeps its serializer, and asks for no other', () => {
    const { serialize, deserialize } = detect(portable) as PlatformHost;
    expect(deserialize(serialize([1], views), views)).toEqual([1]);
    expect(portable).not.toHaveBeenCalled();
  });

  test('gets the portable codec where a use of the serializer throws, which is Bun, and lets it refuse proxies', () => {
    Object.defineProperty(process, 'versions', { ...versions, value: { ...process.versions, bun: '1.4.0' } });
    const { serialize, deserialize } = detect(portable) as PlatformHost;
    expect(deserialize(serialize([1], views), views)).toBe('portable');
    const [[isProxy]] = portable.mock.calls as [[(value: object) => boolean]];
    expect([isProxy(new Proxy({}, {})), isProxy({})]).toEqual([true, false]);
  });
});
