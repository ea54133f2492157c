/** Arrays long enough for radix sorts, with bits that are hard on them, for properties. */
import fc from 'fast-check';
import type { TypedArray } from '../../src/core/memory/shared-array.js';
import { type ALL_TYPES, BIGINT_TYPES, bits } from './array-values.js';

const SHAPES = [
  'any bits',
  'one upper word',
  'few upper words',
  'equal lower words',
  'one outlier',
  'small',
  'sorted',
  'reversed',
  'one value',
] as const;

/** Arrays of some of the types, by the bits of their elements. */
export function longArray(
  types: typeof ALL_TYPES,
  minLength = 1000,
): fc.Arbitrary<{ Type: (typeof ALL_TYPES)[number]; xs: TypedArray }> {
  return fc
    .tuple(
      fc.constantFrom(...types),
      fc.integer({ min: minLength, max: 5000 }),
      fc.integer(),
      fc.constantFrom(...SHAPES),
    )
    .map(([Type, n, seed, shape]) => {
      const xs = new Type(n);
      const words = new Uint32Array(xs.buffer, 0, Math.floor(xs.byteLength / 4));
      const random = bits(seed);
      for (let i = 0; i < words.length; i++) words[i] = random();
      const uppers = Array.from({ length: shape === 'one upper word' ? 1 : 2 + (random() % 6) }, random);
      if (shape.endsWith('upper word') || shape.endsWith('upper words')) {
        for (let i = 1; i < words.length; i += 2) words[i] = uppers[random() % uppers.length];
      }
      if (shape === 'equal lower words') for (let i = 0; i < words.length; i += 2) words[i] = 7;
      const [value, outlier] = xs;
      if (shape === 'one value' || shape === 'one outlier') xs.fill(value as never);
      if (shape === 'one outlier') xs[random() % n] = outlier as never;
      if (shape === 'small') {
        const isBig = BIGINT_TYPES.includes(Type);
        for (let i = 0; i < n; i++) xs[i] = (isBig ? BigInt(random() % 100) - 50n : (random() % 100) - 50) as never;
      }
      if (shape === 'sorted') xs.sort();
      if (shape === 'reversed') xs.sort().reverse();
      return { Type, xs };
    });
}
