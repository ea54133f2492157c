/** What inline functions and tasks of every pool compute from an index alone: reductions over ranges, random numbers, and text of shared bytes. */
import {
  decodeText,
  lineChunks,
  parallelFor,
  parallelMap,
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
});

test('an empty file is an empty array', async () => {
  expect((await sharedFile(new Blob([]))).length).toBe(0);
});
