/** A mesh of the unit square that is fine where the solution is steep: a quadtree whose leaves are patches, all of which have 32 x 32 cells. It is in arrays, so that threads can share it. */
import type { Make } from '../workload.js';

/** Cells in a row of a patch. */
export const CELLS = 32;
/** Cells in a row of the memory of a patch, which has a rim with the values of its neighbours. */
export const STRIDE = CELLS + 2;
/** Patches in a row of level 0. Each level has twice as many. */
const ROOTS = 2;
/** Differences between neighbouring cells at which a patch becomes four, and below which four become one. */
const SPLIT = 0.02;
const MERGE = 0.004;

export interface Mesh {
  /** The level of the smallest patches. */
  readonly finest: number;
  /** The patches, and how many there are. A patch is the number of a place in the arrays below. */
  readonly patches: Int32Array;
  readonly count: Int32Array;
  /** Places that have no patch: a stack, and its height. */
  readonly free: Int32Array;
  readonly freeCount: Int32Array;
  /** Of each patch: its level, where it lies among those of its level, and the greatest difference between neighbouring cells. */
  readonly levels: Int32Array;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly steepness: Float64Array;
  /** The patch that covers each square of the size of the smallest ones. */
  readonly cover: Int32Array;
  /** The value of each cell of each patch, before a step and after it by turns. */
  readonly now: Float64Array;
  readonly next: Float64Array;
}

/** Patches in a row of the finest level. */
const sideOf = (finest: number): number => ROOTS << finest;

export function emptyMesh(finest: number, make: Make): Mesh {
  const squares = sideOf(finest) ** 2;
  const places = squares + 4; // four patches are made before that which they replace is freed
  const [levels, columns, rows] = [make(Int32Array, places), make(Int32Array, places), make(Int32Array, places)];
  const [patches, free, cover] = [make(Int32Array, squares), make(Int32Array, places), make(Int32Array, squares)];
  const [count, freeCount, steepness] = [make(Int32Array, 1), make(Int32Array, 1), make(Float64Array, places)];
  const [now, next] = [make(Float64Array, places * STRIDE ** 2), make(Float64Array, places * STRIDE ** 2)];
  return { finest, patches, count, free, freeCount, levels, columns, rows, steepness, cover, now, next };
}

/** Makes the mesh that `value` needs at the beginning. */
export function coverSquare(mesh: Mesh, value: (x: number, y: number) => number): void {
  const { free, freeCount, finest, patches, count } = mesh;
  for (let place = 0; place < free.length; place++) free[place] = free.length - 1 - place;
  freeCount[0] = free.length;
  for (let row = 0; row < ROOTS; row++) for (let column = 0; column < ROOTS; column++) newPatch(mesh, 0, column, row);
  listPatches(mesh);
  for (let level = 0; level <= finest; level++) {
    for (let k = 0; k < count[0]; k++) {
      forCells(mesh, patches[k], 1, (i, x, y) => (mesh.now[i] = value(x, y)));
      mesh.steepness[patches[k]] = steepest(mesh.now, patches[k]);
    }
    if (level < finest) refine(mesh);
  }
}

/** Splits the patches that are steep, and merges those that are not. Values are in `now`. New patches stay as they are until the next time. */
export function refine(mesh: Mesh): void {
  const { finest, patches, count, levels, columns, rows, steepness } = mesh;
  for (let k = 0; k < count[0]; k++) {
    const patch = patches[k];
    if (steepness[patch] > SPLIT && levels[patch] < finest) split(mesh, patch);
    // Of four that were one patch, the first one in the list is that whose column and row are even.
    else if (levels[patch] > 0 && columns[patch] % 2 === 0 && rows[patch] % 2 === 0) merge(mesh, patch);
  }
  listPatches(mesh);
}

function split(mesh: Mesh, patch: number): void {
  const { now, levels, columns, rows, steepness } = mesh;
  for (let quarter = 0; quarter < 4; quarter++) {
    const [right, up] = [quarter & 1, quarter >> 1];
    const part = newPatch(mesh, levels[patch] + 1, 2 * columns[patch] + right, 2 * rows[patch] + up);
    steepness[part] = SPLIT;
    for (let row = 0; row < CELLS; row++)
      for (let col = 0; col < CELLS; col++)
        now[cell(part, col, row)] = between(
          now,
          patch,
          (right * CELLS + col) / 2 - 0.25,
          (up * CELLS + row) / 2 - 0.25,
        );
  }
  freePatch(mesh, patch);
}

function merge(mesh: Mesh, first: number): void {
  const { now, levels, columns, rows, steepness } = mesh;
  const level = levels[first];
  const shift = mesh.finest - level;
  const parts = [0, 1, 2, 3].map((quarter) =>
    coverAt(mesh, (columns[first] + (quarter & 1)) << shift, (rows[first] + (quarter >> 1)) << shift),
  );
  if (parts.some((part) => levels[part] !== level || steepness[part] >= MERGE)) return;
  const whole = newPatch(mesh, level - 1, columns[first] / 2, rows[first] / 2);
  steepness[whole] = SPLIT;
  for (let row = 0; row < CELLS; row++)
    for (let col = 0; col < CELLS; col++) {
      const part = parts[Math.floor((2 * row) / CELLS) * 2 + Math.floor((2 * col) / CELLS)];
      now[cell(whole, col, row)] = meanOfFour(now, cell(part, (2 * col) % CELLS, (2 * row) % CELLS));
    }
  for (const part of parts) freePatch(mesh, part);
}

