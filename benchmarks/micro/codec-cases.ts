/** Values that cross threads in a benchmark of codecs, and what is checked of them; runs in any process. */
import type { ValueCodec, ViewCodec } from '../../src/core/platform/host.js';

interface Case {
  readonly name: string;
  readonly value: unknown;
  /** Round trips in a sample: some milliseconds. */
  readonly times: number;
}

const objects = (count: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `object ${id}`, share: id / 7, isOdd: id % 2 === 1 }));

export const CASES: readonly Case[] = [
  { name: 'three numbers', value: [1, 2.5, -3], times: 1000 },
  { name: 'a string', value: ['a short string'], times: 1000 },
  { name: 'a small object', value: [{ from: 1, to: 100, name: 'part', options: { deep: true } }], times: 1000 },
  { name: '1,000 objects', value: objects(1000), times: 5 },
  { name: '1,000 strings', value: objects(1000).map((_, id) => `string number ${id}`), times: 20 },
  { name: '1,000 numbers', value: Array.from({ length: 1000 }, (_, k) => k / 8), times: 50 },
  { name: 'a string of 1 MB', value: 'x'.repeat(1e6), times: 5 },
  { name: 'a typed array of 1 MB', value: new Uint8Array(1e6).fill(7), times: 10 },
];

const views: ViewCodec = {
  encode: () => undefined,
  decode: () => {
    throw new Error('no view is shared');
  },
};

export const through = (codec: ValueCodec, value: unknown): unknown =>
  codec.deserialize(codec.serialize(value, views), views);

/** A text that tells values apart. */
export const told = (value: unknown): string =>
  ArrayBuffer.isView(value) ? `${value.byteLength} bytes, ${String(value).length}` : JSON.stringify(value);

/** Times of the first ten calls (ms), the making of the codec in the first one; printed as JSON, with the check. */
export function firstCalls(make: () => ValueCodec, count: number): void {
  const value = count === 0 ? (CASES[2] as Case).value : objects(count);
  const expected = told(value);
  let codec: ValueCodec | undefined;
  let answer = true;
  const ms = Array.from({ length: 10 }, () => {
    const start = process.hrtime.bigint();
    codec ??= make();
    const back = through(codec, value);
    const end = process.hrtime.bigint();
    answer &&= told(back) === expected;
    return Number(end - start) / 1e6;
  });
  console.log(JSON.stringify({ ms, answer }));
}
