import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Names, nameIn, placeIn, token } from '../../../../src/cluster/link/names.js';

test('any text is one token of a subject, and different texts are different tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }), (a, b) => {
      expect(token(a)).toMatch(/^[\w=-]+$/);
      expect(token(a) === token(b)).toBe(a === b);
    }),
  );
});

test('the name of a job is found in the subjects of the job and of its result', () => {
  const names = new Names('my app');
  const name = { run: token('nightly 22'), call: 'map', key: '7-0123' };
  expect(nameIn(names.job(name, undefined))).toEqual(name);
  expect(nameIn(names.job(name, 'host.A'))).toEqual(name);
  expect(nameIn(names.result(name))).toEqual(name);
});

test('the place of a job is found in its subject', () => {
  const names = new Names('my app');
  const name = { run: 'run', call: 'map', key: '7-0123' };
  expect(placeIn(names.job(name, undefined))).toBe(undefined);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (place) => {
      expect(placeIn(names.job(name, place))).toBe(place);
    }),
  );
});
