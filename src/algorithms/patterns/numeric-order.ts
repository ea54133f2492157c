/**
 * Recognises comparators that order numbers by their value, ascending or descending, from their source text:
 * `(a, b) => a - b`, `(a, b) => a < b ? -1 : a > b ? 1 : 0` and the like; runs on the calling thread.
 *
 * Most comparators in programs are of this kind, and sorting by keys is several times faster than calling a function. A comparator
 * that is not clearly of this kind is called.
 */
import { forkableOf } from '../../core/code/registry.js';

export type NumericOrder = 'ascending' | 'descending';

/** A comparator, whatever it is called with. */
export type Compare = (...args: never[]) => unknown;

export const NAME = '([A-Za-z_$][\\w$]*)';
const PARAMETERS = `\\(\\s*${NAME}\\s*,\\s*${NAME}\\s*\\)`;

/** What comes before the body: an expression, or a block, which a brace begins and ends. */
export const ARROW = new RegExp(`^${PARAMETERS}\\s*=>\\s*`);
const FUNCTION = new RegExp(`^function(?:\\s+[A-Za-z_$][\\w$]*)?\\s*${PARAMETERS}\\s*(?=\\{)`);

const DIFFERENCE = new RegExp(`^(?:${NAME}\\s*-\\s*${NAME}|\\{\\s*return\\s+${NAME}\\s*-\\s*${NAME}\\s*;?\\s*\\})$`);

/** A comparison of two names, neither of which belongs to a larger expression. */
const COMPARISON = new RegExp(
  `(^|[?:;(){}]|&&|\\|\\||\\breturn\\b|\\belse\\b)(\\s*)${NAME}\\s*(?:[<>]=?|[=!]==?)\\s*${NAME}(?=\\s*(?:$|[?:;)}]|&&|\\|\\|))`,
  'g',
);

/** What a body may consist of, with `#` for each comparison: constants, operators and branches. */
const CONSTANT = /^(?:[\s\d#?:;(){}!+-]|&&|\|\||\b(?:return|if|else)\b)*$/;

/** What a text says: in which direction it orders numbers, and whether bigints too (a difference of bigints is not a number). */
interface Known {
  readonly order: NumericOrder;
  readonly bigints: boolean;
}

const known = new Map<string, Known | undefined>();

/** How many texts are remembered. Programs have few comparators. */
const MOST_KNOWN = 1000;

/** The order that a comparator has by its text, among numbers or among bigints; undefined for one that has to be called. */
export function numericOrderOf(compare: Compare, ofBigints: boolean): NumericOrder | undefined {
  if (forkableOf(compare) !== undefined) return undefined; // its name may stand for another function elsewhere
  const text = Function.prototype.toString.call(compare);
  if (!known.has(text)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, read(text, compare));
  }
  const found = known.get(text);
  return found === undefined || (ofBigints && !found.bigints) ? undefined : found.order;
}

function read(text: string, compare: Compare): Known | undefined {
  const head = ARROW.exec(text) ?? FUNCTION.exec(text);
  if (head === null || head[1] === head[2]) return undefined;
  const [all, a, b] = head as unknown as [string, string, string];
  const body = text.slice(all.length);
  const difference = DIFFERENCE.exec(body)
    ?.slice(1)
    .filter((name) => name !== undefined);
  if (difference !== undefined) {
    if (difference[0] === a && difference[1] === b) return { order: 'ascending', bigints: false };
    if (difference[0] === b && difference[1] === a) return { order: 'descending', bigints: false };
    return undefined;
  }
  const order = comparesOnly(body, a, b) ? orderOf(compare) : undefined;
  return order === undefined ? undefined : { order, bigints: true };
}

/** Whether the body uses its parameters only to compare one with the other. */
function comparesOnly(body: string, a: string, b: string): boolean {
  const rest = body.replace(COMPARISON, (found, before: string, space: string, left: string, right: string) =>
    (left === a && right === b) || (left === b && right === a) ? `${before}${space}#` : found,
  );
  return CONSTANT.test(rest);
}

/**
 * The order of a comparator whose answer depends only on which of two numbers is less. One call for each of the two cases
 * determines it. What the comparator says about equal numbers does not change the result. NaN is handled elsewhere.
 */
function orderOf(compare: Compare): NumericOrder | undefined {
  const sign = (a: number, b: number): number =>
    Math.sign(Number((compare as (a: number, b: number) => unknown)(a, b)));
  try {
    const [up, down] = [sign(0, 1), sign(1, 0), sign(0, 0), sign(Number.NaN, 0)];
    if (up * down !== -1) return undefined;
    return up < 0 ? 'ascending' : 'descending';
  } catch {
    return undefined; // it calls a number, say
  }
}
