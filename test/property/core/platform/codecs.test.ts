/** Whatever structured cloning takes crosses by every codec as it does there. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ViewCodec } from '../../../../src/core/platform/host.js';
import { CODECS } from '../../../helpers/codecs.js';
import { difference, valueGraphs } from '../../../helpers/value-graphs.js';

const views: ViewCodec = { encode: () => undefined, decode: () => expect.fail('no view is shared') };

describe.each(CODECS)('%s', (_, codec) => {
  const through = (value: unknown): unknown => codec.deserialize(codec.serialize(value, views), views);

  test('gives what structured cloning gives, identities included', () => {
    fc.assert(
      fc.property(valueGraphs, (value) => {
        expect(difference(through(value), structuredClone(value))).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test('leaves the value as it is', () => {
    fc.assert(
      fc.property(valueGraphs, (value) => {
        const before = structuredClone(value);
        codec.serialize(value, views);
        expect(difference(structuredClone(value), before)).toBeUndefined();
      }),
    );
  });
});

const [, portable] = CODECS[1] as (typeof CODECS)[number];

test('bytes that end too soon are refused', () => {
  fc.assert(
    fc.property(valueGraphs, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value, share) => {
      const bytes = portable.serialize(value, views);
      const part = bytes.slice(0, Math.floor(share * bytes.length));
      expect(() => portable.deserialize(part, views)).toThrow(/^furcate: /);
    }),
    { numRuns: 500 },
  );
});

test('bytes may lie anywhere in their buffer', () => {
  fc.assert(
    fc.property(valueGraphs, fc.nat(9), (value, offset) => {
      const bytes = portable.serialize(value, views);
      const moved = new Uint8Array(offset + bytes.length + 3).fill(7).subarray(offset, offset + bytes.length);
      moved.set(bytes);
      expect(difference(portable.deserialize(moved, views), structuredClone(value))).toBeUndefined();
    }),
  );
});
