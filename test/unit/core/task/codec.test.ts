import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { register } from '../../../../src/core/code/registry.js';
import { type ResolvedCode, resolver } from '../../../../src/core/code/resolver.js';
import { CancellationError, NotShareableError, TaskRegistrationError } from '../../../../src/core/errors.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import { lastExternal, setShareBuffer } from '../../../../src/core/memory/external-buffers.js';
import { layoutOf, recordWord } from '../../../../src/core/memory/layout.js';
import { FORM_BLOB, FORM_VALUES, MAX_VALUES, R_CODE, R_EXTERNAL, R_FORM } from '../../../../src/core/memory/records.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import type { CallTask } from '../../../../src/core/task/call-task.js';
import { decode, decodeOutcome, encodeOutcome, encodeTask } from '../../../../src/core/task/codec.js';
import { type ForkJoinTask, FRESH, RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { task as callOf } from '../../../../src/core/task/task.js';
import { CODECS, hostWithCodec } from '../../../helpers/codecs.js';

const useCodec = hostWithCodec();

const LAYOUT = layoutOf(1, { ringLog2: 4, recordsPerSlot: 4 });
const memory = new ControlMemory(new SharedArrayBuffer(LAYOUT.totalBytes), LAYOUT, 78);
const RECORD = recordWord(LAYOUT, 1, 1);

class Bag extends RecursiveTask<unknown> {
  made = 'by the constructor';
  constructor(fields: object = {}) {
    super();
    Object.assign(this, fields);
  }
  compute(): unknown {
    return this.made;
  }
}
register('class', import.meta.url, 'Bag', Bag);
class Unregistered extends Bag {}

const sum = forkable(import.meta.url, 'sum', (...xs: unknown[]) => xs.length);

/** What a thief makes of a task. */
function stolen(task: ForkJoinTask<unknown>): ForkJoinTask<unknown> {
  encodeTask(memory, RECORD, task);
  return decode(memory, RECORD, resolver().tryResolve(memory.words[RECORD + R_CODE] as number) as ResolvedCode);
}

/** What the forker's task looks like, and what it gets, when the thief's copy has ended. */
function home(task: ForkJoinTask<unknown>, copy: ForkJoinTask<unknown>, failed: boolean, value: unknown): unknown {
  const normal = encodeOutcome(memory, RECORD, copy, failed, value);
  return { normal, value: decodeOutcome(memory, RECORD, task) };
}

const manyFields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, i - 0.5]));

