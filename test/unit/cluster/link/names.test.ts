import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keyOfPart,
  Names,
  nameIn,
  otherKey,
  placeIn,
  shortPath,
  textOf,
  token,
} from '../../../../src/cluster/link/names.js';
import { codePoint } from '../../../helpers/code-points.js';

test('any text is one token of a subject, and different texts are different tokens', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1 }), fc.string({ unit: codePoint, minLength: 1 }), (a, b) => {
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

test.each(['', '2', 'v1-at-A'])('the place of a job of version %j is found in its subject', (version) => {
  const names = new Names('my app', version);
  const name = { run: 'run', call: 'map', key: '7-0123' };
  expect(placeIn(names.job(name, undefined))).toBe(undefined);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: codePoint, minLength: 1 }), fc.constant('v0-at-A')), (place) => {
      expect(placeIn(names.job(name, place))).toBe(place);
      expect(nameIn(names.job(name, place))).toEqual(name);
    }),
  );
});

test('no subject of a job, and no consumer, is that of another version or another place', () => {
  const name = { run: 'run', call: 'map', key: '7-0123' };
  const places = [undefined, 'A', 'at-A', 'any', 'hosts', 'v0-at-A'];
  const all = ['', '1', '2'].flatMap((version) => places.map((place) => ({ names: new Names('app', version), place })));
  expect(new Set(all.map(({ names, place }) => names.job(name, place))).size).toBe(all.length);
  expect(new Set(all.map(({ names, place }) => names.consumer(place))).size).toBe(all.length);
});

test('keys have a limit, however deep a tree is and however often its parts are shared', () => {
  const deep = '-1'.repeat(5000);
  expect(shortPath(deep)).toHaveLength(17);
  expect(shortPath(deep)).not.toBe(shortPath(`${deep}-1`));
  let key = 'root-0123456789abcdef';
  const seen = new Set<string>();
  for (let shares = 0; shares < 1000; shares++) {
    key = keyOfPart(key, '-1-1-0');
    seen.add(key);
    expect(key.length).toBeLessThan(64);
  }
  expect(seen.size).toBe(1000);
});

test('a part has one key, whatever begins the key of its job', () => {
  const [plain, versioned] = ['root-0123', 'abcd-root-0123'].map((key) => keyOfPart(keyOfPart(key, '-0'), '-1'));
  expect(versioned).toBe(`abcd-${plain}`);
});

test('a token that no name has is shown as it is', () => {
  expect(textOf('=ffffffff=')).toBe('=ffffffff=');
  expect(textOf('=110000=')).toBe('=110000=');
});

test('other keys of a job are others each time, and so are those of their parts', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-z-]{1,20}$/), fc.stringMatching(/^(-\d)+$/), (key, path) => {
      const keys = [key];
      for (let n = 0; n < 12; n++) keys.push(otherKey(keys.at(-1) as string));
      const all = [...keys, ...keys.map((one) => keyOfPart(one, path))];
      expect(new Set(all).size).toBe(all.length);
    }),
  );
});
