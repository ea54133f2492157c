import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cheapestCover, piecesOf, type UnitPiece } from '../../../../src/insight/profile/cover.js';

const calls = { name: 'parallelMap', module: '' };
const piece = (lo: number, hi: number, work: number): UnitPiece => ({ calls, lo, hi, work, span: work / (hi - lo) });
const workOf = (pieces: readonly UnitPiece[]): number => pieces.reduce((sum, { work }) => sum + work, 0);

test('pieces of several runs follow each other where their ends meet', () => {
  const first = [piece(0, 4, 40), piece(4, 8, 900), piece(8, 10, 20)];
  const second = [piece(0, 8, 70), piece(8, 10, 500)];
  const third = [piece(0, 2, 700), piece(2, 4, 15), piece(4, 10, 65)];
  expect(cheapestCover([...first, ...second])).toEqual([second[0], first[2]]);
  expect(cheapestCover([...first, ...second, ...third])).toEqual([second[0], first[2]]);
  expect(workOf(cheapestCover([...first, ...third]) as UnitPiece[])).toBe(105);
});

test('each cover has every unit once, and none of the runs is cheaper', () => {
  const run = fc
    .uniqueArray(fc.integer({ min: 1, max: 19 }), { maxLength: 6 })
    .chain((cuts) =>
      fc.tuple(
        fc.constant([0, ...cuts.sort((a, b) => a - b), 20]),
        fc.array(fc.nat(99), { minLength: 7, maxLength: 7 }),
      ),
    )
    .map(([ends, works]) => ends.slice(1).map((hi, k) => piece(ends[k] as number, hi, works[k] as number)));
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 4 }), (runs) => {
      const cover = piecesOf(runs);
      expect(cover[0]?.lo).toBe(0);
      expect(cover.at(-1)?.hi).toBe(20);
      for (const [k, { hi }] of cover.slice(0, -1).entries()) expect(cover[k + 1]?.lo).toBe(hi);
      for (const run of runs) expect(workOf(cover)).toBeLessThanOrEqual(workOf(run));
    }),
  );
});

test('where units were dropped, the cheapest run counts', () => {
  const [one, other] = [
    [piece(0, 2, 5), piece(3, 4, 1)],
    [piece(0, 1, 2), piece(3, 4, 1)],
  ];
  expect(piecesOf([one, other])).toBe(other);
});
