import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineChunks } from '../../../../src/algorithms/text/line-chunks.js';
import { decodeText } from '../../../../src/core/code/decode-text.js';
import { isShared, sharedArray } from '../../../../src/core/memory/shared-array.js';

test('chunks are all bytes in their order, of whole lines, and as long as they may be', () => {
  const line = fc.array(fc.constantFrom(...'abä\r'), { maxLength: 12 }).map((letters) => letters.join(''));
  const texts = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
  const property = fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, chunkBytes) => {
    const bytes = new TextEncoder().encode(text);
    const chunks = lineChunks(bytes, { chunkBytes });
    expect(chunks.map((chunk) => decodeText(chunk)).join('')).toBe(text);
    for (const [k, chunk] of chunks.entries()) {
      const lines = decodeText(chunk).split('\n').length - 1;
      const isLast = k === chunks.length - 1;
      expect(chunk.length).toBeGreaterThan(0);
      if (!isLast) expect(chunk.at(-1)).toBe(10);
      if (chunk.length > chunkBytes) expect(lines).toBeLessThanOrEqual(1);
      const next = chunks[k + 1];
      if (next !== undefined)
        expect(chunk.length + next.indexOf(10) + 1 > chunkBytes || next.indexOf(10) < 0).toBe(true);
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test('chunks of shared bytes are shared, and have no copy of them', () => {
  const bytes = sharedArray(Uint8Array, new TextEncoder().encode('to be\nor not'));
  const chunks = lineChunks(bytes, { chunkBytes: 6 });
  expect(chunks.map((chunk) => [isShared(chunk), decodeText(chunk)])).toEqual([
    [true, 'to be\n'],
    [true, 'or not'],
  ]);
  bytes[0] = 84;
  expect(decodeText(chunks[0] as Uint8Array)).toBe('To be\n');
});

test.each([
  [() => lineChunks([1] as never), 'lineChunks: bytes must be a Uint8Array'],
  [() => lineChunks(new Uint8Array(1), { chunkBytes: 0 }), 'options.chunkBytes must be an integer from 1'],
  [() => lineChunks(new Uint8Array(1), { bytes: 1 } as never), 'bytes'],
])('%# is refused by name', (call, message) => {
  expect(call).toThrow(message);
});