/** Makes a patch, whose cells are not filled yet. */
function newPatch(
  { finest, free, freeCount, levels, columns, rows, cover }: Mesh,
  level: number,
  column: number,
  row: number,
): number {
  const patch = free[--freeCount[0]];
  [levels[patch], columns[patch], rows[patch]] = [level, column, row];
  const width = 1 << (finest - level); // in squares
  for (let y = row * width; y < (row + 1) * width; y++)
    cover.fill(patch, y * sideOf(finest) + column * width, y * sideOf(finest) + (column + 1) * width);
  return patch;
}

function freePatch({ free, freeCount }: Mesh, patch: number): void {
  free[freeCount[0]++] = patch;
}

/** Lists the patches by rows of their lower left corners. */
function listPatches({ finest, cover, patches, count, levels, columns, rows }: Mesh): void {
  count[0] = 0;
  const side = sideOf(finest);
  for (let square = 0; square < side * side; square++) {
    const patch = cover[square];
    const width = 1 << (finest - levels[patch]);
    if (square === rows[patch] * width * side + columns[patch] * width) patches[count[0]++] = patch;
  }
}

/** The patch that covers a square of the size of the smallest patches. */
const coverAt = ({ finest, cover }: Mesh, column: number, row: number): number => cover[row * sideOf(finest) + column];

/** Where a cell of a patch is in the array of all values. */
export const cell = (patch: number, col: number, row: number): number => (patch * STRIDE + row + 1) * STRIDE + col + 1;

/** Width of the cells of a level. */
export const widthOf = (level: number): number => 1 / (CELLS * (ROOTS << level));

/** Calls `visit` with the place and the middle of each cell of a patch, and of so many beyond its sides. */
export function forCells(
  { levels, columns, rows }: Mesh,
  patch: number,
  beyond: number,
  visit: (i: number, x: number, y: number) => void,
): void {
  const width = widthOf(levels[patch]);
  const [left, low] = [columns[patch] * CELLS + 0.5, rows[patch] * CELLS + 0.5];
  for (let row = -beyond; row < CELLS + beyond; row++)
    for (let col = -beyond; col < CELLS + beyond; col++)
      visit(cell(patch, col, row), (left + col) * width, (low + row) * width);
}

/** The greatest difference between a cell of a patch and its neighbours, those in the rim too. */
export function steepest(values: Float64Array, patch: number): number {
  let most = 0;
  for (let row = 0; row < CELLS; row++)
    for (let i = cell(patch, 0, row); i < cell(patch, CELLS, row); i++)
      for (const neighbour of [i - 1, i + 1, i - STRIDE, i + STRIDE])
        most = Math.max(most, Math.abs(values[neighbour] - values[i]));
  return most;
}

const meanOfFour = (values: Float64Array, i: number): number =>
  (values[i] + values[i + 1] + values[i + STRIDE] + values[i + STRIDE + 1]) / 4;

/** The value between the cells of a patch, or beyond the last ones: linear. */
function between(values: Float64Array, patch: number, col: number, row: number): number {
  const left = Math.max(0, Math.min(CELLS - 2, Math.floor(col)));
  const low = Math.max(0, Math.min(CELLS - 2, Math.floor(row)));
  const dx = col - left;
  const dy = row - low;
  const i = cell(patch, left, low);
  const lower = values[i] + dx * (values[i + 1] - values[i]);
  const upper = values[i + STRIDE] + dx * (values[i + STRIDE + 1] - values[i + STRIDE]);
  return lower + dy * (upper - lower);
}

/**
 * The value of cell (col, row) of a level, counted over the whole mesh, though there need be no patch of this level: between the cells of a greater patch, or
 * from four of smaller ones.
 */
export function valueAt(mesh: Mesh, values: Float64Array, level: number, col: number, row: number): number {
  const { finest, levels, columns, rows } = mesh;
  const shift = finest - level;
  const patch = coverAt(mesh, Math.floor((col << shift) / CELLS), Math.floor((row << shift) / CELLS));
  const deeper = levels[patch] - level;
  const firstCol = columns[patch] * CELLS;
  const firstRow = rows[patch] * CELLS;
  if (deeper === 0) return values[cell(patch, col - firstCol, row - firstRow)];
  if (deeper < 0) {
    const scale = 2 ** deeper;
    return between(values, patch, (col + 0.5) * scale - 0.5 - firstCol, (row + 0.5) * scale - 0.5 - firstRow);
  }
  let sum = 0;
  for (let quarter = 0; quarter < 4; quarter++)
    sum += valueAt(mesh, values, level + 1, 2 * col + (quarter & 1), 2 * row + (quarter >> 1));
  return sum / 4;
}
