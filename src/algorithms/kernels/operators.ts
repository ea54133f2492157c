/**
 * The operations that have a name, and each as an operator of two values; runs on every thread that computes.
 */

/** Reductions that have a name. */
export type NamedReduction = 'sum' | 'product' | 'min' | 'max' | 'and' | 'or' | 'xor';

export const NAMED_REDUCTIONS: readonly NamedReduction[] = ['sum', 'product', 'min', 'max', 'and', 'or', 'xor'];

export const BITWISE: readonly NamedReduction[] = ['and', 'or', 'xor'];

/** Two values combined by their name; -0, NaN and mixtures of number and bigint as the operators and Math have them. */
export type Operator = (a: unknown, b: unknown) => unknown;

// Self-contained, since they are compiled into loops (see specialize.ts). Written for numbers; all but min and max take bigints as well.

const add = (a: number, b: number): number => a + b;
const multiply = (a: number, b: number): number => a * b;
const and = (a: number, b: number): number => a & b;
const or = (a: number, b: number): number => a | b;
const xor = (a: number, b: number): number => a ^ b;
const lesser = (a: number, b: number): number => (typeof a === 'bigint' ? (b < a ? b : a) : Math.min(a, b));
const greater = (a: number, b: number): number => (typeof a === 'bigint' ? (b > a ? b : a) : Math.max(a, b));

/** Combines two partial results, or an identity and one. */
export const OPERATORS = {
  sum: add,
  product: multiply,
  min: lesser,
  max: greater,
  and,
  or,
  xor,
} as unknown as Readonly<Record<NamedReduction, Operator>>;
