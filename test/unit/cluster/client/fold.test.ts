import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldInBlocks } from '../../../../src/cluster/client/fold.js';

test('values are combined in their order, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 300 }), (texts) => {
      expect(foldInBlocks(texts, (left, right) => left + right)).toBe(texts.join(''));
    }),
  );
});

test('blocks of 64 are folded from the left, and then their results', () => {
  const names = Array.from({ length: 130 }, (_, k) => `${k}`);
  const fold = (some: readonly string[]): string => some.reduce((left, right) => `(${left} ${right})`);
  const blocks = [names.slice(0, 64), names.slice(64, 128), names.slice(128)].map(fold);
  expect(foldInBlocks(names, (left, right) => `(${left} ${right})`)).toBe(fold(blocks));
});

test('a combine that returns a promise is refused', () => {
  const combine = async (): Promise<never> => {
    throw new Error('nobody awaits this');
  };
  expect(() => foldInBlocks<unknown>([1, 2], combine)).toThrow(
    /furcate: combine of cluster\.parallelReduce returned a promise/,
  );
});

test('no values have no result', () => {
  expect(() => foldInBlocks([], (left) => left)).toThrow(/furcate: cluster\.parallelReduce of no items has no result/);
});
