/** What the page reads in its address. */
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../examples/browser/page/address.js';

describe('the address of the page', () => {
  test('needs nothing', () => {
    const everything = [undefined, undefined, undefined];
    expect(parseAddress('')).toEqual({ rows: undefined, workers: undefined, report: undefined, ranges: everything });
  });

  test('says how much to read, with whom, and what to select', () => {
    expect(parseAddress('?rows=1000&workers=3&minute=360..720&delay=-10..5&report=http://localhost:1/')).toEqual({
      rows: 1000,
      workers: 3,
      report: 'http://localhost:1/',
      ranges: [undefined, { low: 360, high: 720 }, { low: -10, high: 5 }],
    });
  });

  test.each(['?rows=0', '?rows=', '?rows=1.5', '?workers=two', '?distance=5', '?distance=9..3', '?delay=..5'])(
    '%s is refused by name',
    (query) => {
      expect(() => parseAddress(query)).toThrow(/^'(rows|workers|distance|delay)' in the address needs /);
    },
  );
});
