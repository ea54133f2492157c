import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  parallelSortBy,
  parallelSortBySync,
  type SortKey,
  type SortKeys,
} from '../../../src/algorithms/sort/sort-by.js';
import { parallelTopK } from '../../../src/algorithms/sort/top-k.js';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { bits } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).shortSorts(original as never),
);

registerHost(detectNode); // the promise forms give the event loop turns
beforeEach(() => reset());

interface Item {
  readonly key: SortKeys;
  readonly at: number;
}

/** As argsorts have it; descending order is the reverse, but NaN stays last. */
function inOrder(a: SortKey, b: SortKey, descending: boolean): number {
  const after = descending ? -1 : 1;
  if (a < b) return -after;
  if (a > b) return after;
  if (a === b) return a === 0 && b === 0 ? after * (Number(Object.is(b, -0)) - Number(Object.is(a, -0))) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

const itemsOf = (keys: readonly SortKeys[]): Item[] => keys.map((key, at) => ({ key, at }));

const partsOf = ({ key }: Item): readonly SortKey[] => (typeof key === 'object' ? key : [key]);

type Ties = (a: Item, b: Item) => number;

function sorted(items: readonly Item[], descending: readonly boolean[] = [], ties: Ties = () => 0): Item[] {
  return items.slice().sort((a, b) => {
    const others = partsOf(b);
    for (const [at, part] of partsOf(a).entries()) {
      const compared = inOrder(part, others[at], descending[at] === true);
      if (compared !== 0) return compared;
    }
    return ties(a, b);
  });
}

/** Many keys drawn from a few. */
const many = <K>(key: fc.Arbitrary<K>): fc.Arbitrary<K[]> =>
  fc
    .tuple(fc.array(key, { minLength: 1, maxLength: 400 }), fc.integer({ min: 0, max: 3000 }), fc.integer())
    .map(([pool, n, seed]) => {
      const random = bits(seed);
      return Array.from({ length: n }, () => pool[random() % pool.length]);
    });

const units = fc.array(fc.constantFrom('\0', '\u0001', 'a', 'b', '\u00ff', '\ud83d', '\ude00', '\uffff'), {
  maxLength: 12,
});
const someString = fc.oneof(
  units.map((list) => list.join('')),
  fc.string({ maxLength: 20 }),
  fc.integer({ min: 0, max: 99 }).map((n) => `https://example.org/a/long/prefix/${n}`),
);
const someNumber = fc.oneof(fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY), fc.double(), fc.integer());
const someBigInt = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -9n, max: 9n }));
const unsignedBigInt = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const largeBigInt = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
const kinds: readonly fc.Arbitrary<SortKey>[] = [someString, someNumber, someBigInt, unsignedBigInt, largeBigInt];

