/** What each thread of the pool has done lately, by the pool's counters. */
import type { ForkJoinPool } from 'furcate';
import { workerShares } from '../../../flights/worker-shares.js';
import { element, make } from './page.js';

const REFRESH_MS = 400;

export class Shares {
  readonly #pool: ForkJoinPool;
  readonly #list = element('#shares');
  readonly #rows = new Map<string, { readonly bar: HTMLElement; readonly text: HTMLElement }>();
  #before = new Map<string, number>();

  constructor(pool: ForkJoinPool) {
    this.#pool = pool;
    setInterval(() => this.refresh(), REFRESH_MS);
  }

  /** Shows the work since the last call; the last shares stay if there was none. */
  refresh(): void {
    const shares = workerShares(this.#pool.stats());
    const done = shares.map(({ worker, elements }) => ({ worker, rows: elements - (this.#before.get(worker) ?? 0) }));
    const all = done.reduce((sum, { rows }) => sum + rows, 0);
    if (all <= 0) return;
    this.#before = new Map(shares.map(({ worker, elements }) => [worker, elements]));
    for (const { worker, rows } of done) {
      const { bar, text } = this.#row(worker);
      bar.style.width = `${(100 * rows) / all}%`;
      text.textContent = `${Math.round((100 * rows) / all)} %`;
    }
  }

  #row(worker: string): { readonly bar: HTMLElement; readonly text: HTMLElement } {
    let row = this.#rows.get(worker);
    if (row === undefined) {
      row = { bar: make('i', 'fill furcate'), text: make('b', '') };
      const name = worker === 'caller' ? 'this page' : `worker ${worker}`;
      this.#list.append(make('li', '', make('span', '', name), make('span', 'meter', row.bar), row.text));
      this.#rows.set(worker, row);
    }
    return row;
  }
}
