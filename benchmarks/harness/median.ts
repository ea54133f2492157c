/** Computes medians and ratios; runs on the main thread of a benchmark. */

/** The value below which a share `q` (0 to 1) of the values lies, interpolated. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('The quantile of no values is not defined: give at least one.');
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The interquartile range of the values, as a share of their median. */
export const spread = (values: readonly number[]): number =>
  (quantile(values, 0.75) - quantile(values, 0.25)) / median(values);

/** The median of the ratios within each round. A machine that slows down slows both sides of a ratio. */
export function pairedRatio(values: readonly number[], others: readonly number[]): number {
  if (values.length !== others.length) {
    throw new RangeError(
      `A paired ratio needs as many values as others; it was given ${values.length} and ${others.length}.`,
    );
  }
  return median(values.map((value, round) => value / others[round]));
}
