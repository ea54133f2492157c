/** Times at which simulated threads go on, the earliest first: a binary heap; on the thread that called `profile`. */

type AgendaEntry<T> = readonly [us: number, order: number, thread: T];

export class Agenda<T> {
  readonly #entries: AgendaEntry<T>[] = [];
  #order = 0;

  add(us: number, thread: T): void {
    const all = this.#entries;
    let at = all.push([us, this.#order++, thread]) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(all[at] as AgendaEntry<T>, all[above] as AgendaEntry<T>)) break;
      [all[at], all[above]] = [all[above] as AgendaEntry<T>, all[at] as AgendaEntry<T>];
      at = above;
    }
  }

  take(): AgendaEntry<T> | undefined {
    const all = this.#entries;
    const first = all[0];
    const last = all.pop();
    if (first === undefined || last === undefined || all.length === 0) return first;
    all[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < all.length && isBefore(all[below] as AgendaEntry<T>, all[least] as AgendaEntry<T>)) least = below;
      if (least === at) return first;
      [all[at], all[least]] = [all[least] as AgendaEntry<T>, all[at] as AgendaEntry<T>];
      at = least;
    }
  }
}
const isBefore = ([a, i]: AgendaEntry<unknown>, [b, j]: AgendaEntry<unknown>): boolean => a < b || (a === b && i < j);
