/** Values in errors: any value is shown, and no code of its own runs. */
import { expect, test } from 'vitest';
import { checkOptions, placeOf } from '../../../../src/cluster/client/options.js';
import { show } from '../../../../src/core/show.js';

const refuse = (): never => {
  throw new Error('not to be run');
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

test('values are shown as what they are', () => {
  const values: readonly (readonly [unknown, string])[] = [
    ['a', "'a'"],
    [1.5, '1.5'],
    [Symbol('s'), 'Symbol(s)'],
    [null, 'null'],
    [Object.create(null), 'an object'],
    [{ toString: refuse, valueOf: refuse }, 'an object'],
    [new Proxy({}, { get: refuse }), 'an object'],
    [revoked.proxy, 'a proxy that was revoked'],
    [[1], 'an array'],
    [Promise.resolve(), 'a promise'],
    [refuse, 'a function'],
  ];
  expect(values.map(([value]) => show(value))).toEqual(values.map(([, text]) => text));
});

const OPTIONS = ['run', 'signal', 'timeoutMs', 'jobTimeoutMs', 'limit', 'at', 'onProgress'];
const WRONG: readonly unknown[] = [Object.create(null), { toString: refuse }, Symbol('s'), Number.NaN, -1, 1n, true];

test.each(OPTIONS)('options.%s of a wrong type is refused by its name, whatever it is', (name) => {
  for (const value of WRONG)
    expect(() => checkOptions({ [name]: value }, 'call', OPTIONS)).toThrow(
      new RegExp(`^furcate: call: options\\.${name} must`),
    );
});

test('a place that is none is refused, a promise too', () => {
  for (const value of WRONG)
    expect(() => placeOf({ at: () => value as string }, 1)).toThrow(/^furcate: options\.at must return/);
  const late = async (): Promise<never> => refuse();
  expect(() => placeOf({ at: late as never }, 1)).toThrow(/it returned a promise/);
});
