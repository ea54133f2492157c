/** Edge runtimes have a MessageChannel by name alone: the first use of it would throw what says nothing of the library. */
import { afterEach, expect, test, vi } from 'vitest';
import { host, registerHost } from '../../../../src/core/platform/host.js';
import { detect } from '../../../../src/core/platform/web.js';

afterEach(() => vi.unstubAllGlobals());

test('an edge runtime is told to run the route on Node', () => {
  const codec = () => ({ serialize: () => new Uint8Array(), deserialize: () => undefined });
  expect(detect(codec)).toBeDefined();
  vi.stubGlobal('EdgeRuntime', 'edge-runtime');
  registerHost(() => detect(codec));
  expect(() => host()).toThrow(/furcate: an edge runtime has neither threads .*runtime = 'nodejs'/);
});
