/** The pieces of a stage, as simulated threads take them: units of an algorithm, or nodes of a graph; on the thread that called `profile`. */
import type { StageCourse } from './course.js';
import { leastOfEach, piecesOf } from './cover.js';

/** A piece of an algorithm is cut into parts of this length, or into units that are longer (us): as algorithms do. */
const PIECE_US = 200;
/** Most parts of a stage. */
const MOST_PARTS = 2000;

/** Takes pieces of a stage, each once. */
export class Pieces {
  /** Costs of those that may begin. */
  readonly #ready: (readonly [node: number, us: number])[] = [];
  readonly #costs = new Map<number, number>();
  readonly #next = new Map<number, number[]>();
  readonly #waitsFor = new Map<number, number>();
  #left: number;

  constructor({ runs, edges }: StageCourse, lessUs: number) {
    if (edges === undefined) {
      const units = piecesOf(runs);
      const work = units.reduce((sum, piece) => sum + piece.work, 0);
      for (const { lo, hi, work: us } of units) {
        const wanted = Math.min(Math.ceil(us / PIECE_US), Math.ceil((MOST_PARTS * us) / work));
        const parts = Math.max(1, Math.min(hi - lo, wanted));
        for (let k = 0; k < parts; k++) this.#ready.push([-1, Math.max(0, us - lessUs) / parts]);
      }
      this.#ready.reverse();
      this.#left = this.#ready.length;
      return;
    }
    for (const { lo, work } of leastOfEach(runs)) this.#costs.set(lo, Math.max(0, work - lessUs));
    for (const [before, after] of edges) {
      for (const node of [before, after]) if (!this.#costs.has(node)) this.#costs.set(node, 0);
      const next = this.#next.get(before);
      if (next === undefined) this.#next.set(before, [after]);
      else next.push(after);
      this.#waitsFor.set(after, (this.#waitsFor.get(after) ?? 0) + 1);
    }
    for (const [node, us] of this.#costs) if (!this.#waitsFor.has(node)) this.#ready.push([node, us]);
    this.#left = this.#costs.size;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  take(): readonly [node: number, us: number] | undefined {
    return this.#ready.pop();
  }

  /** @returns how many may begin that had to wait for it */
  ended(node: number): number {
    this.#left--;
    let count = 0;
    for (const next of this.#next.get(node) ?? []) {
      const left = (this.#waitsFor.get(next) as number) - 1;
      this.#waitsFor.set(next, left);
      if (left > 0) continue;
      this.#ready.push([next, this.#costs.get(next) as number]);
      count++;
    }
    return count;
  }
}
