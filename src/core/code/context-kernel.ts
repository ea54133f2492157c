/**
 * Functions with a context that comes again: from the third call on with the same function and the same values, the context is bound as by
 * `kernel`. Runs on the thread that calls.
 *
 * The context is part of the function's last parameter: `(x, i, { xs, n }) => ...`. Its names become captured ones, `(xs, n) => ((x, i) => ...)`, if that
 * means the same. A context with new values in each call binds nothing, so that no code piles up. What was bound is dropped with the first shared
 * array of the context.
 */
import { isShared } from '../memory/shared-array.js';
import type { ShippedContext } from './context.js';
import { sourceOf } from './function-source.js';
import { bound, isAssigned } from './kernel.js';
import { type AnyFunction, forkKind } from './registry.js';
import { kernels } from './shipped-function.js';
import { isReference, type Token, tokensOf } from './tokens.js';

/** Calls with the same context before it is bound. */
const BEFORE = 2;
/** Number of functions and contexts remembered for the same arrays. */
const MAX_REMEMBERED = 8;

const ARRAY: unique symbol = Symbol('furcate.array');

type CapturedValues = Readonly<Record<string, unknown>>;

interface Met {
  readonly text: string;
  /** The keys of the context, and its values; `ARRAY` stands for each array. */
  readonly rest: readonly unknown[];
  times: number;
  /** Undefined if the function cannot be bound. */
  fn?: AnyFunction | undefined;
}

/** Functions and contexts met with an array, and with further arrays after it. */
interface MetPlace {
  readonly met: Met[];
  readonly further: WeakMap<object, MetPlace>;
}

/** By the first shared array of the context. Nothing here keeps an array. */
const first = new WeakMap<object, MetPlace>();

/** A function without its last parameter, and what that has named: the context's key of each name. */
interface Hoisted {
  readonly text: string;
  readonly keys: ReadonlyMap<string, string>;
}

/** The kernel of a function and a context that come again; undefined if they are new, or cannot be bound. */
export function kernelOf(fn: AnyFunction, { data, codes }: ShippedContext): AnyFunction | undefined {
  const context = data as CapturedValues;
  const values = Object.values(context);
  const arrays = values.filter((value): value is object => typeof value === 'object' && value !== null);
  if (
    arrays.length === 0 ||
    codes.length > 0 ||
    forkKind(fn) !== undefined ||
    kernels.has(fn) ||
    !arrays.every(isConstant)
  )
    return undefined;
  const all = metWith(arrays);
  const text = Function.prototype.toString.call(fn);
  const rest = [...Object.keys(context), ...values.map((value) => (arrays.includes(value as object) ? ARRAY : value))];
  const found = all.find((one) => one.text === text && isSame(one.rest, rest));
  if (found === undefined) {
    if (all.length === MAX_REMEMBERED) all.shift();
    all.push({ text, rest, times: 1 });
    return undefined;
  }
  if (found.times++ !== BEFORE) return found.fn;
  const { text: hoisted, keys } = hoist(fn, text) ?? { text: '', keys: new Map<string, string>() };
  const used = [...keys].map(([name, key]) => [name, context[key]] as const);
  const gains =
    [...keys.values()].every((key) => Object.hasOwn(context, key)) && used.some(([, value]) => isConstant(value));
  if (gains) found.fn = bound(hoisted, [...keys.keys()], Object.fromEntries(used));
  return found.fn;
}

/** Checks whether this is a shared array, whose place nobody can change. */
const isConstant = (value: unknown): boolean => ArrayBuffer.isView(value) && isShared(value);

function metWith(arrays: readonly object[]): Met[] {
  let places = first;
  let met: Met[] = [];
  for (const array of arrays) {
    const place = places.get(array) ?? { met: [], further: new WeakMap() };
    places.set(array, place);
    ({ met, further: places } = place);
  }
  return met;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

/** Undefined for a function that has no such parameter, or where a captured name could mean something else. */
function hoist(fn: AnyFunction, text: string): Hoisted | undefined {
  if (sourceOf(fn, 'a function') !== text) return undefined; // it has help of the library's, or of a compiler's
  const tokens = tokensOf(text);
  const textOf = (i: number): string => tokens[i]?.text ?? '';
  const open = textOf(0) !== 'function' ? 0 : textOf(1) === '(' ? 1 : 2;
  if (textOf(open) !== '(') return undefined;
  const close = (tokens[open] as Token).partner;
  const end = textOf(close - 1) === ',' ? close - 1 : close;
  if (textOf(end - 1) !== '}') return undefined;
  const brace = (tokens[end - 1] as Token).partner;
  if (brace <= open || (textOf(brace - 1) !== ',' && brace - 1 !== open)) return undefined;
  const keys = namesIn(tokens.slice(brace + 1, end - 1));
  if (keys === undefined) return undefined;
  const isUnclear = tokens.some(({ text }, i) => {
    if (i >= brace && i < end) return false;
    if (text === 'arguments' || text === 'eval') return true;
    if (!keys.has(text) || !isReference(tokens, i)) return false;
    return i < brace || ['var', 'function', 'class'].includes(textOf(i - 1)) || isAssigned(tokens, i);
  });
  if (isUnclear) return undefined;
  const from = brace - 1 === open ? (tokens[brace] as Token).start : (tokens[brace - 1] as Token).start;
  return { text: text.slice(0, from) + text.slice((tokens[close] as Token).start), keys };
}

/** The names of a pattern, `a, b: c`, with their keys; undefined for a pattern that has more. */
function namesIn(tokens: readonly Token[]): Map<string, string> | undefined {
  const names = new Map<string, string>();
  for (let i = 0; i < tokens.length; ) {
    const key = tokens[i] as Token;
    const isRenamed = tokens[i + 1]?.text === ':';
    const name = isRenamed ? tokens[i + 2] : key;
    i += isRenamed ? 3 : 1;
    if (key.kind !== 'word' || name?.kind !== 'word' || names.has(name.text)) return undefined;
    if (i < tokens.length && tokens[i++]?.text !== ',') return undefined;
    names.set(name.text, key.text);
  }
  return names;
}