describe.each(CODECS)('a stolen task object, by %s', (_, codec) => {
  beforeAll(() => useCodec(codec));

  test.each<[string, object, number]>([
    ['few numbers', { a: 1, b: -0, c: Number.NaN, d: true, e: null, f: undefined }, FORM_VALUES],
    ['a shared array', { xs: sharedArray(Int32Array, 3) }, FORM_VALUES],
    ['more fields than fit', manyFields, FORM_BLOB],
    ['text and structure', { text: 'x', deep: { list: [1, { two: 2n }] }, map: new Map([[1, 2]]) }, FORM_BLOB],
  ])('has its class and its fields, in order, and was not constructed: %s', (_, fields, form) => {
    const task = new Bag(fields);
    if (form === FORM_VALUES) (task as { made: unknown }).made = 5;
    const copy = stolen(task);
    expect(memory.words[RECORD + R_FORM]).toBe(form);
    expect(copy).toBeInstanceOf(Bag);
    expect(Object.keys(copy as object)).toEqual(Object.keys(task));
    expect(copy).toStrictEqual(task);
    expect(copy?.$state).toBe(FRESH);
  });

  test('that is a call has its arguments, however many', () => {
    for (const args of [[], [1], [-0, 2.5, 3, 4], ['x', { y: 1 }], Array.from({ length: 20 }, (_, i) => i)]) {
      const copy = stolen(callOf(sum, ...args));
      expect(copy).toStrictEqual(callOf(sum, ...args));
    }
  });

  test('of an unregistered class is refused, with the line to add', () => {
    expect(() => encodeTask(memory, RECORD, new Unregistered())).toThrow(TaskRegistrationError);
    expect(() => encodeTask(memory, RECORD, new Unregistered())).toThrow(
      /this\.register\(import\.meta\.url, 'Unregistered'\)/,
    );
  });

  test('with what cannot be shared is refused, with the field or argument named', () => {
    const cases: [() => void, RegExp][] = [
      [() => encodeTask(memory, RECORD, new Bag({ bad: [() => 1] })), /field 'bad' of Bag \(at \[0\]\) is a function/],
      [
        () => encodeTask(memory, RECORD, new Bag({ xs: new Float64Array(1) })),
        /field 'xs' of Bag is a Float64Array on unshared memory/,
      ],
      [() => encodeTask(memory, RECORD, new Bag({ other: new Bag() })), /field 'other' of Bag is a task/],
      [
        () => encodeTask(memory, RECORD, new Bag({ g: (function* () {})() })),
        /field 'g' of Bag is a Generator, which other workers cannot share/,
      ],
      [
        () => encodeTask(memory, RECORD, new Bag({ p: new Proxy(new Map(), {}) })),
        /field 'p' of Bag is a proxy of what is no plain data/,
      ],
      [
        () => encodeTask(memory, RECORD, callOf(sum, { deep: [1, new Map([['k', new Proxy(new Date(), {})]])] })),
        /argument 1 of sum \(at \.deep\[1\]\.get\("k"\)\) is a proxy of what is no plain data/,
      ],
      [
        () => encodeTask(memory, RECORD, callOf(sum, { xs: [sharedArray(Int8Array, 3).buffer] })),
        /argument 1 of sum \(at \.xs\[0\]\) is the buffer of a shared array, which is the whole shared heap\. Pass the array/,
      ],
      [
        () => encodeTask(memory, RECORD, new Bag({ v: [new (class Vec {})()] })),
        /field 'v' of Bag \(at \[0\]\) is an instance of Vec, .* registerClass\(import\.meta\.url, 'Vec', Vec\)/,
      ],
      [() => encodeTask(memory, RECORD, callOf(sum, 1, Symbol('s'))), /argument 2 of sum is a symbol/],
    ];
    for (const [call, message] of cases) {
      expect(call).toThrow(NotShareableError);
      expect(call).toThrow(message);
    }
  });
});

test('encoding writes into no record but its own', () => {
  const [from, end] = [recordWord(LAYOUT, 1, 0), recordWord(LAYOUT, 1, 3)];
  const own = recordWord(LAYOUT, 1, 2) - RECORD;
  const before = memory.words.slice(from, end);
  const others = (): Int32Array[] => [memory.words.slice(from, RECORD), memory.words.slice(RECORD + own, end)];
  memory.words.fill(0x5a5a5a5a, from, RECORD).fill(0x5a5a5a5a, RECORD + own, end);
  const untouched = others();
  for (const task of [new Bag(), new Bag({ text: 'x' }), new Bag(manyFields), callOf(sum, 1, 2), callOf(sum, 'x')]) {
    const copy = stolen(task);
    home(task, copy, false, [1, 2]);
    home(task, copy, true, new Error('failed'));
  }
  expect(others()).toEqual(untouched);
  memory.words.set(before, from);
});

