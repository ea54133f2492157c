/** Loops that take a function as an argument. All functions of a program share such a loop, which the library avoids. */

type Compare = (a: number, b: number) => number;

export const shared = {
  each<C>(n: number, body: (i: number, context: C) => void, context: C): void {
    for (let i = 0; i < n; i++) body(i, context);
  },
  map(xs: Float64Array, fn: (x: number) => number, out: Float64Array): Float64Array {
    for (let i = 0; i < xs.length; i++) out[i] = fn(xs[i]);
    return out;
  },
  reduce(xs: Float64Array, op: (a: number, b: number) => number, identity: number): number {
    let result = identity;
    for (let i = 0; i < xs.length; i++) result = op(result, xs[i]);
    return result;
  },
  filter(xs: Float64Array, pred: (x: number) => boolean): Float64Array {
    const out = new Float64Array(xs.length);
    let count = 0;
    for (let i = 0; i < xs.length; i++) {
      out[count] = xs[i];
      if (pred(xs[i])) count++;
    }
    return out.slice(0, count);
  },
  /** A merge sort from the bottom up. */
  sort(xs: Float64Array, compare: Compare): Float64Array {
    let from: Float64Array = xs;
    let to: Float64Array = new Float64Array(xs.length);
    for (let width = 1; width < xs.length; width *= 2) {
      for (let lo = 0; lo < xs.length; lo += 2 * width) merge(from, to, lo, width, compare);
      [from, to] = [to, from];
    }
    if (from !== xs) xs.set(from);
    return xs;
  },
};

function merge(from: Float64Array, to: Float64Array, lo: number, width: number, compare: Compare): void {
  const middle = Math.min(from.length, lo + width);
  const hi = Math.min(from.length, middle + width);
  let i = lo;
  let j = middle;
  for (let at = lo; at < hi; at++) {
    to[at] = j === hi || (i < middle && compare(from[i], from[j]) <= 0) ? from[i++] : from[j++];
  }
}
