/** Characters for random text. */
import fc from 'fast-check';

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;
const BETWEEN = AFTER_SURROGATES - SURROGATES;

/** Any code point but half a pair, as by fast-check's `binary`, which lists all of them in each process: that takes half a second. */
export const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - BETWEEN).map(
  (index) => String.fromCodePoint(index < SURROGATES ? index : index + BETWEEN),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('not one character');
    const at = text.codePointAt(0) as number;
    if (at >= SURROGATES && at < AFTER_SURROGATES) throw new Error('half a pair');
    return at < SURROGATES ? at : at - BETWEEN;
  },
);
