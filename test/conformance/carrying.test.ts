import fc from 'fast-check';
import { sharedArray } from 'furcate';
import { describe, expect, test } from 'vitest';
import { codePoint } from '../helpers/code-points.js';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

const carrying = await fixture('carrying.mjs');
const unshareableKinds = carrying['unshareableKinds'] as unknown as readonly string[];

/** Values that keep their meaning on any thread. */
const plainData = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(undefined, null, true, false, -0, 0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32, 0.1, Number.NaN),
    fc.double(),
    fc.integer(),
    fc.string({ unit: codePoint }),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
    fc.array(tie('value'), { maxLength: 14 }),
    fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
    fc.array(tie('value')).map((values) => new Set(values)),
    fc.constantFrom(/a+b/giu, new Boolean(true), new Number(3), new String('s')),
  ),
})).value;

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(carrying[name] as Scenario, ...args);

  test('plain data of any kind crosses in fields, arguments and results', async () => {
    await fc.assert(
      fc.asyncProperty(plainData, async (value) => {
        const { asField, fieldAfterwards, asSecond, asArgument } = (await run('throughAll', value)) as Record<
          string,
          unknown
        >;
        expect(asArgument).toStrictEqual(value);
        expect(asSecond).toStrictEqual(value);
        expect(asField).toStrictEqual(value);
        expect(fieldAfterwards).toStrictEqual(value);
      }),
      { numRuns: executor.cold ? 5 : 40 },
    );
  });

  test('any number of fields and arguments crosses, in records of a fixed size', async () => {
    for (const count of executor.cold ? [17] : [0, 1, 11, 12, 13, 14, 17, 60]) {
      const values = Array.from({ length: count }, (_, k) => k + 0.5);
      const { asFields, ...others } = (await run('throughMany', ...values)) as Record<string, unknown>;
      expect(others).toEqual({ beside: [1, 2], asArguments: values, fieldsAfterwards: values });
      expect(asFields).toMatchObject(Object.fromEntries(values.map((value, k) => [`field${k}`, value])));
    }
  });

  test('fields that a body changed are changed for whoever joins it', async () => {
    const shared = sharedArray(Int32Array, 4);
    expect(await run('changed', shared)).toEqual({
      result: 1.5,
      fields: {
        count: 1.5,
        text: 'ab',
        list: [1, [2, 3]],
        map: new Map<string, unknown>([
          ['a', 1],
          ['b', { deep: [1] }],
        ]),
        set: new Set([1, 2]),
        date: new Date(1000),
        big: 10n ** 20n + 1n,
        nothing: null,
        flag: true,
      },
      added: 'new',
      tree: [2, true],
      sharedLength: 3,
      sameClass: true,
    });
    expect(shared[0]).toBe(1);
  });

  test('a field that a body deleted is gone, and a body that fails has changed its fields too', async () => {
    expect(await run('dropped', false)).toEqual({ outcome: 4, kept: 3, has: false });
    expect(await run('dropped', true)).toEqual({ outcome: 'Error: dropped', kept: 3, has: false });
  });

  test('a task of a subclass has the methods and fields of all its parents', async () => {
    expect(await run('shapes')).toEqual(['rectangle: 10', 'none: 0', 'rectangle: 12']);
  });

  test('views on shared memory stay views on the same bytes', async () => {
    for (const xs of [
      sharedArray(Float64Array, 24),
      sharedArray(Uint8Array, 24),
      sharedArray(BigInt64Array, 24),
      new Int16Array(new SharedArrayBuffer(64), 8, 24),
    ]) {
      const values = xs instanceof BigInt64Array ? [1n, 2n, 3n, -4n] : [1, 2, 3, 4];
      expect(await run('fillsParts', xs, values)).toEqual([6, 6, 6, 6]);
      expect(Array.from<unknown>(xs)).toEqual(values.flatMap((value) => Array(6).fill(value)));
    }
  });

  test('a DataView on shared memory stays one', async () => {
    const shared = sharedArray(Uint8Array, 16);
    expect(await run('throughDataView', new DataView(new SharedArrayBuffer(32), 8, 16))).toEqual([16, 7, 8]);
    expect(await run('throughDataView', new DataView(shared.buffer, shared.byteOffset, 16))).toEqual([16, 7, 8]);
    expect(Array.from(shared.subarray(3, 5))).toEqual([7, 8]);
  });

  test('a view that a body replaced by one of another type has that type at the join', async () => {
    expect(await run('retyped', new Float32Array(new SharedArrayBuffer(32), 8, 4))).toEqual(['Uint32Array', 4]);
    expect(await run('retyped', sharedArray(Int32Array, 4))).toEqual(['Uint32Array', 4]);
  });

  test('what cannot be shared fails at its own join, with the field or argument named, and nothing else fails', async () => {
    for (const kind of unshareableKinds) {
      const { ofField, ofArgument, after, before } = (await run('carriesUnshareable', kind)) as Record<string, unknown>;
      expect({ kind, after, before }).toEqual({ kind, after: 2, before: 1 });
      const field = executor.checked
        ? /^NotShareableError: .*field 'bad' of Carrier/
        : /no error|^NotShareableError: .*field 'bad'/;
      const argument = executor.checked
        ? /^NotShareableError: .*argument 1 of takes/
        : /no error|^NotShareableError: .*argument 1/;
      expect(`${kind}: ${ofField}`.slice(kind.length + 2)).toMatch(field);
      expect(`${kind}: ${ofArgument}`.slice(kind.length + 2)).toMatch(argument);
    }
  });

  test('a result that cannot leave its worker is a NotShareableError at the join', async () => {
    const results = [
      'a function',
      'a symbol',
      'a task',
      'a WeakMap',
      'a WeakRef',
      'a generator',
      'a function in an object',
      'a function as the key of a Map',
    ];
    for (const kind of results) {
      const outcome = (await run('resultOf', kind)) as string;
      if (executor.checked)
        expect([kind, outcome]).toEqual([kind, expect.stringMatching(/^NotShareableError: .*result of/)]);
      else expect([kind, outcome]).toEqual([kind, expect.stringMatching(/no error|^NotShareableError/)]);
    }
  });

  test('a field that a body spoils is a NotShareableError at the join', async () => {
    for (const kind of ['a function', 'a typed array', 'a task', 'a generator']) {
      const outcome = (await run('spoils', kind)) as string;
      if (executor.checked)
        expect([kind, outcome]).toEqual([
          kind,
          expect.stringMatching(/^NotShareableError: .*field 'spoiled' of Spoiler/),
        ]);
      else expect([kind, outcome]).toEqual([kind, expect.stringMatching(/no error|^NotShareableError/)]);
    }
  });

  test('a buffer that a task makes cannot cross from a worker, and says what to use', async () => {
    const outcome = await run('makesABuffer');
    const workerMadeIt = executor.name.startsWith('invoke,');
    if (executor.checked && workerMadeIt) expect(outcome).toMatch(/^NotShareableError: .*sharedArray\(\)/);
    else expect([3, expect.stringMatching(/^NotShareableError/)]).toContainEqual(outcome);
  });
});
