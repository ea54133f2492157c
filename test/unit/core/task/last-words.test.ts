/** What comes home of a failed task whose thread found little room on the shared heap, or none. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { registerError } from '../../../../src/core/code/registry.js';
import { CancellationError } from '../../../../src/core/errors.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { layoutOf, recordWord } from '../../../../src/core/memory/layout.js';
import { FORM_LAST_WORDS, R_FORM } from '../../../../src/core/memory/records.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { decodeOutcome, encodeOutcome, encodeTask } from '../../../../src/core/task/codec.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { task as callOf } from '../../../../src/core/task/task.js';
import { freeBlob } from '../../../../src/core/task/values.js';
import { codePoint } from '../../../helpers/code-points.js';
import { fillHeap } from '../../../helpers/full-heap.js';

registerHost(detectNode);

const LAYOUT = layoutOf(1, { ringLog2: 4, recordsPerSlot: 4 });
const memory = new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 79);
const RECORD = recordWord(LAYOUT, 1, 1);
const fails = forkable(import.meta.url, 'fails', () => 0);

class Refusal extends RangeError {}
registerError('file:///tasks/refusal.mjs', 'Refusal', Refusal);
class FarRefusal extends SyntaxError {}
registerError(`file:///${'far/'.repeat(60)}refusal.mjs`, 'FarRefusal', FarRefusal);

let giveBack = (): void => {};
afterEach(() => {
  giveBack();
  giveBack = () => {};
});

/** What comes home of a task that throws, or returns, while there is so much room. */
function home(leftBytes: number, value: unknown, failed = true): unknown {
  const task = callOf(fails);
  encodeTask(memory, RECORD, task);
  giveBack = fillHeap(leftBytes);
  expect(encodeOutcome(memory, RECORD, task as never, failed, value)).toBe(false);
  giveBack();
  giveBack = () => {};
  const outcome = decodeOutcome(memory, RECORD, task as never);
  freeBlob(memory, RECORD);
  return outcome;
}

home(1000, new Error('makes what stays on the heap'));

test('an error has its class and message, whatever the room; more of it with more room, the stack last', () => {
  const make = (): Error =>
    Object.assign(new Refusal('not today', { cause: new TypeError('deep') }), { code: 'E_NO', list: [1, 2, 3] });
  const before = heapStats().bytesInUse;
  let detail = 0;
  for (let left = 0; left < 8000; left += 40) {
    const error = home(left, make()) as Error & { code?: string };
    expect(error).toBeInstanceOf(Refusal);
    expect([error.name, error.message]).toEqual(['RangeError', 'not today']);
    const properties = error.code === 'E_NO' && (error.cause as Error).message === 'deep' ? 1 : 0;
    const stack = /last-words\.test/.test(String(error.stack)) ? 1 : 0;
    expect(error.stack).toMatch(/^RangeError: not today/);
    expect(properties + stack).toBeGreaterThanOrEqual(detail);
    expect(stack).toBeLessThanOrEqual(properties);
    detail = properties + stack;
    expect(heapStats().bytesInUse).toBe(before);
  }
  expect(detail).toBe(2);
});

describe('in a heap without any room', () => {
  test('any message keeps its beginning, whatever its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 2000 }), (message) => {
        const error = home(0, new TypeError(message)) as Error;
        expect(memory.words[RECORD + R_FORM]).toBe(FORM_LAST_WORDS);
        expect(error).toBeInstanceOf(TypeError);
        const told = error.message.replace(/\.\.\.$/, '');
        expect(message.startsWith(told) || /\ufffd/.test(told)).toBe(true);
        expect(error.message === message || told.length >= 15).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, Error, new () => Error]>([
    ['of the library', new CancellationError('enough', { reason: 'signal' }), CancellationError as never],
    ['of the language', new AggregateError([1], 'several'), AggregateError as never],
    ['of the platform', new DOMException('gone', 'AbortError'), DOMException as never],
    ['that is registered', new Refusal('no'), Refusal as never],
    ['that is registered far away, as its base', new FarRefusal('no'), SyntaxError as never],
  ])('an error keeps its class: one %s', (_, error, Class) => {
    const told = home(0, error) as Error;
    expect(told).toBeInstanceOf(Class);
    expect([told.name, told.message]).toEqual([error.name, error.message]);
  });

  test.each([['text'], ['x'.repeat(20)], [5], [true], [null], [undefined]])(
    'a value that was thrown arrives: %o',
    (value) => {
      expect(home(0, value)).toBe(value);
    },
  );

  test.each<[string, unknown, boolean]>([
    ['an object that was thrown', { code: 5 }, true],
    ['a bigint that was thrown', 5n, true],
    ['a result', { code: 5 }, false],
  ])('%s becomes a RangeError that says why', (_, value, failed) => {
    const error = home(0, value, failed);
    expect(error).toBeInstanceOf(RangeError);
    expect((error as Error).message).toMatch(
      /^furcate: memory for tasks: \d+ bytes asked for, but the shared heap has/,
    );
  });
});
