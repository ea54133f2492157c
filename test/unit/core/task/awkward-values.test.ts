/** Whatever is awkward to encode comes home as it was: results, fields and properties of errors of stolen tasks. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { openData, packError } from '../../../../src/core/code/data-copy.js';
import { register } from '../../../../src/core/code/registry.js';
import { type ResolvedCode, resolver } from '../../../../src/core/code/resolver.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { setShareBuffer } from '../../../../src/core/memory/external-buffers.js';
import { layoutOf, recordWord } from '../../../../src/core/memory/layout.js';
import { R_CODE } from '../../../../src/core/memory/records.js';
import { free, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { decode, decodeOutcome, encodeOutcome, encodeTask } from '../../../../src/core/task/codec.js';
import { RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { readValue, tryWriteValue } from '../../../../src/core/task/values.js';
import { awkwardData, sharedParts } from '../../../helpers/awkward-data.js';
import { CODECS, hostWithCodec } from '../../../helpers/codecs.js';

const useCodec = hostWithCodec();

const LAYOUT = layoutOf(1, { ringLog2: 4, recordsPerSlot: 4 });
const memory = new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 79);
const RECORD = recordWord(LAYOUT, 1, 1);

class Carrier extends RecursiveTask<unknown> {
  field: unknown = undefined;
  compute(): unknown {
    return this.field;
  }
}
register('class', import.meta.url, 'Carrier', Carrier);

/** Runs a task's body in a thief's copy, and brings the copy home. */
function atHome(task: Carrier, body: (copy: Carrier) => unknown, failed = false): unknown {
  encodeTask(memory, RECORD, task);
  const code = resolver().tryResolve(memory.words[RECORD + R_CODE] as number) as ResolvedCode;
  const copy = decode(memory, RECORD, code) as Carrier;
  const value = body(copy);
  encodeOutcome(memory, RECORD, copy, failed, value);
  return decodeOutcome(memory, RECORD, task);
}

describe.each(CODECS)('what a stolen task gives, by %s', (_, codec) => {
  beforeAll(() => useCodec(codec));

  test('is its result, to the sign of a zero, and views are their own elements alone', () => {
    fc.assert(
      fc.property(awkwardData, (data) => {
        const result = atHome(new Carrier(), () => data);
        expect(result).toStrictEqual(data);
      }),
      { numRuns: 300 },
    );
  });

  test('has properties of errors as they were thrown', () => {
    fc.assert(
      fc.property(awkwardData, awkwardData, (data, cause) => {
        const error = Object.assign(new RangeError('mine', { cause }), { data });
        const thrown = atHome(new Carrier(), () => error, true) as typeof error;
        expect(thrown.data).toStrictEqual(data);
        expect(thrown.cause).toStrictEqual(cause);
      }),
      { numRuns: 200 },
    );
  });

  test('keeps parts of shared arrays shared, in fields and results, there and back', () => {
    fc.assert(
      fc.property(sharedParts, fc.boolean(), (part, inBlob) => {
        const given = Object.assign(new Carrier(), { field: inBlob ? { part } : part });
        const result = atHome(given, ({ field }) => field);
        const back = (inBlob ? (result as { part: typeof part }).part : result) as typeof part;
        expect([back.constructor, back.byteOffset, back.length]).toEqual([
          part.constructor,
          part.byteOffset,
          part.length,
        ]);
        if (part.length === 0) return;
        part.fill((part instanceof BigInt64Array || part instanceof BigUint64Array ? 7n : 7) as never);
        expect(Number(back.at(-1))).toBe(7);
      }),
    );
  });
});

test('a Buffer as a property of an error crosses as its own bytes, and not as those around it', () => {
  const pooled = Buffer.from('what was received');
  const error = Object.assign(new Error('mine'), { part: pooled.subarray(5, 8) });
  const back = openData(packError(error)) as { part: Uint8Array };
  expect(Object.getPrototypeOf(back.part) === Uint8Array.prototype).toBe(true);
  expect(Array.from(back.part)).toEqual(Array.from('was', (letter) => letter.charCodeAt(0)));
});

describe('a view of 2^31 elements and more', () => {
  const LONG = 2 ** 31 + 16;

  test('of a shared array keeps its length and offset', () => {
    const xs = sharedArray(Uint8Array, LONG);
    const high = xs.subarray(2 ** 31 + 3, 2 ** 31 + 9);
    for (const view of [xs, xs.subarray(5), high]) {
      expect(tryWriteValue(memory, RECORD, view)).toBe(true);
      const back = readValue(memory, RECORD) as Uint8Array;
      expect([back.byteOffset, back.length]).toEqual([view.byteOffset, view.length]);
      expect(readValue(memory, RECORD, view)).toBe(view);
    }
    free(xs);
  });

  test('of a buffer of the user keeps its length and offset', () => {
    setShareBuffer(() => {});
    const xs = new Uint8Array(new SharedArrayBuffer(LONG));
    for (const view of [xs, xs.subarray(5), xs.subarray(2 ** 31 + 3, 2 ** 31 + 9)]) {
      expect(tryWriteValue(memory, RECORD, view)).toBe(true);
      const back = readValue(memory, RECORD) as Uint8Array;
      expect([back.buffer, back.byteOffset, back.length]).toEqual([view.buffer, view.byteOffset, view.length]);
      expect(readValue(memory, RECORD, view)).toBe(view);
    }
    setShareBuffer(undefined);
  });
});
