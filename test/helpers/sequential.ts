/**
 * The plain code that each algorithm stands for, the whole of it: the oracle of tests, and the other side of benchmarks;
 * runs on the thread that calls.
 */
import type { TypedArray } from '../core/memory/element-types.js';
import type { NamedReduction } from './kernels/named-reductions.js';

type Range = number | readonly [lo: number, hi: number];

const ends = (range: Range): readonly [lo: number, hi: number] => (typeof range === 'number' ? [0, range] : range);

/** `parallelFor` as a loop. */
export function sequentialFor<C>(range: Range, body: (i: number, context: C) => void, context: C): void {
  const [lo, hi] = ends(range);
  for (let i = lo; i < hi; i++) body(i, context);
}

/** `parallelForRange` as one call. */
export function sequentialForRange<C>(
  range: Range,
  body: (lo: number, hi: number, context: C) => void,
  context: C,
): void {
  const [lo, hi] = ends(range);
  if (lo < hi) body(lo, hi, context);
}

/** `parallelReduce` as a loop. */
export function sequentialReduce<X, R, C>(
  xs: ArrayLike<X>,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  map: (x: X, i: number, context: C) => R,
  context: C,
): R {
  let result = identity;
  for (let i = 0; i < xs.length; i++) result = op(result, map(xs[i], i, context), context);
  return result;
}

/** A named reduction of numbers as a loop. */
export function sequentialNamedReduce(xs: ArrayLike<number>, op: NamedReduction): number {
  const loops: Record<NamedReduction, () => number> = {
    sum: () => {
      let a = 0;
      for (let i = 0; i < xs.length; i++) a += xs[i];
      return a;
    },
    product: () => {
      let a = 1;
      for (let i = 0; i < xs.length; i++) a *= xs[i];
      return a;
    },
    min: () => {
      let a = Number.POSITIVE_INFINITY;
      for (let i = 0; i < xs.length; i++) a = Math.min(a, xs[i]);
      return a;
    },
    max: () => {
      let a = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < xs.length; i++) a = Math.max(a, xs[i]);
      return a;
    },
    and: () => {
      let a = -1;
      for (let i = 0; i < xs.length; i++) a &= xs[i];
      return a;
    },
    or: () => {
      let a = 0;
      for (let i = 0; i < xs.length; i++) a |= xs[i];
      return a;
    },
    xor: () => {
      let a = 0;
      for (let i = 0; i < xs.length; i++) a ^= xs[i];
      return a;
    },
  };
  return loops[op]();
}

/** `parallelSort` as the language has it. */
export function sequentialSort<T extends TypedArray>(xs: T, compare?: (a: T[number], b: T[number]) => number): T {
  return (xs as Float64Array).sort(compare as ((a: number, b: number) => number) | undefined) as T;
}

/** `parallelReduceByKey` with an operation as a loop over a `Map`. */
export function sequentialReduceByKey<K, V>(
  keys: ArrayLike<K>,
  values: ArrayLike<V>,
  op: (a: V, b: V) => V,
): { keys: K[]; values: V[] } {
  const map = new Map<K, V>();
  for (let i = 0; i < keys.length; i++) {
    const before = map.get(keys[i]);
    map.set(keys[i], before === undefined ? values[i] : op(before, values[i]));
  }
  return { keys: [...map.keys()], values: [...map.values()] };
}

/** `parallelHistogram` of a range as a loop. */
export function sequentialHistogram(xs: ArrayLike<number>, bins: number, min: number, max: number): Uint32Array {
  const counts = new Uint32Array(bins);
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i];
    if (x >= min && x <= max) counts[Math.min(bins - 1, Math.floor(((x - min) * bins) / (max - min)))]++;
  }
  return counts;
}
