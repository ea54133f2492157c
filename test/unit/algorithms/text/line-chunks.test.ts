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

test('chunks of a stream are those of its bytes, however these come in pieces', async () => {
  const texts = fc.array(fc.constantFrom(...'abä\n'), { maxLength: 120 }).map((letters) => letters.join(''));
  const property = fc.asyncProperty(
    texts,
    fc.integer({ min: 1, max: 30 }),
    fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 10 }),
    async (text, chunkBytes, sizes) => {
      const bytes = new TextEncoder().encode(text);
      const scratch = new Uint8Array(40); // a stream may use its buffer again
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0, k = 0; at < bytes.length; k++) {
          const piece = bytes.subarray(at, at + (sizes[k % sizes.length] as number) + (k % 7 === 6 ? 1 : 0));
          scratch.set(piece);
          yield scratch.subarray(0, piece.length);
          at += piece.length;
        }
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of lineChunks(pieces(), { chunkBytes })) chunks.push(chunk);
      expect(chunks.map((chunk) => decodeText(chunk))).toEqual(
        lineChunks(bytes, { chunkBytes }).map((chunk) => decodeText(chunk)),
      );
      for (const chunk of chunks) expect(chunk.buffer.byteLength).toBe(chunk.length); // nothing else crosses with it
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test('a stream is read as chunks are asked for, and closed by who stops', async () => {
  const line = new TextEncoder().encode('0123456\n');
  let read = 0;
  let isClosed = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      read++;
      controller.enqueue(line);
    },
    cancel: () => {
      isClosed = true;
    },
  });
  for await (const chunk of lineChunks(stream, { chunkBytes: 16 })) {
    expect(chunk.length).toBe(16);
    if (read > 20) break;
  }
  expect(read).toBeLessThan(24);
  expect(isClosed).toBe(true);
});

test.each(['is read to its end', 'is left', 'fails', 'cannot be cancelled'])(
  'a stream of the Web that %s is unlocked',
  async (how) => {
    let read = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (++read === 20 && how === 'fails') controller.error(new RangeError('of the stream'));
        else if (read === 20 && how === 'is read to its end') controller.close();
        else controller.enqueue(new Uint8Array([97, 10]));
      },
      cancel: () => {
        if (how === 'cannot be cancelled') throw new RangeError('of the stream');
      },
    });
    const reading = (async () => {
      for await (const _ of lineChunks(stream, { chunkBytes: 4 })) if (read > 30) break;
    })();
    const hasError = ['fails', 'cannot be cancelled'].includes(how);
    await (hasError ? expect(reading).rejects.toThrow('of the stream') : reading);
    expect(stream.locked).toBe(false);
  },
);

test('a long line takes as many steps as its bytes', async () => {
  const piece = new Uint8Array(1_024).fill(97);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let k = 0; k < 4_096; k++) yield piece;
    yield new Uint8Array([10, 98]);
  }
  const lengths: number[] = [];
  for await (const chunk of lineChunks(pieces(), { chunkBytes: 100 })) lengths.push(chunk.length);
  expect(lengths).toEqual([4_096 * 1_024 + 1, 1]);
});

test('a stream of anything but bytes is refused when it is read', async () => {
  async function* texts(): AsyncGenerator<string> {
    yield 'to be';
  }
  const reading = (async () => {
    for await (const _ of lineChunks(texts() as never));
  })();
  await expect(reading).rejects.toThrow('lineChunks: bytes must be a stream of Uint8Arrays');
});

test.each([
  [() => lineChunks([1] as never), 'lineChunks: bytes must be a Uint8Array'],
  [() => lineChunks({} as never), 'or a stream of bytes'],
  [() => lineChunks(new Uint8Array(1), { chunkBytes: 0 }), 'options.chunkBytes must be an integer from 1'],
  [() => lineChunks(new Uint8Array(1), { bytes: 1 } as never), 'bytes'],
])('%# is refused by name', (call, message) => {
  expect(call).toThrow(message);
});
