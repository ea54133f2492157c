/**
 * Recognises functions that compare an element with a constant, `(x) => x < 0.5`, from their source text, so that a kernel
 * can do what they say; runs on every thread.
 *
 * A function that is not plainly of that form is not recognised, and is called like any other.
 */

import { tokensOf } from '../../core/code/tokens.js';
import type { Comparison, ComparisonOp } from '../kernels/comparison-kernel.js';

/** What the source says: the constant itself, or the property of the context that has it. */
export type ComparisonPattern = Comparison | { readonly op: ComparisonOp; readonly key: string };

/** The operator that means the same when its two sides are exchanged. */
const mirrored = (op: string): string => op.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));

// Patterns of a source whose tokens are set apart by one blank each: see `spaced`.
const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const NAMES = `${NAME}(?: , ${NAME})*`;
/** `(x)`, `(x, i)` or `(x, i, { limit })`. */
const PARAMETERS = `\\( (${NAMES})(?: , \\{ (${NAMES}) \\})? \\)`;
const HEAD = new RegExp(`^(?:function (?:${NAME} )?${PARAMETERS} (?=\\{)|(?:${PARAMETERS}|(${NAME})) => )`, 'u');
const BLOCK = /^\{ return (.*?)(?: ;)? \}$/;
const PARENTHESES = /^\( (.*) \)$/;
const OPERAND = `(?:[+-] )?[.\\d]\\S*|${NAME}`;
const EXPRESSION = new RegExp(`^(${OPERAND}) ([<>]=?|[=!]==?) (${OPERAND})$`, 'u');

/** A source with one blank between two tokens, and without comments. The lexer gives operators in pieces of one character. */
function spaced(source: string): string {
  let text = '';
  let end = 0;
  for (const token of tokensOf(source)) {
    const goesOn = token.start === end && /[<>=!]$/.test(text) && /^[<>=!]$/.test(token.text);
    text += goesOn ? token.text : ` ${token.text}`;
    end = token.end;
  }
  return text.slice(1);
}

/** The value of a numeric literal; undefined for what is none, and for octals of the old form. */
function numberIn(text: string): number | bigint | undefined {
  if (!/^[.\d]/.test(text) || /^0\d/.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  if (digits.endsWith('n')) return BigInt(digits.slice(0, -1));
  const value = Number(digits);
  return Number.isNaN(value) ? undefined : value;
}

/** An operand: the element, a constant, or a property of the context; undefined for all else. */
function operandIn(text: string, element: string, keys: readonly string[]) {
  if (text === element) return element;
  if (keys.includes(text)) return { key: text };
  const sign = /^[+-] /.exec(text)?.[0] ?? '';
  const value = numberIn(text.slice(sign.length));
  if (value === undefined || (typeof value === 'bigint' && sign === '+ ')) return undefined;
  return { constant: sign === '- ' ? -value : value };
}

/** What a function's source says, if it is a comparison of the first parameter with a constant and nothing else. */
export function comparisonIn(source: string): ComparisonPattern | undefined {
  const text = spaced(source);
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const names = (head[1] ?? head[3] ?? head[5] ?? '').split(' , ');
  const element = names[0] as string;
  const taken = head[2] ?? head[4]; // properties of the context
  if (taken !== undefined && names.length !== 2) return undefined;
  const keys = taken === undefined ? [] : taken.split(' , ').filter((key) => key !== names[1]);
  if (names.lastIndexOf(element) > 0 || keys.includes(element)) return undefined;
  const body = text.slice(head[0].length);
  const returned = BLOCK.exec(body)?.[1] ?? body;
  const [, first = '', op = '', second = ''] = EXPRESSION.exec(PARENTHESES.exec(returned)?.[1] ?? returned) ?? [];
  const [left, right] = [operandIn(first, element, keys), operandIn(second, element, keys)];
  if (left === element && typeof right === 'object') return { op: op as ComparisonOp, ...right };
  if (right === element && typeof left === 'object') return { op: mirrored(op) as ComparisonOp, ...left };
  return undefined;
}

/** A function with a longer source is not read (characters). */
const LONGEST = 200;

const patterns = new WeakMap<object, ComparisonPattern | undefined>();

/** What a function's source says; each function is read once. */
export function patternOf(fn: (...args: never[]) => unknown): ComparisonPattern | undefined {
  if (!patterns.has(fn)) {
    const source = Function.prototype.toString.call(fn);
    patterns.set(fn, source.length <= LONGEST ? comparisonIn(source) : undefined);
  }
  return patterns.get(fn);
}

/** The comparison that a pattern stands for in a call with this context; undefined if the property is no constant. */
export function comparisonOf(pattern: ComparisonPattern, context: unknown): Comparison | undefined {
  if ('constant' in pattern) return pattern;
  const property = Object.getOwnPropertyDescriptor(Object(context), pattern.key);
  const constant: unknown = property?.value;
  return typeof constant === 'number' || typeof constant === 'bigint' ? { op: pattern.op, constant } : undefined;
}
