import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readText, TEXT_BYTES_PER_UNIT, writeText } from '../../../../src/core/code/shared-text.js';
import { type CodeEntry, CodeTable } from '../../../../src/core/code/table.js';
import { PlainStorage } from '../../../../src/core/code/table-storage.js';

/** Any sequence of UTF-16 units, halves of pairs included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));
const fewTexts = fc.constantFrom('', 'a', 'b', 'ab', '\ud800', 'a\u0000');
const anyEntry = (text: fc.Arbitrary<string>): fc.Arbitrary<CodeEntry> =>
  fc.record({ kind: fc.constantFrom('class', 'function', 'error', 'source', 'shape'), url: text, name: text });

test('any text survives shared memory, at any place in it', () => {
  fc.assert(
    fc.property(anyText, fc.nat(8), fc.constantFrom(0, 2, 6), (text, before, offset) => {
      const bytes = new Uint8Array(new SharedArrayBuffer(256), before * 2);
      writeText(bytes, offset, text);
      expect(readText(bytes, offset, text.length)).toBe(text);
      expect(bytes.subarray(offset + text.length * TEXT_BYTES_PER_UNIT).every((b) => b === 0)).toBe(true);
    }),
  );
});

test('a long text survives in pieces', () => {
  fc.assert(
    fc.property(fc.integer({ min: 8190, max: 8194 }), anyText, (length, tail) => {
      const text = '\udfff'.repeat(length) + tail;
      const bytes = new Uint8Array(text.length * TEXT_BYTES_PER_UNIT);
      writeText(bytes, 0, text);
      expect(readText(bytes, 0, text.length) === text).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('a table is a list of distinct entries, whichever thread appends and whichever reads', () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.oneof(anyEntry(anyText), anyEntry(fewTexts))), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const storage = new PlainStorage();
      const threads = [0, 1, 2].map(() => new CodeTable(storage));
      const model: string[] = [];
      for (const [thread, { kind, url, name }] of all) {
        const key = JSON.stringify([kind, url, name]);
        if (!model.includes(key)) model.push(key);
        expect((threads[thread] as CodeTable).idOf(kind, url, name)).toBe(model.indexOf(key));
      }
      for (const table of threads) {
        expect(() => table.entry(model.length)).toThrow(RangeError);
        for (const [id, key] of model.entries()) {
          const { kind, url, name } = table.entry(id);
          expect(JSON.stringify([kind, url, name])).toBe(key);
        }
      }
    }),
  );
});

test('the message of a failure survives, and the first stays', () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), (messages) => {
      const storage = new PlainStorage();
      const table = new CodeTable(storage);
      const id = table.idOf('class', 'u', 'C');
      for (const message of messages) new CodeTable(storage).annotate(id, message);
      expect(table.noteOf(id)).toBe(messages[0]);
    }),
  );
});
