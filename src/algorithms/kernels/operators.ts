/**
 * The operations that have a name, and each as an operator of two values; runs on every thread that computes.
 *
 * Operators are self-contained, since templates inline them (see specialize.ts). There is a table for each kind of value, so that V8
 * sees one kind in each operator.
 */

/** Reductions that have a name. */
export type NamedReduction = 'sum' | 'product' | 'min' | 'max' | 'and' | 'or' | 'xor';

export const NAMED_REDUCTIONS: readonly NamedReduction[] = ['sum', 'product', 'min', 'max', 'and', 'or', 'xor'];

export const BITWISE: readonly NamedReduction[] = ['and', 'or', 'xor'];

/** Two values combined. Operators of bigints have this type too: kernels see arrays of either kind as numbers. */
export type Operator = (a: number, b: number) => number;

type Operators = Readonly<Record<NamedReduction, Operator>>;

const ofBigInts = (operator: (a: bigint, b: bigint) => bigint): Operator => operator as unknown as Operator;

/** Numbers as doubles; bits as those of signed words. */
export const NUMBERS: Operators = {
  sum: (a, b) => a + b,
  product: (a, b) => a * b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** Numbers as doubles; bits as those of unsigned words. */
export const UNSIGNED: Operators = {
  ...NUMBERS,
  and: (a, b) => (a & b) >>> 0,
  or: (a, b) => (a | b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
};

/** Sums and products modulo 2^32. */
export const WORDS: Operators = {
  ...NUMBERS,
  sum: (a, b) => (a + b) | 0,
  product: (a, b) => Math.imul(a, b),
};

/** Bigints, exact however large they are. */
export const BIGINTS: Operators = {
  sum: ofBigInts((a, b) => a + b),
  product: ofBigInts((a, b) => a * b),
  min: ofBigInts((a, b) => (b < a ? b : a)),
  max: ofBigInts((a, b) => (b > a ? b : a)),
  and: ofBigInts((a, b) => a & b),
  or: ofBigInts((a, b) => a | b),
  xor: ofBigInts((a, b) => a ^ b),
};

/** Sums and products modulo 2^64. */
export const INT64: Operators = {
  ...BIGINTS,
  sum: ofBigInts((a, b) => BigInt.asIntN(64, a + b)),
  product: ofBigInts((a, b) => BigInt.asIntN(64, a * b)),
};

export const UINT64: Operators = {
  ...BIGINTS,
  sum: ofBigInts((a, b) => BigInt.asUintN(64, a + b)),
  product: ofBigInts((a, b) => BigInt.asUintN(64, a * b)),
};

/** The neutral elements of operations on numbers: what a reduction of nothing gives. That of a sum is -0, but nothing sums up to 0. */
export const NEUTRAL: Readonly<Record<NamedReduction, number>> = {
  sum: 0,
  product: 1,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  and: -1,
  or: 0,
  xor: 0,
};

/** Values of either kind: -0, NaN and mixtures of number and bigint as the operators and Math have them. */
export const OPERATORS = {
  sum: (a: number, b: number) => a + b,
  product: (a: number, b: number) => a * b,
  min: (a: number, b: number) => (typeof a === 'bigint' ? (b < a ? b : a) : Math.min(a, b)),
  max: (a: number, b: number) => (typeof a === 'bigint' ? (b > a ? b : a) : Math.max(a, b)),
  and: (a: number, b: number) => a & b,
  or: (a: number, b: number) => a | b,
  xor: (a: number, b: number) => a ^ b,
} as unknown as Readonly<Record<NamedReduction, (a: unknown, b: unknown) => unknown>>;
