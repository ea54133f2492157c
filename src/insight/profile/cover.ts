/** Choice of the pieces of a stage that count, of those that several runs measured; on the thread that called `profile`. */
import type { Label } from './point.js';

/** Units [lo, hi) of an algorithm, which one thread has run at once. */
export interface UnitPiece {
  readonly calls: Label;
  readonly lo: number;
  readonly hi: number;
  readonly work: number;
  /** Of one unit. */
  readonly span: number;
}

/** A way through the units up to a place. */
interface Way {
  readonly cost: number;
  readonly last: UnitPiece | undefined;
  readonly before: Way | undefined;
}

/**
 * The cheapest pieces that together are each unit once. Pieces of different runs follow each other where one ends at the unit at which the other
 * begins. This is a shortest path, whose places are units: so each run is a way, and none is cheaper than the result.
 *
 * @returns undefined if no pieces are all units: a search drops those that do not matter any more
 */
export function cheapestCover(pieces: readonly UnitPiece[]): readonly UnitPiece[] | undefined {
  const sorted = [...pieces].sort((a, b) => a.lo - b.lo || a.hi - b.hi);
  const lo = sorted[0]?.lo ?? 0;
  const hi = sorted.reduce((most, piece) => Math.max(most, piece.hi), lo);
  const ways = new Map<number, Way>([[lo, { cost: 0, last: undefined, before: undefined }]]);
  for (const piece of sorted) {
    const before = ways.get(piece.lo);
    if (before === undefined) continue;
    const cost = before.cost + piece.work;
    if (cost < (ways.get(piece.hi)?.cost ?? Number.POSITIVE_INFINITY))
      ways.set(piece.hi, { cost, last: piece, before });
  }
  const end = ways.get(hi);
  if (end === undefined) return undefined;
  const cover: UnitPiece[] = [];
  for (let way: Way | undefined = end; way?.last !== undefined; way = way.before) cover.push(way.last);
  return cover.reverse();
}

/** The pieces of a stage that count: of the run that has cost least, if no cover is complete. */
export function piecesOf(runs: readonly (readonly UnitPiece[])[]): readonly UnitPiece[] {
  const cover = cheapestCover(runs.flat());
  if (cover !== undefined) return cover;
  const work = (run: readonly UnitPiece[]): number => run.reduce((sum, piece) => sum + piece.work, 0);
  return runs.reduce((least, run) => (work(run) < work(least) ? run : least));
}

/** The cheapest piece of each unit, where each piece is one: nodes of a graph. */
export function leastOfEach(runs: readonly (readonly UnitPiece[])[]): Iterable<UnitPiece> {
  const least = new Map<number, UnitPiece>();
  for (const piece of runs.flat()) {
    const other = least.get(piece.lo);
    if (other === undefined || piece.work < other.work) least.set(piece.lo, piece);
  }
  return least.values();
}
