/** The plain loops that some algorithms stand for: oracles of their tests. */
import type { NamedReduction } from '../../src/algorithms/kernels/operators.js';

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
