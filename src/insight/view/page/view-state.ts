/** State that the parts of the page share: the timeline, what of it is seen, what is searched for and chosen. */
import { kindOfSlice, type Nesting, nameOfSlice } from '../nesting.js';
import { threadOf } from '../overlapping.js';

/** No picture shows less (microseconds). */
const LEAST_US = 0.05;

export class ViewState {
  readonly nesting: Nesting;
  from: number;
  to: number;
  /** A slice; -1 if none is chosen. */
  chosen = -1;
  /** Names of the table that match the search; undefined if nothing is searched for. */
  matches: Uint8Array | undefined;
  /** Number of slices of each name, so that a search need not look at all slices at each letter. */
  readonly #slicesOf: Uint32Array;
  readonly #changed: (() => void)[] = [];
  #isAsked = false;

  constructor(nesting: Nesting) {
    this.nesting = nesting;
    this.from = nesting.from;
    this.to = Math.max(nesting.to, nesting.from + LEAST_US);
    const { table, row, length } = nesting;
    this.#slicesOf = new Uint32Array(table.names.length);
    for (let slice = 0; slice < length; slice++) this.#slicesOf[table.name[row[slice]]]++;
  }

  /** Calls back before the next picture, when something has changed. */
  onChange(act: () => void): void {
    this.#changed.push(act);
  }

  changed(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      for (const act of this.#changed) act();
    });
  }

  show(from: number, to: number): void {
    const { nesting } = this;
    const all = Math.max(nesting.to - nesting.from, LEAST_US);
    const length = Math.min(all, Math.max(LEAST_US, to - from));
    const middle = (from + to) / 2;
    this.from = Math.min(nesting.from + all - length, Math.max(nesting.from, middle - length / 2));
    this.to = this.from + length;
    this.changed();
  }

  /** @param factor below 1 shows less @param at what stays in its place: 0 the left end, 1 the right end */
  zoom(factor: number, at = 0.5): void {
    const { nesting } = this;
    const length = Math.min(nesting.to - nesting.from, Math.max(LEAST_US, (this.to - this.from) * factor));
    const from = this.from + (this.to - this.from - length) * at;
    this.show(from, from + length);
  }

  /** @param share of what is seen */
  pan(share: number): void {
    const us = (this.to - this.from) * share;
    this.show(this.from + us, this.to + us);
  }

  showAll(): void {
    this.show(this.nesting.from, this.nesting.to);
  }

  choose(slice: number): void {
    this.chosen = slice;
    this.changed();
  }

  /** Chooses a slice, and shows it with something around it. */
  showSlice(slice: number): void {
    const { start, end } = this.nesting;
    const around = Math.max((end[slice] - start[slice]) * 0.5, LEAST_US);
    this.chosen = slice;
    this.show(start[slice] - around, end[slice] + around);
  }

  /** @returns how many slices match */
  search(text: string): number {
    const wanted = text.trim().toLowerCase();
    const { names } = this.nesting.table;
    this.changed();
    if (wanted === '') {
      this.matches = undefined;
      return 0;
    }
    const matches = Uint8Array.from(names, ({ name, module }) =>
      Number(`${name}\n${module}`.toLowerCase().includes(wanted)),
    );
    const isSame = this.matches?.every((is, name) => is === matches[name]) === true; // then what is drawn stays as it is
    if (!isSame) this.matches = matches;
    return matches.reduce((count, is, name) => count + is * this.#slicesOf[name], 0);
  }

  isMatch(slice: number): boolean {
    const { table, row } = this.nesting;
    return this.matches === undefined || this.matches[table.name[row[slice]]] === 1;
  }

  /** Shows the next slice in time that matches, from the one that is chosen. @param step 1 or -1 */
  nextMatch(step: number): void {
    const { start, length } = this.nesting;
    if (this.matches === undefined) return;
    const here = this.chosen >= 0 ? start[this.chosen] : step > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const isAhead = (slice: number): boolean =>
      step * (start[slice] - here) > 0 || (start[slice] === here && step * (slice - this.chosen) > 0);
    let [best, first] = [-1, -1];
    const isNearer = (slice: number, than: number): boolean => than < 0 || step * (start[than] - start[slice]) > 0;
    for (let slice = 0; slice < length; slice++) {
      if (!this.isMatch(slice)) continue;
      if (isNearer(slice, first)) first = slice;
      if (isAhead(slice) && isNearer(slice, best)) best = slice;
    }
    const found = best >= 0 ? best : first; // round from the end
    if (found >= 0) this.showSlice(found);
  }

  /** A slice of the same thread beside the chosen one: its parent, its first child, or the one before or behind it. */
  step(to: 'parent' | 'child' | 'before' | 'behind'): void {
    const { parent, depth, firstOf, length } = this.nesting;
    if (length === 0) return;
    const here = this.chosen;
    if (here < 0) {
      this.choose(0);
      return;
    }
    const thread = threadOf(this.nesting, here);
    let found = -1;
    if (to === 'parent') found = parent[here];
    else if (to === 'child') found = here + 1 < firstOf[thread + 1] && parent[here + 1] === here ? here + 1 : -1;
    else {
      const step = to === 'behind' ? 1 : -1;
      let other = here + step;
      while (other >= firstOf[thread] && other < firstOf[thread + 1] && depth[other] !== depth[here]) other += step;
      if (other >= firstOf[thread] && other < firstOf[thread + 1]) found = other;
    }
    if (found < 0) return;
    const { start, end } = this.nesting;
    if (end[found] < this.from || start[found] > this.to) this.showSlice(found);
    else this.choose(found);
  }

  /** Name and kind of a slice. */
  told(slice: number): { readonly name: string; readonly kind: number } {
    return { name: nameOfSlice(this.nesting, slice), kind: kindOfSlice(this.nesting, slice) };
  }
}
