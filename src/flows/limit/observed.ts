/** Waits for permits, as timelines and the guard against stalls see them; on the thread that has made the limits. */
import { Call, install } from '../../core/engine.js';
import { observeWaits, type Stock } from './admission.js';

interface Wait {
  /** Time at which it began (milliseconds, by `performance.now`). */
  readonly sinceMs: number;
}

/** Waits for permits of each limit that has some, in the order of asking. */
const awaited = new Map<Stock, Set<Wait>>();

observeWaits({
  begin(asks) {
    const wait: Wait = { sinceMs: performance.now() };
    const notes = Call.notesOf();
    const sinceUs = notes?.nowUs() ?? 0;
    for (const { stock } of asks) awaited.set(stock, (awaited.get(stock) ?? new Set()).add(wait));
    return (isServed) => {
      for (const { stock } of asks) {
        const waits = awaited.get(stock) as Set<Wait>;
        waits.delete(wait);
        if (waits.size === 0) awaited.delete(stock);
      }
      if (isServed) notes?.waited(`waiting for ${asks.map(({ stock }) => stock.name).join(' and ')}`, sinceUs, 1);
    };
  },
});

install({
  limits: () =>
    [...awaited].map(([stock, waits]) => {
      const [first] = waits;
      const nowMs = performance.now();
      const { name, givenMs } = stock;
      const waitedMs = nowMs - (first as Wait).sinceMs;
      return { key: stock, name, waiting: waits.size, waitedMs, ungivenMs: nowMs - givenMs };
    }),
});