describe.each(CODECS)('the outcome of a stolen task, by %s', (_, codec) => {
  beforeAll(() => useCodec(codec));

  test('brings fields home as the body left them: changed, added, deleted', () => {
    for (const extra of [0, 'text']) {
      const task = new Bag({ made: 1, changed: 1, deleted: extra });
      const copy = stolen(task);
      const fields = copy as unknown as Record<string, unknown>;
      fields['changed'] = 2;
      fields['added'] = extra;
      fields['$state'] = 99;
      delete fields['deleted'];
      expect(home(task, copy as Bag, false, 7)).toEqual({ normal: true, value: 7 });
      expect({ ...task }).toStrictEqual({ $state: FRESH, $result: undefined, made: 1, changed: 2, added: extra });
    }
  });

  test('brings home shared arrays that the body added, moved or cut', () => {
    const xs = sharedArray(Int32Array, 8);
    const views = { same: xs, shorter: xs, moved: xs, other: xs };
    const task = new Bag({ made: 1, ...views });
    const copy = stolen(task);
    const left = {
      same: xs,
      shorter: xs.subarray(0, 3),
      moved: xs.subarray(2),
      other: new Uint32Array(xs.buffer, xs.byteOffset, 8),
      added: xs.subarray(1, 2),
    };
    Object.assign(copy as Bag, left);
    home(task, copy as Bag, false, undefined);
    const spans = (of: object) =>
      Object.entries(of)
        .filter(([, value]) => ArrayBuffer.isView(value))
        .map(([key, xs]) => [key, xs.byteOffset, xs.length, xs[Symbol.toStringTag]]);
    expect(spans(task)).toEqual(spans(left));
  });

  test('keeps a view that is the same, so that the class keeps its shape', () => {
    const xs = sharedArray(Int32Array, 4);
    const task = new Bag({ made: 1, xs });
    const copy = stolen(task);
    home(task, copy as Bag, false, undefined);
    expect((task as unknown as { xs: unknown }).xs).toBe(xs);
  });

  test('of any kind comes home, plain arrays as copies', () => {
    const task = callOf(sum) as CallTask<unknown>;
    for (const value of [undefined, null, -0, 'x', 5n, { a: [1] }, new Uint16Array([1, 2]), new Error('as a value')]) {
      encodeTask(memory, RECORD, task);
      expect(home(task, task, false, value)).toStrictEqual({ normal: true, value });
    }
  });

  test('of numbers comes home within the record while fields leave room for it', () => {
    const numbers = fc.array(fc.oneof(fc.double(), fc.integer()), { maxLength: 30 });
    fc.assert(
      fc.property(numbers, fc.integer({ min: 0, max: 13 }), (value, count) => {
        const fields = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i + 0.5]));
        const task = new Bag(fields);
        (task as { made: unknown }).made = true;
        const copy = stolen(task);
        expect(home(task, copy as Bag, false, value)).toStrictEqual({ normal: true, value });
        const room = 2 * (MAX_VALUES - Object.keys(new Bag(fields)).length + 2);
        expect(memory.words[RECORD + R_FORM]).toBe(room >= 0 && value.length <= room ? FORM_VALUES : FORM_BLOB);
        expect({ ...task }).toStrictEqual({ $state: FRESH, $result: undefined, made: true, ...fields });
      }),
    );
  });

  test('of an array that is more than its numbers comes home as such', () => {
    const holes = Object.assign(Array(3), [1, 2]);
    const named = Object.assign([1, 2], { name: 'pair' });
    for (const value of [holes, named, [1, 'x'], [1, [2]], [1n, 2n], [undefined]]) {
      const task = callOf(sum) as CallTask<unknown>;
      encodeTask(memory, RECORD, task);
      expect(home(task, task, false, value)).toStrictEqual({ normal: true, value });
    }
  });

  test('is an error with its class and the fields as they were when the body failed', () => {
    const task = new Bag({ made: 1, count: 1 });
    const copy = stolen(task);
    (copy as unknown as { count: number }).count = 2;
    const error = new CancellationError('enough', { reason: 'signal' });
    const { normal, value } = home(task, copy as Bag, true, error) as { normal: boolean; value: Error };
    expect(normal).toBe(false);
    expect(value).toBeInstanceOf(CancellationError);
    expect([value.name, value.message]).toEqual(['AbortError', 'enough']);
    expect((task as unknown as { count: number }).count).toBe(2);
  });

  test('that cannot leave its thread is a NotShareableError, with the result or field named', () => {
    const cases: [unknown, object, RegExp][] = [
      [() => 1, {}, /the result of Bag is a function/],
      [new Bag(), {}, /the result of Bag is a task/],
      [{ f: () => 1 }, {}, /the result of Bag \(at \.f\) is a function/],
      [new Proxy(new Set(), {}), {}, /the result of Bag is a proxy of what is no plain data/],
      [1, { bad: () => 1 }, /field 'bad' of Bag is a function/],
      [1, { bad: new WeakMap() }, /field 'bad' of Bag is a WeakMap/],
    ];
    encodeTask(memory, RECORD, callOf(sum));
    expect(home(callOf(sum), callOf(sum), false, () => 1)).toMatchObject({
      normal: false,
      value: { message: expect.stringMatching(/^furcate: the result of sum is a function/) },
    });
    for (const [result, fields, message] of cases) {
      const task = new Bag();
      const copy = stolen(task);
      const { normal, value } = home(task, Object.assign(copy as Bag, fields), false, result) as {
        normal: boolean;
        value: Error;
      };
      expect(normal).toBe(false);
      expect(value).toBeInstanceOf(NotShareableError);
      expect(value.message).toMatch(message);
    }
  });

  test('is its own failure even if a field cannot leave its thread either', () => {
    const task = new Bag();
    const copy = stolen(task);
    Object.assign(copy as Bag, { bad: () => 1 });
    expect(home(task, copy as Bag, true, new RangeError('mine'))).toEqual({
      normal: false,
      value: new RangeError('mine'),
    });
  });
});

