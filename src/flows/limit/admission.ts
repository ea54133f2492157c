/**
 * Permits: who may start, and who waits for that; on the thread that has made the limits.
 *
 * Whoever asks names all that it needs, and gets all of it at once or nothing. So nothing holds one limit while it waits for another, and
 * waits cannot form a circle. At each limit, permits are given in the order of asking, and nobody overtakes: what needs many permits, or
 * permits of several limits, is not starved by what needs few. The price is that permits may lie idle while the first in a line waits for
 * another limit.
 *
 * Everything is counted on one thread, so a wait holds no worker, and a worker that dies takes no permit with it. Rejected: counts in shared
 * memory, which workers change. A dead worker's permits would have to be found, and taking from several limits would need a lock.
 */
import type { CallSignal } from '../../core/engine.js';

/** A request for permits of one limit. */
export interface Ask {
  readonly stock: Stock;
  readonly permits: number;
}

/** Somebody who waits. */
interface Waiter {
  readonly asks: readonly Ask[];
  readonly start: (permits: Permits) => void;
}

/** The permits of one limit, and who waits for them, in the order of asking. */
export class Stock {
  /** Appears in errors. */
  readonly name: string;
  readonly size: number;
  free: number;
  readonly line = new Set<Waiter>();
  /** Time at which permits were given last (milliseconds, by `performance.now`). */
  givenMs = 0;

  constructor(name: string, size: number) {
    this.name = name;
    this.size = size;
    this.free = size;
  }

  /** Starts those at the head of the line that now may, and those that they have held up at other limits. */
  static serve(stocks: Iterable<Stock>): void {
    const due = new Set(stocks);
    for (const stock of due) {
      due.delete(stock);
      const [first] = stock.line;
      if (first === undefined || !isFirst(first) || !areFree(first.asks)) continue;
      leave(first);
      for (const { stock: other } of first.asks) due.add(other);
      first.start(new Permits(first.asks));
    }
  }
}

const areFree = (asks: readonly Ask[]): boolean => asks.every(({ stock, permits }) => stock.free >= permits);

const isFirst = (waiter: Waiter): boolean =>
  waiter.asks.every(({ stock }) => stock.line.values().next().value === waiter);

function leave(waiter: Waiter): void {
  for (const { stock } of waiter.asks) stock.line.delete(waiter);
}

/** Hears of waits, for timelines and for the guard against stalls. */
export interface WaitObserver {
  /** @returns to be called when the wait is over; `isServed` tells whether it has its permits */
  begin(asks: readonly Ask[]): (isServed: boolean) => void;
}

let observer: WaitObserver | undefined;

export function observeWaits(given: WaitObserver): void {
  observer = given;
}

/** Permits that were taken. They belong to one task, item or node. */
export class Permits {
  #asks: readonly Ask[];

  constructor(asks: readonly Ask[]) {
    this.#asks = asks;
    const nowMs = performance.now();
    for (const { stock, permits } of asks) {
      stock.free -= permits;
      stock.givenMs = nowMs;
    }
  }

  /** Gives them back, once; to be called when nothing runs any more of what they were taken for. */
  release(): void {
    const asks = this.#asks;
    this.#asks = [];
    for (const { stock, permits } of asks) stock.free += permits;
    Stock.serve(asks.map(({ stock }) => stock));
  }
}

/** The requests of each task, item or node of one kind: made once for a stage or a node, and used for each run. */
export class Admission {
  readonly asks: readonly Ask[];
  readonly #refusal: Error | undefined;

  /** @param refusal why nothing may start on this thread that asks for this */
  constructor(asks: readonly Ask[], refusal?: Error) {
    this.asks = asks;
    this.#refusal = refusal;
  }

  /** All permits, if nobody waits for any of these limits; or undefined. @throws Error where the limits cannot be used */
  tryTake(): Permits | undefined {
    if (this.#refusal !== undefined) throw this.#refusal;
    const isOpen = areFree(this.asks) && this.asks.every(({ stock }) => stock.line.size === 0);
    return isOpen ? new Permits(this.asks) : undefined;
  }

  /**
   * All permits, when it is their turn; for those that `tryTake` gave none.
   *
   * @param signal ends the wait
   * @throws (rejects with) the reason of the signal; nothing was taken then
   */
  take(signal?: CallSignal): Promise<Permits> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const over = observer?.begin(this.asks);
      const stop = (): void => signal?.removeEventListener('abort', withdraw);
      const start = (permits: Permits): void => {
        stop();
        over?.(true);
        resolve(permits);
      };
      const waiter: Waiter = { asks: this.asks, start };
      const withdraw = (): void => {
        stop();
        over?.(false);
        leave(waiter);
        Stock.serve(this.asks.map(({ stock }) => stock)); // those behind it
        reject(signal?.reason);
      };
      for (const { stock } of this.asks) stock.line.add(waiter);
      signal?.addEventListener('abort', withdraw);
      Stock.serve(this.asks.map(({ stock }) => stock));
    });
  }

  /**
   * Runs something with its permits, and gives them back when that has settled.
   *
   * @param start called once all permits are there, at once if they are
   * @param signal ends the wait; what runs must see it by itself
   */
  async run<R>(start: () => Promise<R>, signal?: CallSignal): Promise<R> {
    const permits = this.tryTake() ?? (await this.take(signal));
    try {
      if (signal?.aborted === true) throw signal.reason; // between its turn and now
      return await start();
    } finally {
      permits.release();
    }
  }
}
