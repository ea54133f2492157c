import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkContext, openContext, shipContext } from '../../../../src/core/code/source.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';

type Context = Record<string, unknown>;

/** A context as a thread has it, and the look for writes to it. */
function opened(context: Context): { given: Context; check: (atOnce?: boolean) => void } {
  const ship = structuredClone(shipContext(context, 'context'));
  return { given: openContext(ship), check: (atOnce = true) => checkContext(ship, 'fn of parallelMap', atOnce) };
}

const scalar = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.boolean(), fc.constantFrom(null, undefined));
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true, maxKeys: 4 }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => new Set(values)),
    fc.date(),
  ),
})).value;

/** Every object that can be reached. */
function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  if (value instanceof Map || value instanceof Set) for (const part of value.values()) objectsIn(part, found);
  for (const part of Object.values(value)) objectsIn(part, found);
  return found;
}

/** Ways to write to an object; each changes it. */
const writes = (object: object): (() => void)[] => {
  const unlike = {};
  if (Array.isArray(object)) {
    return [
      () => object.push(1),
      () => {
        object[0] = unlike;
      },
      () => {
        object[object.length - 1 < 0 ? 0 : object.length - 1] = unlike;
      },
      () => {
        object.length += 1;
      },
      () => object.unshift(unlike),
    ];
  }
  if (object instanceof Map) return [() => object.set('new', 1), () => object.clear(), () => object.delete('a')];
  if (object instanceof Set) return [() => object.add(unlike), () => object.clear(), () => object.delete(1)];
  if (object instanceof Date) return [() => object.setTime(5), () => object.setUTCFullYear(1)];
  return [
    () => {
      (object as Context)['new'] = 1;
    },
    () => {
      for (const key of Object.keys(object)) (object as Context)[key] = unlike;
      (object as Context)['new'] = 1;
    },
  ];
};

test('a write anywhere in a context throws, then or when the piece of work ends; reading does not', () => {
  fc.assert(
    fc.property(data, fc.nat(), fc.nat(), (value, which, how) => {
      const { given, check } = opened({ value });
      check(false);
      const objects = [...objectsIn(given)];
      const object = objects[which % objects.length] as object;
      const all = writes(object);
      expect(() => {
        all[how % all.length]?.();
        check(false);
        check();
      }).toThrow(TypeError);
      const fresh = opened({ value });
      JSON.stringify(fresh.given, (_, part) => (typeof part === 'bigint' ? '' : part));
      fresh.check();
      expect(fresh.given).toEqual({ value });
    }),
  );
});

describe('a complaint about a write', () => {
  test('names the array, what became of it, and the way out', () => {
    const { given, check } = opened({ tools: { rows: new Map([['a', [1, 2]]]) } });
    (given as { tools: { rows: Map<string, number[]> } }).tools.rows.get('a')?.push(3);
    expect(() => check()).toThrow(
      /^furcate: fn of parallelMap wrote to context\.tools\.rows\.get\("a"\), which had length 2 and has 3\. .*sharedArray\(/,
    );
  });

  test('names the method of a Map, Set or Date', () => {
    const { given } = opened({ map: new Map([[1, 2]]), set: new Set([1]), date: new Date(0) });
    const { map, set, date } = given as { map: Map<number, number>; set: Set<number>; date: Date };
    expect(() => map.set(1, 3)).toThrow(/set\(\) of a Map in `context`/);
    expect(() => set.add(2)).toThrow(/add\(\) of a Set in `context`/);
    expect(() => date.setHours(1)).toThrow(/setHours\(\) of a Date in `context`/);
    expect([map.get(1), set.has(1), date.getTime(), [...map], [...set]]).toEqual([2, true, 0, [[1, 2]], [1]]);
    expect(Object.keys(map)).toEqual([]);
  });
});

describe('what may be written to', () => {
  test('is shared: a view in a context is the memory itself', () => {
    const xs = sharedArray(Float64Array, 3);
    const { given, check } = opened({ list: [1] });
    const shared = openContext(shipContext({ xs }, 'context')) as { xs: Float64Array };
    shared.xs[1] = 2;
    check();
    expect([...xs]).toEqual([0, 2, 0]);
    expect(given).toEqual({ list: [1] });
  });

  test('is the place where a RegExp goes on, which matching writes', () => {
    const { given } = opened({ all: /a/g, sticky: /a/y });
    const { all, sticky } = given as { all: RegExp; sticky: RegExp };
    expect([all.test('aa'), all.lastIndex, 'banana'.replace(all, 'o')]).toEqual([true, 1, 'bonono']);
    expect([sticky.test('aab'), sticky.test('aab'), sticky.test('aab')]).toEqual([true, true, false]);
  });
});

test('arrays of numbers stay arrays of numbers to the engine: NaN and -0 are no writes, and the first look is at once', () => {
  const numbers = [0.5, Number.NaN, -0];
  const { given, check } = opened({ numbers, nested: [[1], [{ a: 1 }]] });
  check(false);
  expect(given['numbers']).toEqual(numbers);
  expect(Object.isExtensible(given['numbers'])).toBe(true);
  const late = opened({ long: new Array(100_000).fill(0) });
  (late.given['long'] as number[])[77] = 1;
  expect(() => late.check(false)).toThrow(/context\.long, which has another element 77/);
});

test('long arrays are looked at the less often, and once more at the end', () => {
  const { given, check } = opened({ long: new Array(1000).fill(0) });
  check(false);
  (given['long'] as number[])[3] = 1;
  let pieces = 0;
  expect(() => {
    for (; pieces < 100; pieces++) check(false);
  }).toThrow(TypeError);
  expect(pieces).toBeGreaterThan(4);
  const ended = opened({ long: new Array(1000).fill(0) });
  ended.check(false);
  (ended.given['long'] as number[])[3] = 1;
  ended.check(false);
  expect(() => ended.check(true)).toThrow(TypeError);
});

test('errors and boxed values of a context are frozen as well', () => {
  const { given } = opened({ error: new RangeError('no'), boxed: Object(1) });
  for (const value of Object.values(given)) expect(Object.isFrozen(value)).toBe(true);
});