describe.each(CODECS)('an outcome that cannot be encoded, by %s', (_, codec) => {
  beforeAll(() => useCodec(codec));

  const endOf = (value: unknown): { normal: boolean; value: Error } => {
    const task = callOf(sum) as CallTask<unknown>;
    encodeTask(memory, RECORD, task);
    return home(task, task, true, value) as { normal: boolean; value: Error };
  };

  test('because of what was thrown says so, and not that the heap has no room', () => {
    const untellable = Object.defineProperty(new Error('mine'), 'message', {
      value: Object.assign(Object.create(null), {}), // no text can be made of it
    });
    const { normal, value } = endOf(untellable);
    expect(normal).toBe(false);
    expect(value.message).toMatch(/^furcate: how a stolen task ended could not be encoded, so it counts as failed: /);
    expect(value.message).not.toContain('stack of its thread'); // what made it fail is known
    expect(value).not.toBeInstanceOf(RangeError);
  });

  test('because the serializer itself fails says what it said', () => {
    const broken = (): never => {
      throw new Error('v8.Serializer is not implemented yet');
    };
    const task = callOf(sum) as CallTask<unknown>;
    encodeTask(memory, RECORD, task);
    useCodec({ serialize: broken, deserialize: broken });
    try {
      for (const failed of [false, true]) {
        const { normal, value } = home(task, task, failed, new Error('mine')) as { normal: boolean; value: Error };
        expect(normal).toBe(false);
        expect(value.message).toMatch(/^furcate: how a stolen task ended .*: v8\.Serializer is not implemented yet$/);
      }
      expect(() => encodeTask(memory, RECORD, callOf(sum, 'text'))).toThrow('v8.Serializer is not implemented yet');
    } finally {
      useCodec(codec);
    }
  });
});

test('a record carries the highest buffer that its publisher knows, whatever its task names', () => {
  setShareBuffer(() => {});
  const before = lastExternal();
  encodeTask(memory, RECORD, callOf(sum, new Int32Array(new SharedArrayBuffer(8))));
  expect([lastExternal(), memory.words[RECORD + R_EXTERNAL]]).toEqual([before + 1, before + 1]);
  encodeTask(memory, RECORD, callOf(sum, 1)); // the number of a job, which names the buffer
  expect(memory.words[RECORD + R_EXTERNAL]).toBe(before + 1);
  encodeTask(memory, RECORD, new Bag());
  expect(memory.words[RECORD + R_EXTERNAL]).toBe(before + 1);
  setShareBuffer(undefined);
});
