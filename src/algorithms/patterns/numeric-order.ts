/**
 * Recognises comparators that order numbers by their value, ascending or descending, from their source text:
 * `(a, b) => a - b`, `(a, b) => a < b ? -1 : a > b ? 1 : 0` and the like; runs on the calling thread.
 *
 * Most comparators in programs are of this kind, and sorting by keys is several times faster than calling a function. A comparator
 * that is not clearly of this kind is called.
 */
import { forkKind } from '../../core/engine.js';
import { functionText, NAME } from './function-text.js';

export type NumericOrder = 'ascending' | 'descending';

/** A comparator, whatever it is called with. */
export type AnyComparator = (...args: never[]) => unknown;

/** A comparison of two names, neither of which belongs to a larger expression. */
const COMPARISON = new RegExp(
  `(?<=^|[?:;(){}&|] |\\breturn |\\belse )(${NAME}) (?:[<>]=?|[=!]==?) (${NAME})(?=$| [?:;)}&|])`,
  'gu',
);

/** Parts of which a body may consist, with `#` for each comparison: constants, operators and branches. */
const CONSTANT = /^(?:[\s\d#?:;(){}!+&|-]|\b(?:return|if|else)\b)*$/;

/**
 * Order that a text expresses: in which direction it orders numbers, and whether bigints too (a difference of bigints is not a
 * number).
 */
interface KnownOrder {
  readonly order: NumericOrder;
  readonly bigints: boolean;
}

const known = new Map<string, KnownOrder | undefined>();

/** Number of texts that are remembered. Programs have few comparators. */
const MOST_KNOWN = 1000;

/** The order that a comparator has by its text, among numbers or among bigints; undefined for one that has to be called. */
export function numericOrderOf(compare: AnyComparator, ofBigints: boolean): NumericOrder | undefined {
  if (forkKind(compare) !== undefined) return undefined; // its name may stand for another function elsewhere
  const text = Function.prototype.toString.call(compare);
  if (!known.has(text)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, read(text, compare));
  }
  const found = known.get(text);
  return found === undefined || (ofBigints && !found.bigints) ? undefined : found.order;
}

function read(source: string, compare: AnyComparator): KnownOrder | undefined {
  const { names = [], keys, body = '', returned } = functionText(source) ?? {};
  const [a, b] = names;
  if (names.length !== 2 || keys !== undefined || a === b) return undefined;
  if (returned === `${a} - ${b}`) return { order: 'ascending', bigints: false };
  if (returned === `${b} - ${a}`) return { order: 'descending', bigints: false };
  const rest = body.replace(COMPARISON, (found, x, y) => ((x === a && y === b) || (x === b && y === a) ? '#' : found));
  const order = CONSTANT.test(rest) ? orderOf(compare) : undefined;
  return order && { order, bigints: true };
}

/**
 * The order of a comparator whose answer depends only on which of two numbers is less. One call for each of the two cases
 * determines it. What the comparator says about equal numbers does not change the result. NaN is handled elsewhere.
 */
function orderOf(compare: AnyComparator): NumericOrder | undefined {
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
