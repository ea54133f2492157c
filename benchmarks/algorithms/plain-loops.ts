/** The plain loops with which the benchmark `small` compares the algorithms. */

/**
 * What one would write without the library. The loops take their arrays as parameters, as in real programs. If a closure held an
 * array for ever, V8 would compile the address of the array into the code, which is twice as fast but serves only that array.
 */
export const plain = {
  roots(out: Float64Array): Float64Array {
    for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(i) * 0.5;
    return out;
  },
  map(xs: Float64Array, out: Float64Array): Float64Array {
    for (let i = 0; i < xs.length; i++) out[i] = xs[i] * 2 + 1;
    return out;
  },
  forEach(xs: Float64Array, out: Float64Array): Float64Array {
    for (let i = 0; i < xs.length; i++) out[i] = xs[i] * 3;
    return out;
  },
  tabulate(out: Float64Array): Float64Array {
    for (let i = 0; i < out.length; i++) out[i] = i * 0.5 + 1;
    return out;
  },
  sum(xs: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) sum += xs[i];
    return sum;
  },
  scan(xs: Float64Array, out: Float64Array): Float64Array {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) {
      sum += xs[i];
      out[i] = sum;
    }
    return out;
  },
  count(xs: Float64Array): number {
    let count = 0;
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 > 1e5) count++;
    return count;
  },
  some(xs: Float64Array): boolean {
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 < -1) return true;
    return false;
  },
  every(xs: Float64Array): boolean {
    for (let i = 0; i < xs.length; i++) if (!(xs[i] * 0.5 >= 0)) return false;
    return true;
  },
  find(xs: Float64Array, wanted: number): number | undefined {
    for (let i = 0; i < xs.length; i++) if (xs[i] - wanted === 0) return xs[i];
    return undefined;
  },
  findIndex(xs: Float64Array): number {
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 < -1) return i;
    return -1;
  },
  minMax(xs: Float64Array): [number, number] {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] < min) min = xs[i];
      if (xs[i] > max) max = xs[i];
    }
    return [min, max];
  },
  equalBins(xs: Float64Array): Uint32Array {
    const counts = new Uint32Array(64);
    for (let i = 0; i < xs.length; i++) counts[Math.floor((xs[i] * 64) / 2 ** 20)]++;
    return counts;
  },
  bins(xs: Float64Array): Uint32Array {
    const counts = new Uint32Array(64);
    for (let i = 0; i < xs.length; i++) counts[xs[i] & 63]++;
    return counts;
  },
  sumByKey(keys: Int32Array, xs: Float64Array): [Int32Array, Float64Array] {
    const sums = new Map<number, number>();
    for (let i = 0; i < keys.length; i++) sums.set(keys[i], (sums.get(keys[i]) ?? 0) + xs[i]);
    return [Int32Array.from(sums.keys()), Float64Array.from(sums.values())];
  },
  merge(a: Float64Array, b: Float64Array, out: Float64Array): Float64Array {
    let i = 0;
    let j = 0;
    for (let at = 0; at < out.length; at++) {
      out[at] = j === b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
    }
    return out;
  },
};
