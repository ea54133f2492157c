/** What inline functions and tasks of every pool compute from an index alone: reductions over ranges, random numbers, text of shared bytes and of files. */
import {
  decodeText,
  type FilePart,
  fileParts,
  lineChunks,
  parallelFor,
  parallelMap,
  parallelReduce,
  parallelReduceRange,
  parallelTabulate,
  randomStreams,
  SequentialExecutor,
  sharedArray,
  sharedFile,
} from 'furcate';
import { describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { coldPools, warmPools } from '../helpers/pools.js';

const POOLS = ofEachKind(
  [warmPools(1), warmPools(2, true), warmPools(4), coldPools(1)],
  ({ cold, parallelism }) => cold || parallelism === 4,
);
const random = randomStreams(2026);

const drawn = (i: number): number => {
  const stream = random.stream(i);
  return stream.next() + stream.below(10) + stream.next();
};

describe.each(POOLS)('$name:', (pools) => {
  test('random numbers of an index are those of the caller, and a sum over them has the same bits', async () => {
    const draw = (i: number, { random }: { random: ReturnType<typeof randomStreams> }): number => {
      const stream = random.stream(i);
      return stream.next() + stream.below(10) + stream.next();
    };
    const options = { context: { random }, threshold: 16 };
    const xs = await pools.use((pool) => parallelTabulate(Float64Array, 300, draw, { pool, ...options }));
    expect([...xs]).toEqual(Array.from({ length: 300 }, (_, i) => drawn(i)));
    const sum = await pools.use((pool) => parallelReduceRange(300, 'sum', { map: draw, pool, ...options }));
    const alone = { map: draw, pool: new SequentialExecutor(), ...options };
    expect(sum).toBe(await parallelReduceRange(300, 'sum', alone));
  });

  test('tables of parts are added up in place, whichever threads fill them', async () => {
    const bytes = sharedArray(
      Uint8Array,
      Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251),
    );
    const count = (lo: number, hi: number, context: { bytes: Uint8Array }): Uint32Array => {
      const table = new Uint32Array(256);
      for (let i = lo; i < hi; i++) table[context.bytes[i] as number]!++;
      return table;
    };
    const add = (a: Uint32Array, b: Uint32Array): Uint32Array => {
      for (let k = 0; k < a.length; k++) a[k]! += b[k] as number;
      return a;
    };
    const none = new Uint32Array(256);
    const table = await pools.use((pool) =>
      parallelReduceRange(bytes.length, add, none, { mapRange: count, context: { bytes }, pool }),
    );
    expect(table).toEqual(count(0, bytes.length, { bytes }));
    expect(none.every((n) => n === 0)).toBe(true);
  });

  test('chunks of a file arrive as shared bytes, whose text an inline function decodes', async () => {
    const lines = Array.from({ length: 200 }, (_, k) => `Zeile ${k} – ä`);
    const bytes = await sharedFile(new Blob([lines.join('\n')]));
    const touched = sharedArray(Int32Array, 1);
    const count = (chunk: Uint8Array, _: number, context: { decodeText: typeof decodeText }): string[] =>
      context.decodeText(chunk).replace(/\n$/, '').split('\n');
    const found = await pools.use((pool) =>
      parallelMap(lineChunks(bytes, { chunkBytes: 500 }), count, { pool, context: { decodeText } }),
    );
    expect(found.flat()).toEqual(lines);
    const chunks = lineChunks(bytes, { chunkBytes: 500 });
    const touch = (i: number, context: { chunk: Uint8Array; touched: Int32Array }): void => {
      context.touched[0] = context.chunk[i] ?? -1;
    };
    await pools.use((pool) => parallelFor(1, touch, { pool, context: { chunk: chunks[0] as Uint8Array, touched } }));
    expect(touched[0]).toBe(90);
  });

  test('parts of a file are read by the thread that gets them, as plain values and in a context', async () => {
    const file = new URL('../fixtures/joining.mjs', import.meta.url);
    const text = decodeText(await sharedFile(file));
    const parts = await fileParts(file, { partBytes: 500 });
    const lines = await pools.use((pool) => parallelMap(parts, (part) => [...part.lines()], { pool }));
    expect(lines.flat()).toEqual(text.replace(/\n$/, '').split('\n'));
    const lengthOf = (part: FilePart): number => part.bytes().length;
    expect(await pools.use((pool) => parallelReduce(parts, 'sum', { map: lengthOf, pool }))).toBe(parts.at(-1)?.end);
    const textOf = (_: number, __: number, { part }: { part: FilePart }): string => part.text();
    const context = { part: parts[0] as FilePart };
    const [first = ''] = await pools.use((pool) => parallelMap([0], textOf, { pool, context }));
    expect(first.length > 0 && text.startsWith(first)).toBe(true);
  });
});

test('a file that is not there is told by the platform; where there are no files by path, what to use instead', async () => {
  const isBrowser = (globalThis as { process?: unknown }).process === undefined;
  const told = isBrowser ? 'Read a File or a Blob as a stream: lineChunks(file.stream()).' : /ENOENT|No such file/;
  await expect(fileParts('missing.txt')).rejects.toThrow(told);
});

test('an empty file is an empty array', async () => {
  expect((await sharedFile(new Blob([]))).length).toBe(0);
});
