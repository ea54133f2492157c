/** Floyd and Rivest's selection (1975), and the recursion around it, as kdbush has them for itself. */

export interface Arranged {
  readonly ids: Uint16Array | Uint32Array;
  /** x and y of each point. */
  readonly coords: { [at: number]: number };
}

/** Points that are not sorted any more. */
export const NODE_SIZE = 64;

function swap({ ids, coords }: Arranged, i: number, j: number): void {
  const id = ids[i];
  ids[i] = ids[j];
  ids[j] = id;
  for (let axis = 0; axis < 2; axis++) {
    const x = coords[2 * i + axis];
    coords[2 * i + axis] = coords[2 * j + axis];
    coords[2 * j + axis] = x;
  }
}

/** Puts the k-th of points [left, right] into its place: those before it are not greater on this axis, those behind it not less. */
export function select(points: Arranged, k: number, left: number, right: number, axis: number): void {
  const { coords } = points;
  while (right > left) {
    if (right - left > 600) {
      // The k-th of a sample is near it.
      const n = right - left + 1;
      const m = k - left + 1;
      const s = 0.5 * Math.exp((2 * Math.log(n)) / 3);
      const sd = 0.5 * Math.sqrt((Math.log(n) * s * (n - s)) / n) * (m - n / 2 < 0 ? -1 : 1);
      const from = Math.max(left, Math.floor(k - (m * s) / n + sd));
      const to = Math.min(right, Math.floor(k + ((n - m) * s) / n + sd));
      select(points, k, from, to, axis);
    }
    const t = coords[2 * k + axis];
    let i = left;
    let j = right;
    swap(points, left, k);
    if (coords[2 * right + axis] > t) swap(points, left, right);
    while (i < j) {
      swap(points, i, j);
      i++;
      j--;
      while (coords[2 * i + axis] < t) i++;
      while (coords[2 * j + axis] > t) j--;
    }
    if (coords[2 * left + axis] === t) swap(points, left, j);
    else {
      j++;
      swap(points, j, right);
    }
    if (j <= k) left = j + 1;
    if (k <= j) right = j - 1;
  }
}

/** Divides points [left, right] at the median, and then both halves on the other axis. */
export function sort(left: number, right: number, axis: number, arranged: Arranged): void {
  if (right - left <= NODE_SIZE) return;
  const middle = (left + right) >> 1;
  select(arranged, middle, left, right, axis);
  sort(left, middle - 1, 1 - axis, arranged);
  sort(middle + 1, right, 1 - axis, arranged);
}
