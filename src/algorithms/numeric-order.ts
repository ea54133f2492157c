/**
 * Comparators that order numbers as numbers: `(a, b) => a - b` and `(a, b) => b - a`, known by their text; runs on the
 * calling thread.
 *
 * Most comparators that people write are these two, and a sort by keys is several times faster than one that calls a
 * function. What is not plainly one of them is called as it is.
 */
import { forkableOf } from '../core/code/registry.js';

export type NumericOrder = 'ascending' | 'descending';

const NAME = '([A-Za-z_$][\\w$]*)';
const PARAMETERS = `\\(\\s*${NAME}\\s*,\\s*${NAME}\\s*\\)`;
const DIFFERENCE = `${NAME}\\s*-\\s*${NAME}`;

const FORMS = [
  new RegExp(`^${PARAMETERS}\\s*=>\\s*${DIFFERENCE}$`),
  new RegExp(`^${PARAMETERS}\\s*=>\\s*\\{\\s*return\\s+${DIFFERENCE}\\s*;?\\s*\\}$`),
  new RegExp(`^function(?:\\s+[A-Za-z_$][\\w$]*)?\\s*${PARAMETERS}\\s*\\{\\s*return\\s+${DIFFERENCE}\\s*;?\\s*\\}$`),
];

const known = new Map<string, NumericOrder | undefined>();

/** Texts that are remembered; a program has few comparators. */
const MOST_KNOWN = 1000;

/** The order that a comparator has by its text; undefined for one that has to be called. */
export function numericOrderOf(compare: (...args: never[]) => unknown): NumericOrder | undefined {
  if (forkableOf(compare) !== undefined) return undefined; // its name may stand for another function elsewhere
  const text = Function.prototype.toString.call(compare);
  if (known.has(text)) return known.get(text);
  if (known.size >= MOST_KNOWN) known.clear();
  const order = read(text);
  known.set(text, order);
  return order;
}

function read(text: string): NumericOrder | undefined {
  for (const form of FORMS) {
    const found = form.exec(text);
    if (found === null) continue;
    const [, a, b, left, right] = found;
    if (a === b) return undefined;
    if (left === a && right === b) return 'ascending';
    if (left === b && right === a) return 'descending';
  }
  return undefined;
}
