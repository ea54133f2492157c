/**
 * `parallelForTiles`: a loop over a grid, cut into tiles; the calls run on the caller, the tiles on every thread that computes.
 *
 * The units are tiles, numbered row by row. So a thread begins with a band of the grid, and neighbouring tiles mostly meet in its cache.
 * Tiles are not merged or cut later: who works in tiles wants their shape. oneTBB's `blocked_range2d` halves the longer side instead, until
 * a thread has work; its tiles get smaller only while others are idle, but their shapes depend on the schedule.
 */
import { type Callee, compiled, type NotAPromise, type Synchronous } from '../../core/engine.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { beginElements, elementKind } from '../call/element-call.js';
import type { LoopRange } from '../call/loop-options.js';
import {
  type AlgorithmOptions,
  check,
  checkCount,
  checkFunction,
  checkRange,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { shipUserFunction } from '../call/user-function.js';
import { refusePromise } from '../returned-promise.js';
import { type Cost, costOf } from '../schedule/cost.js';
import type { ShareOptions } from '../schedule/grain.js';
import { CHUNK_US, MAX_TILE_CELLS, TILES_PER_THREAD } from '../tuning.js';
import type { UserFunction } from './element-loop.js';

export interface TilesOptions<C = unknown> extends AlgorithmOptions<C> {
  /** The size of a tile: its rows and columns, or one number for both. Tiles at the lower and the right edge may be smaller. */
  tile?: number | readonly [rows: number, cols: number] | undefined;
}

interface TilesWork {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly cols: number;
  readonly tileRows: number;
  readonly tileCols: number;
}

/** Number of tiles side by side. */
const tilesAcross = ({ cols, tileCols }: TilesWork): number => Math.ceil(cols / tileCols);

const TILES = elementKind<TilesWork>('for-tiles', {
  body(work, fn, context) {
    const { top, left, rows, cols, tileRows, tileCols } = work;
    const across = tilesAcross(work);
    return (from, to) => {
      let cells = 0;
      for (let tile = from; tile < to; tile++) {
        const down = Math.floor(tile / across);
        const row = down * tileRows;
        const col = (tile - down * across) * tileCols;
        const endRow = Math.min(rows, row + tileRows);
        const endCol = Math.min(cols, col + tileCols);
        refusePromise((fn as UserFunction)(top + row, top + endRow, left + col, left + endCol, context));
        cells += (endRow - row) * (endCol - col);
      }
      return cells;
    };
  },
  cut: (work) => Math.ceil(work.rows / work.tileRows) * tilesAcross(work),
});

/** The size of a tile that the user has chosen, if any. */
function readTile(name: string, tile: unknown): readonly [rows: number, cols: number] | undefined {
  if (tile === undefined) return undefined;
  if (typeof tile === 'number') {
    const side = checkCount(name, 'options.tile', tile, 1);
    return [side, side];
  }
  const isPair = Array.isArray(tile) && tile.length === 2;
  check(isPair, name, 'options.tile', 'a number of rows and columns, or [rows, cols]', tile);
  return [checkCount(name, 'options.tile[0]', tile[0], 1), checkCount(name, 'options.tile[1]', tile[1], 1)];
}

/**
 * A tile that is about square, and has at most `threshold` cells. Without a threshold there are enough tiles for all threads, and a tile
 * takes no longer than a chunk, if it is known what a cell costs.
 */
function tileFor(
  rows: number,
  cols: number,
  { threshold, parallelism }: ShareOptions,
  cost: Cost,
): readonly [number, number] {
  let cells = threshold;
  if (threshold === 0) {
    cells = Math.min(MAX_TILE_CELLS, (rows * cols) / (TILES_PER_THREAD * parallelism));
    if (cost.nsPerElement > 0) cells = Math.min(cells, (CHUNK_US * 1000) / cost.nsPerElement);
  }
  const tileCols = Math.max(1, Math.floor(Math.min(cols, Math.max(Math.sqrt(cells), cells / rows))));
  return [Math.max(1, Math.floor(cells / tileCols)), tileCols];
}

function begin(callee: Callee, rowRange: unknown, colRange: unknown, body: unknown, given: unknown): Start<void> {
  const { name } = callee;
  const [top, bottom] = checkRange(name, rowRange, 'rows');
  const [left, right] = checkRange(name, colRange, 'cols');
  const rows = bottom - top;
  const cols = right - left;
  if (!Number.isSafeInteger(rows * cols)) {
    throw new RangeError(
      `furcate: ${name}: rows times cols must be at most 2^53 - 1 cells, but there are ${rows} rows of ${cols}. Call it for bands of the grid.`,
    );
  }
  checkFunction(name, 'body', body);
  const options = readOptions(callee, given, OPTIONS);
  const chosen = readTile(name, options.given.tile);
  const user = shipUserFunction(callee, 'body', body, options);
  const [tileRows, tileCols] = chosen ?? tileFor(rows, cols, options, costOf(compiled(user.fn)));
  const work = { top, left, rows, cols, tileRows, tileCols };
  return beginElements<TilesWork, void>({
    callee,
    options,
    kind: TILES,
    elements: rows * cols,
    user,
    copies: 0,
    work: () => work,
    result: () => undefined,
  });
}

const OPTIONS: readonly string[] = ['tile'];

const byTiles = new Algorithm('parallelForTiles', begin);

/**
 * Calls a function for tiles that cover a grid, in any order and on any thread.
 *
 * @param rows n for rows 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param cols the same for columns; together at most 2^53 - 1 cells
 * @param body called as `body(top, bottom, left, right, context)` for the cells of rows top to bottom - 1 in columns left to right - 1,
 *   never for an empty tile; otherwise as for `parallelFor`. Tiles do not overlap
 * @param options `tile` (rows and columns of a tile; by default it is about square, and its size depends on the grid, the parallelism and
 *   what a cell costs), `threshold` (most cells in a tile that Furcate chooses), and `pool`, `context`, `signal`, `onProgress(done, total)`
 *   in cells
 * @returns a promise that settles when no call runs any more
 * @throws (rejects with) what `parallelFor` does; of the failing tiles, the error of the first one, row by row
 * @remarks Cost: a call for each tile; time rows * cols / parallelism; no extra memory.
 * @example
 * const transpose = (top, bottom, left, right, { a, b, n }) => {
 *   for (let row = top; row < bottom; row++) for (let col = left; col < right; col++) b[col * n + row] = a[row * n + col];
 * };
 * const n = 100;
 * const [a, b] = [sharedArray(Float64Array, n * n), sharedArray(Float64Array, n * n)];
 * await parallelForTiles(n, n, transpose, { tile: 32, context: { a, b, n } });
 */
export function parallelForTiles<C = undefined, R = NotAPromise>(
  rows: LoopRange,
  cols: LoopRange,
  body: (top: number, bottom: number, left: number, right: number, context: C) => Synchronous<R>,
  options?: TilesOptions<C>,
): Promise<void> {
  return byTiles.promise(rows, cols, body, options);
}

/**
 * `parallelForTiles` that returns when it is done; see `parallelForSync` for where it may be called.
 *
 * @param rows as for `parallelForTiles`
 * @param cols as for `parallelForTiles`
 * @param body as for `parallelForTiles`
 * @param options as for `parallelForTiles`
 * @throws what `parallelForTiles` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelForTiles`.
 * @example
 * const cells = sharedArray(Uint8Array, 20 * 30);
 * const mark = (top, bottom, left, right, { cells }) => {
 *   for (let row = top; row < bottom; row++) cells.fill(1, row * 30 + left, row * 30 + right);
 * };
 * parallelForTilesSync([1, 19], [1, 29], mark, { context: { cells } });
 */
export function parallelForTilesSync<C = undefined, R = NotAPromise>(
  rows: LoopRange,
  cols: LoopRange,
  body: (top: number, bottom: number, left: number, right: number, context: C) => Synchronous<R>,
  options?: TilesOptions<C> & SyncOptions,
): void {
  byTiles.sync(rows, cols, body, options);
}
