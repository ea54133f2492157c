/** Which contexts are bound, and when. */
import { expect, test } from 'vitest';
import { shipContext } from '../../../../src/core/code/context.js';
import { kernelOf } from '../../../../src/core/code/context-kernel.js';
import { kernel } from '../../../../src/core/code/kernel.js';
import { resolver } from '../../../../src/core/code/resolver.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { collectUntil } from '../../../helpers/garbage.js';

type Fn = (i: number, context: never) => unknown;
const bind = (fn: Fn, context: object) =>
  kernelOf(fn as never, shipContext(context, 'context')) as ((i: number) => number) | undefined;
const xs = sharedArray(Float64Array, [1, 2, 3]);

test('a context is bound when it comes for the third time, and stays so', () => {
  const fn: Fn = (i: number, { xs, n }: { xs: Float64Array; n: number }) => xs[i] * n;
  const made = Array.from({ length: 5 }, () => bind(fn, { xs, n: 2 }));
  expect(made.slice(0, 2)).toEqual([undefined, undefined]);
  expect(made[2]?.(1)).toBe(4);
  expect([made[3], made[4]]).toEqual([made[2], made[2]]);
  expect(bind(fn, { xs: sharedArray(Float64Array, 3), n: 2 })).toBeUndefined();
});

test('contexts that are new each time add no code', () => {
  const fn: Fn = (i: number, { xs, n }: { xs: Float64Array; n: number }) => xs[i] + n;
  const before = resolver().table.idOf('source', 'before', '');
  for (let n = 0; n < 100; n++) expect(bind(fn, { xs, n })).toBeUndefined();
  expect(resolver().table.idOf('source', 'after', '')).toBe(before + 1);
});

test('kernels of one text, and contexts that come again with other numbers, add code once', () => {
  const weighed: Fn = (i: number, { xs, n }: { xs: Float64Array; n: number }) => xs[i] * n + 1;
  const n = 0;
  const captures = (i: number): number => xs[i] * n - 1;
  const before = resolver().table.idOf('source', 'before both', '');
  for (let n = 0; n < 100; n++) {
    for (let times = 0; times < 2; times++) expect(bind(weighed, { xs, n })).toBeUndefined();
    expect(bind(weighed, { xs, n })?.(1)).toBe(2 * n + 1);
    expect(kernel(captures, { xs, n })(1)).toBe(2 * n - 1);
  }
  expect(resolver().table.idOf('source', 'after both', '')).toBe(before + 3);
});

test.each<[name: string, fn: Fn, context: object]>([
  ['values that others may change', (i: number, { xs, o }: never) => xs[i] + o, { xs, o: { n: 1 } }],
  [
    'functions',
    (i: number, { xs, f }: { xs: Float64Array; f: (x: number) => number }) => f(xs[i]),
    { xs, f: (x: number) => x },
  ],
  ['no array', (i: number, { n }: { n: number }) => i + n, { n: 1 }],
  ['an array that the function does not name', (i: number, { n }: { n: number }) => i + n, { xs, n: 1 }],
  ['a key that the context lacks', (i: number, { xs, m }: never) => xs[i] + m, { xs, n: 1 }],
  ['a whole context', (i: number, c: { xs: Float64Array }) => c.xs[i], { xs }],
  ['a pattern with a default', (i: number, { xs, n = 1 }: { xs: Float64Array; n?: number }) => xs[i] + n, { xs, n: 2 }],
  ['a name that is assigned', (i: number, { xs, n }: { xs: Float64Array; n: number }) => xs[i] + n++, { xs, n: 2 }],
])('a function with %s is not bound', (_, fn, context) => {
  for (let k = 0; k < 5; k++) expect(bind(fn, context)).toBeUndefined();
});

test('nothing keeps the arrays of a context that was bound', async () => {
  const fn: Fn = (i: number, { a, b }: { a: Float64Array; b: Float64Array }) => a[i] + b[i];
  const a = sharedArray(Float64Array, 3);
  let isGone = false;
  const registry = new FinalizationRegistry(() => {
    isGone = true;
  });
  (() => {
    const b = sharedArray(Float64Array, 3);
    for (let k = 0; k < 4; k++) bind(fn, { a, b });
    expect(bind(fn, { a, b })).toBeDefined();
    registry.register(b, 0);
  })();
  expect(await collectUntil(() => isGone)).toBe(true);
  expect(a.length).toBe(3);
});
