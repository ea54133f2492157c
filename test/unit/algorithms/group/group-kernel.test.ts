import { expect, test } from 'vitest';
import { groupKernel, keyWords } from '../../../../src/algorithms/group/group-kernel.js';
import { difference } from '../../../helpers/array-values.js';

/** The words of an array of half floats, which only new hosts have. */
class Halves extends Uint16Array {
  override get [Symbol.toStringTag](): never {
    return 'Float16Array' as never;
  }
}

/** The value of a half float. */
function halfValue(half: number): number {
  const sign = half >> 15 === 0 ? 1 : -1;
  const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

test('half floats are grouped as by Map, all of them: -0 with 0, and every NaN with every other', () => {
  const xs = Halves.from({ length: 2 ** 16 }, (_, i) => (i * 40_503) & 0xffff); // each once, -0 and NaN among the others
  const entries = new Halves(xs.length);
  const ids = new Int32Array(xs.length);
  const seen = groupKernel(xs as never).group(keyWords(xs as never), 0, xs.length, keyWords(entries as never), 0, ids);
  const distinct = [...new Set(Array.from(xs, halfValue))];
  expect(difference(Array.from(entries.subarray(0, seen), halfValue), distinct)).toBeUndefined();
  const places = new Map(distinct.map((value, place) => [value, place]));
  expect(
    difference(
      ids,
      Array.from(xs, (half) => places.get(halfValue(half))),
    ),
  ).toBeUndefined();
});
