/**
 * Recognises functions that compare an element with a constant, `(x) => x < 0.5`, from their source text, so that a kernel
 * can do what they say; runs on every thread.
 *
 * A function that is not plainly of that form is not recognised, and is called like any other.
 */

import type { Comparison, ComparisonOp } from '../kernels/comparison-kernel.js';
import { functionText, NAME } from './function-text.js';

/** Comparison that the source makes: with the constant itself, or the property of the context that has it. */
export type ComparisonPattern = Comparison | { readonly op: ComparisonOp; readonly key: string };

/** The operator that means the same when its two sides are exchanged. */
const mirrored = (op: string): string => op.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));

const OPERAND = `(?:[+-] )?[.\\d]\\S*|${NAME}`;
const EXPRESSION = new RegExp(`^(${OPERAND}) ([<>]=?|[=!]==?) (${OPERAND})$`, 'u');

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

/** Reads a function's source, if it is a comparison of the first parameter with a constant and nothing else. */
export function comparisonIn(source: string): ComparisonPattern | undefined {
  const text = functionText(source);
  if (text === undefined || (text.keys !== undefined && text.names.length !== 2)) return undefined;
  const [element, second] = text.names as [string, string?];
  const keys = (text.keys ?? []).filter((key) => key !== second);
  if (text.names.lastIndexOf(element) > 0 || keys.includes(element)) return undefined;
  const [, x = '', op = '', y = ''] = EXPRESSION.exec(text.returned) ?? [];
  const [left, right] = [operandIn(x, element, keys), operandIn(y, element, keys)];
  if (left === element && typeof right === 'object') return { op: op as ComparisonOp, ...right };
  if (right === element && typeof left === 'object') return { op: mirrored(op) as ComparisonOp, ...left };
  return undefined;
}

const patterns = new WeakMap<object, ComparisonPattern | undefined>();

/** Returns the comparison in a function's source; each function is read once. */
export function patternOf(fn: (...args: never[]) => unknown): ComparisonPattern | undefined {
  if (!patterns.has(fn)) patterns.set(fn, comparisonIn(Function.prototype.toString.call(fn)));
  return patterns.get(fn);
}

/** The comparison that a pattern stands for in a call with this context; undefined if the property is no constant. */
export function comparisonOf(pattern: ComparisonPattern, context: unknown): Comparison | undefined {
  if ('constant' in pattern) return pattern;
  const property = Object.getOwnPropertyDescriptor(Object(context), pattern.key);
  const constant: unknown = property?.value;
  return typeof constant === 'number' || typeof constant === 'bigint' ? { op: pattern.op, constant } : undefined;
}
