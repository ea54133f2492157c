import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkReducer } from '../../../src/insight/profile/reducer.js';

test('associative functions pass, with rounding', () => {
  checkReducer((a, b) => a + b, [0, 0.1, 0.2, 0.3, 1e9, -7], { identity: 0 });
  checkReducer(Math.max, [3, -1, 0, 2.5], { identity: Number.NEGATIVE_INFINITY });
  checkReducer((a, b) => a + b, ['', 'a', 'b', 'ab'], { identity: '' });
  checkReducer(
    (a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }),
    [
      { sum: 1, count: 1 },
      { sum: 5, count: 2 },
    ],
  );
});

test('a function that changes its first argument is judged by what it returns', () => {
  const append = (a: number[], b: number[]): number[] => {
    a.push(...b);
    return a;
  };
  checkReducer(append, [[], [1], [2, 3]], { identity: [] });
});

test('a function for which the grouping matters is found, with the values', () => {
  expect(() => checkReducer((a, b) => a - b, [0, 1, 2])).toThrow(
    /^furcate: checkReducer\(\): op is not associative: with a = .*, b = .* and c = .*, op\(op\(a, b\), c\) is .*, and op\(a, op\(b, c\)\) is /,
  );
  expect(() => checkReducer((a, b) => (a + b) / 2, [1, 2, 3])).toThrow('sum and count for a mean');
  expect(() => checkReducer((a, b) => a + b, [0.1, 0.2, 0.3], { tolerance: 0 })).toThrow('not associative');
});

test('linear functions pass exactly if they are associative, with few samples and with many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 60 }), fc.nat(2), fc.nat(2), (count, p, q) => {
      const samples = Array.from({ length: count }, (_, k) => k + 1);
      const check = (): void => checkReducer((a: number, b: number) => p * a + q * b, samples);
      if (p <= 1 && q <= 1) check();
      else expect(check).toThrow('not associative');
    }),
    { numRuns: 20 },
  );
});

test('a value that is no identity is found', () => {
  expect(() => checkReducer((a, b) => a * b, [2, 3], { identity: 0 })).toThrow(
    'furcate: checkReducer(): 0 is no identity of op: for x = 2, op(identity, x) is 0.',
  );
});

test('what is no reducer is refused', () => {
  const check = checkReducer as (...args: unknown[]) => void;
  expect(() => check(1, [1])).toThrow(TypeError);
  expect(() => check(() => 1, [])).toThrow('at least one value');
  expect(() => check(async () => 1, [1])).toThrow('op returned a promise');
  expect(() => check(() => 1, [1], { tolerance: 2 })).toThrow(RangeError);
  expect(() => check(() => 1, [1], { tolerances: 2 })).toThrow("has no option 'tolerances'");
});

test('dates, bytes, patterns and errors are compared by what they hold', () => {
  const of: [string, (value: number) => object, (value: never) => number][] = [
    ['Date', (value) => new Date(value), (date: Date) => date.getTime()],
    [
      'ArrayBuffer',
      (value) => new Uint8Array([value]).buffer,
      (bytes: ArrayBuffer) => new Int8Array(bytes)[0] as number,
    ],
    ['RegExp', (value) => new RegExp(String(value)), ({ source }: RegExp) => Number(source)],
    ['Error', (value) => new Error(String(value)), ({ message }: Error) => Number(message)],
  ];
  for (const [name, make, read] of of) {
    const samples = [1, 2, 3].map(make) as never[];
    checkReducer((a, b) => make(read(a) + read(b)) as never, samples);
    expect(() => checkReducer((a, b) => make(read(a) - read(b)) as never, samples), name).toThrow(/not associative/);
  }
});

test('values may contain themselves', () => {
  interface Ring {
    value: number;
    next?: Ring;
  }
  const ring = (value: number): Ring => {
    const made: Ring = { value };
    made.next = made;
    return made;
  };
  checkReducer((a, b) => ring(a.value + b.value), [1, 2, 3].map(ring));
  expect(() => checkReducer((a, b) => ring(a.value - b.value), [1, 2, 3].map(ring))).toThrow(/not associative/);
});
