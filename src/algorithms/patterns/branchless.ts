/**
 * Comparators that are ternaries, without their branches: `X < Y ? -1 : X > Y ? 1 : 0` as `(X > Y) - (X < Y)`; runs on every
 * thread.
 *
 * V8 makes jumps of a ternary, half of which are mispredicted, and none of a difference: 1e6 random float64 by
 * `Math.abs(a)` and `Math.abs(b)` take 46 ms on two workers instead of 85. X and Y are evaluated more often then. Nobody can tell:
 * they are arithmetic and functions of `Math` of two elements, which are numbers or bigints.
 */
import { compileSource } from '../../core/code/source.js';
import { ARROW, type Compare, NAME } from './numeric-order.js';

const BODY = /^(?:\{\s*return\s+(.*?);?\s*\}|\((.*)\)|(.*))$/s;
const TERNARY = /^(.+?)\s*([<>])\s*(.+?)\s*\?\s*(-?1)\s*:\s*(.+?)\s*([<>])\s*(.+?)\s*\?\s*(-?1)\s*:\s*0\s*$/s;

/** What of `Math` gives the same for the same, as it was when the library was loaded. */
const PURE = new Map<string, unknown>(
  Object.getOwnPropertyNames(Math)
    .filter((name) => name !== 'random')
    .map((name) => [name, Math[name as keyof Math]]),
);

const made = new WeakMap<Compare, Compare>();

/** A comparator of elements that answers the same, and has no branches if the one given is such a ternary. */
export function branchless(compare: Compare): Compare {
  let better = made.get(compare);
  if (better === undefined) {
    better = rewritten(Function.prototype.toString.call(compare)) ?? compare;
    made.set(compare, better);
  }
  return better;
}

function rewritten(text: string): Compare | undefined {
  const [head, a, b] = ARROW.exec(text) ?? [];
  if (head === undefined) return undefined;
  const body = BODY.exec(text.slice(head.length))
    ?.slice(1)
    .find((part) => part !== undefined);
  const found = TERNARY.exec(body ?? '');
  if (found === null) return undefined;
  const [, x, first, y, yes, again, second, andAgain, otherwise] = found as unknown as string[];
  if (x !== again || y !== andAgain || first === second || yes === otherwise) return undefined;
  const names = [a, b];
  if (names.includes('Math') || !isPure(x as string, names) || !isPure(y as string, names)) return undefined;
  const [more, less] = yes === '1' ? [first, second] : [second, first];
  try {
    return compileSource(`(${a}, ${b}) => +(${x} ${more} ${y}) - +(${x} ${less} ${y})`) as Compare;
  } catch {
    return undefined; // where compiling is forbidden
  }
}

/** Whether an expression is arithmetic of these names, numbers and what `Math` has, and whole: it may be evaluated again. */
function isPure(expression: string, names: readonly unknown[]): boolean {
  const rest = expression
    .replace(/(?<![\w$.])Math\.(\w+)(\s*\()?/g, (found, name: string, call = '') =>
      PURE.has(name) && PURE.get(name) === Math[name as keyof Math] ? (call === '' ? '#' : '(') : found,
    )
    .replace(new RegExp(`(?<![\\w$])${NAME}`, 'g'), (name) => (names.includes(name) ? '#' : name));
  const isArithmetic = /^[#\d\s.,+\-*/%()]+$/.test(rest) && !/\+\+|--|\/[/*]|[#)]\s*\.|[#\d)]\s*\(/.test(rest);
  return isArithmetic && isWhole(rest);
}

/** Whether every parenthesis closes, and no comma stands outside of them. */
function isWhole(expression: string): boolean {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (depth < 0 || (character === ',' && depth === 0)) return false;
  }
  return depth === 0;
}