describe('parallelSortBy', () => {
  test.each([
    ['strings', 0],
    ['numbers', 1],
    ['bigints', 2],
    ['unsigned bigints', 3],
    ['large bigints', 4],
  ] as const)('sorts by %s as a stable sort does, and returns its array', async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(many(kinds[kind]), schedule, async (keys, given) => {
        const items = itemsOf(keys);
        const expected = sorted(items);
        expect(await parallelSortBy(items, (item) => item.key, follow(given))).toBe(items);
        expect(items.every((item, i) => item === expected[i])).toBe(true);
      }),
    );
  });

  test('sorts by lists of keys of any kinds, each ascending or descending, and by a comparator of what is tied', async () => {
    const someParts = fc.array(fc.record({ kind: fc.constantFrom(...kinds), few: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    });
    const someKeys = someParts.chain((parts) =>
      fc.record({
        keys: fc
          .tuple(...parts.map(({ kind, few }) => fc.array(kind, { minLength: 1, maxLength: few ? 2 : 300 })))
          .chain((pools) => many(fc.tuple(...pools.map((pool) => fc.constantFrom(...pool))))),
        descending: fc.tuple(...parts.map(() => fc.boolean())),
      }),
    );
    const someTies = fc.constantFrom<Ties | undefined>(undefined, (a, b) => (a.at % 5) - (b.at % 5));
    await fc.assert(
      fc.asyncProperty(someKeys, someTies, schedule, async ({ keys, descending }, ties, given) => {
        const items = itemsOf(keys);
        const expected = sorted(items, descending, ties);
        const again = items.slice();
        const options = { ...follow(given), descending, ...(ties && { ties }) };
        parallelSortBySync(items, (item) => partsOf(item), options);
        expect(items.every((item, i) => item === expected[i])).toBe(true);
        await parallelSortBy(again, (item) => partsOf(item), options);
        expect(again.every((item, i) => item === expected[i])).toBe(true);
      }),
    );
  });

  test.each([
    ['strings', 0],
    ['numbers', 1],
    ['bigints', 2],
    ['unsigned bigints', 3],
    ['large bigints', 4],
  ] as const)('sorts by %s in descending order, NaN last, and keeps the order of equal ones', async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(many(kinds[kind]), schedule, async (keys, given) => {
        const items = itemsOf(keys);
        const expected = sorted(items, [true]);
        await parallelSortBy(items, (item) => item.key, { descending: true, ...follow(given) });
        expect(items.every((item, i) => item === expected[i])).toBe(true);
      }),
    );
  });

  test('is typed: as many directions as the key has parts, and keys of the kinds that there are', () => {
    const people = [{ name: 'Ada', born: 1815 }];
    parallelSortBySync(people, ({ born, name }) => [born, name, born], { descending: [true, false, true] });
    parallelSortBySync(people, ({ name }) => [...name].map((letter) => letter.length), {
      descending: [true, true, true],
    });
    // @ts-expect-error: two directions for three parts
    expect(() => parallelSortBySync(people, (x) => [x.born, x.name, 1], { descending: [true, false] })).toThrow(
      RangeError,
    );
    // @ts-expect-error: a list of directions for one key
    expect(() => parallelSortBySync(people, (x) => x.born, { descending: [true, false] })).toThrow(RangeError);
    // @ts-expect-error: no key
    expect(() => parallelSortBySync(people, (x) => new Date(x.born))).toThrow(TypeError);
    // @ts-expect-error: a promise is no key
    expect(() => parallelSortBySync(people, async (x) => x.born)).toThrow(TypeError);
  });

  test('asks for no sort of what is not tied', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ id: (i * 7919) % 20_011, name: `name ${i % 7}` }));
    parallelSortBySync(items, ({ id, name }) => [id, name, id]);
    expect(simulation.jobs).toBe(1);
    expect(items.every(({ id }, i) => i === 0 || items[i - 1].id < id)).toBe(true);
    // Nor of strings that are equal: one job tells the seven apart, and none is needed for one.
    parallelSortBySync(items, ({ name }) => name.repeat(20));
    expect(simulation.jobs).toBe(2);
    parallelSortBySync(items, () => 'a long name'.repeat(20));
    expect(simulation.jobs).toBe(2);
  });

  test('calls the comparator of ties with items whose keys are equal, here, whatever it closes over', async () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ key: at % 100, at }));
    let calls = 0;
    await parallelSortBy(items, ({ key }) => key, {
      descending: true, // does not reverse the ties
      ties(a, b) {
        calls++;
        if (a.key !== b.key) throw new Error('not tied');
        return b.at - a.at;
      },
    });
    expect(calls).toBeGreaterThan(10_000);
    expect(items.slice(0, 2)).toEqual([
      { key: 99, at: 19_999 },
      { key: 99, at: 19_899 },
    ]);
    const before = items.slice();
    const failing = (): number => {
      throw new RangeError('no order');
    };
    await expect(parallelSortBy(items, ({ key }) => key, { ties: failing })).rejects.toThrow('no order');
    await expect(parallelSortBy(items, ({ key }) => key, { ties: (() => true) as never })).rejects.toThrow(
      /parallelSortBy: options.ties must return a number, as a comparator does, but it returned true/,
    );
    expect(items).toEqual(before);
  });

  test.each([
    ['equal', () => 'x'.repeat(5000)],
    ['of a long common prefix', (i: number) => `${'x'.repeat(2000)}${(i * 7919) % 5003}`],
    ['each longer than another', (i: number) => 'x'.repeat((i * 7919) % 3001)],
    ['nested in many groups', (i: number) => ((i * 7919) % 4096).toString(2).padStart(12, '0').split('').join('--')],
  ])('takes strings that are %s', async (_, keyOf) => {
    const items = itemsOf(Array.from({ length: 5000 }, (_, i) => keyOf(i)));
    const expected = sorted(items);
    await parallelSortBy(items, (item) => item.key, { threshold: 100 });
    expect(items.every((item, i) => item === expected[i])).toBe(true);
  });

  test('calls key once for each item, in order, here, and whatever it closes over', async () => {
    const items = Array.from({ length: 9000 }, (_, i) => i);
    const seen: number[] = [];
    await parallelSortBy(items, (item) => {
      seen.push(item);
      return -item;
    });
    expect(seen).toEqual(Array.from({ length: 9000 }, (_, i) => i));
    expect(items[0]).toBe(8999);
    expect(simulation.jobs).toBe(1);
  });

  test('leaves the array alone when a key is of no kind, or of another, with the index and a cure', async () => {
    const items: unknown[] = Array.from({ length: 20 }, (_, i) => i);
    const before = items.slice();
    const by = (bad: unknown, first: unknown = 1): Promise<unknown> =>
      parallelSortBy(items, (item) => (item === 7 ? bad : first) as SortKey);
    await expect(by(undefined)).rejects.toThrow(
      /key must return a number.*for items\[7\] it returned undefined.*missing key/,
    );
    await expect(by(new Date())).rejects.toThrow(/getTime/);
    await expect(by('7')).rejects.toThrow(/key returned "7" for items\[7\], where for items\[0\] it returned a number/);
    await expect(by(true)).rejects.toThrow(/items\[7\] it returned true. Return a number for it/);
    await expect(by([1, 2])).rejects.toThrow(/key returned \[1, 2\] for items\[7\], where .* it returned a number/);
    await expect(by(1, [1, 'a'])).rejects.toThrow(/it returned \[number, string\]/);
    await expect(by([1, 2], [1, 'a'])).rejects.toThrow(/items\[7\].*\[number, string\]/);
    await expect(by([1, 2, 3], [1, 2])).rejects.toThrow(/items\[7\].*\[number, number\]/);
    await expect(by([1, null], [1, 2])).rejects.toThrow(/items\[7\] it returned \[1, null\].*missing key/);
    await expect(by(1, [])).rejects.toThrow(/an array of these, but for items\[0\] it returned \[\]/);
    await expect(by([], [1])).rejects.toThrow(/an array of these, but for items\[7\] it returned \[\]/);
    await expect(by(Promise.resolve(1))).rejects.toThrow(TypeError);
    const failing = (item: unknown): number => {
      if (item === 5) throw new RangeError('no key');
      return 1;
    };
    await expect(parallelSortBy(items, failing)).rejects.toThrow('no key');
    expect(items).toEqual(before);
  });

  test('checks its arguments, and refuses holes and arrays that change meanwhile', async () => {
    const one = (): number => 1;
    await expect(parallelSortBy(new Float64Array(2) as never, one)).rejects.toThrow(
      /items must be an array.*parallelSort/,
    );
    await expect(parallelSortBy([1], 'age' as never)).rejects.toThrow(/key must be a function/);
    await expect(parallelSortBy([1], (async () => 1) as never)).rejects.toThrow(/AsyncFunction/);
    // biome-ignore lint/suspicious/noSparseArray: that is what is refused
    await expect(parallelSortBy([1, , 2], one)).rejects.toThrow(/items\[1\] is a hole/);
    const wrong = (options: object): Promise<unknown> => parallelSortBy([[1, 2]], (x) => x, options as never);
    await expect(wrong({ descending: 1 })).rejects.toThrow(
      /options.descending must be a boolean, or an array.*it is 1/,
    );
    await expect(wrong({ descending: [true, 'no'] })).rejects.toThrow(/it is \[true, "no"\]/);
    await expect(wrong({ descending: [true] })).rejects.toThrow(/has 1 elements, but the key has 2 parts/);
    await expect(wrong({ ties: 'name' })).rejects.toThrow(/options.ties must be a function, but it is "name"/);
    await expect(wrong({ ties: async () => 1 })).rejects.toThrow(/options.ties is an AsyncFunction/);
    await expect(wrong({ reverse: true })).rejects.toThrow(/no option "reverse".*descending, ties/);
    const items = Array.from({ length: 10_000 }, (_, i) => -i);
    const sorting = parallelSortBy(items, (x) => x);
    items.pop();
    await expect(sorting).rejects.toThrow(/had 10000 elements at the call, and has 9999 now/);
    expect(items[0]).toBe(-0);
    expect(await parallelSortBy([], one)).toEqual([]);
    expect(parallelSortBySync(['b'], (x) => x)).toEqual(['b']);
  });

  test('reports progress on the way that only grows, to (n, n), however many items are tied by how many parts', async () => {
    const n = 9000;
    let steals = 0;
    const distinct = fc.array(fc.constantFrom(1, 1, 2, 7, 1000), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(distinct, fc.boolean(), fc.boolean(), schedule, async (counts, isString, isTop, given) => {
        const seen: number[] = [];
        const onProgress = (done: number, total: number): void => {
          expect(total).toBe(n);
          seen.push(done);
        };
        const items = Array.from({ length: n }, (_, i) => i);
        const key = (i: number): SortKeys => counts.map((count) => (isString ? `key ${i % count} ` : i % count));
        const options = { ...follow(given), onProgress };
        if (isTop) await parallelTopK(items, n / 2, { key, ...options });
        else await parallelSortBy(items, key, options);
        expect(seen.every((done, at) => at === 0 || done > seen[at - 1])).toBe(true);
        expect(seen.at(-1)).toBe(n);
        if (!isString || counts.some((count) => count > 1)) expect(seen.length).toBeGreaterThan(2);
        steals += simulation.steals;
      }),
      { numRuns: 40 },
    );
    expect(steals).toBeGreaterThan(5);
  });

  test('reports no progress of a part of the items as if it were that of all', async () => {
    const totals = new Set<number>();
    const items = Array.from({ length: 20_000 }, (_, i) => (i < 15_000 ? i % 3000 : i));
    await parallelSortBy(items, (x) => [BigInt(x) << 70n, -x], {
      threshold: 1000,
      onProgress: (_, total) => totals.add(total),
    });
    expect(simulation.jobs).toBe(1); // for the second part, of what is tied
    expect([...totals]).toEqual([20_000]);
  });

  test('leaves the array alone when it is cancelled', async () => {
    const items = Array.from({ length: 20_000 }, (_, i) => `${(i * 7919) % 10_007}`);
    const before = items.slice();
    reset({ cancelAt: 8 });
    await expect(parallelSortBy(items, (x) => x, { threshold: 100 })).rejects.toThrow(/cancelled/);
    expect(items).toEqual(before);
  });
});
