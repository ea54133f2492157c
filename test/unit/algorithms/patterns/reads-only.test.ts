import { describe, expect, test } from 'vitest';
import { readingOf } from '../../../../src/algorithms/patterns/reads-only.js';

/** What `Function.prototype.toString` shows is the text that a function was made of. */
const made = (text: string): ((...args: never) => unknown) => new Function(`return (${text});`)() as () => unknown;

describe('a function that does nothing but read', () => {
  test.each([
    'x => x',
    '(o) => o.amount',
    'function (o) { return o.amount; }',
    'o => o.price * o.count + 0.5',
    '(o, i) => o.price * i',
    '(o) => o?.name?.length ?? 0',
    "({ kind: 0 }, (o) => (o.kind === 'disc' ? Math.PI * o.radius ** 2 : 0))",
    '(o) => Math.max(o.a, -o.b) < 3 && !o.isOld',
    '(o) => typeof o.x === "number"',
    '({ amount }) => amount',
    '({ price, count }, i) => price * count + i',
    'function ({ amount, }) { return amount; }',
  ])('%s is recognised', (text) => {
    expect(readingOf(made(text))).toBeDefined();
  });

  test.each([
    'o => o.count++',
    '({ count }) => count++',
    '({ count = kept() }) => count',
    '({ list: [first] }) => first',
    '({ push }) => push(1)',
    '({ a, ...others }) => others',
    '({ a }, i, { k }) => a * k',
    '({ Math }) => Math.max(1)',
    'async ({ a }) => a',
    'o => --o.count',
    'o => o.total = 1',
    'o => (o.total += 1)',
    'o => o.total ??= 1',
    'o => delete o.total',
    'o => o.push(1)',
    'o => o.push?.(1)',
    'o => o["total"]',
    'o => [o]',
    'o => ({ o })',
    'o => kept(o)',
    'o => (kept = o)',
    'o => kept.o',
    'o => () => o',
    'o => new Set(o)',
    'o => Math.max(...o)',
    'o => `text`.at(o)',
    '(o, i, { k }) => o.a * k',
    '(Math) => Math.max(1)',
    'o => { o.a = 1; return o.a; }',
    'o => Math[o.name](o)',
    'o => globalThis.kept',
    'async (o) => o.a',
    'function () { return arguments.length; }',
  ])('%s is not', (text) => {
    expect(readingOf(made(text))).toBeUndefined();
  });
});

describe('of what such a function reads', () => {
  test.each([
    ['(o) => o.amount', ['amount']],
    ['(o, i) => o.price * i + o?.price', ['price']],
    ['({ price, count }, i) => price * count + i', ['price', 'count']],
    ['(o) => o.address.city.length', ['address']],
    ['(o) => (o.a < 3 && typeof o.b === "number" ? -o.c : Math.max(o.d, 0))', ['a', 'b', 'c', 'd']],
    ['(o) => 1', []],
  ])('%s tells the names', (text, names) => {
    expect(readingOf(made(text))?.properties).toEqual(names);
  });

  test.each([
    '(o) => o',
    '(o) => o ?? 0',
    '(o) => o.a || o',
    '(o) => typeof o',
    '(o) => o.constructor',
    '({ toString }) => toString',
    '(o) => o + 1',
  ])('%s may see all', (text) => {
    expect(readingOf(made(text))).toEqual({ properties: undefined });
  });
});
