/** The end of a run whose other items nobody needs: of its source, and of the generators of its stages; on the calling thread. */
import { isAfter, type Rank, WHOLE } from '../../flow/order.js';

export class EarlyEnd {
  #closed: Promise<void> | undefined;
  /** The error of the first in order that has thrown when it was ended. */
  #failure: { readonly rank: Rank; readonly error: unknown } | undefined;

  /** Closes the source, once. */
  begin(close: () => Promise<void>): void {
    this.#closed ??= close();
    this.#closed.catch(() => {}); // whoever waits for the end hears of it
  }

  /** A generator has thrown when it was ended: the run tells of it at its end, as a loop does, unless it has failed. */
  failed(rank: Rank, error: unknown): void {
    if (this.#failure === undefined || isAfter(this.#failure.rank, rank)) this.#failure = { rank, error };
  }

  /** Waits for the source to be closed. @throws (rejects with) what was thrown by what was ended: generators come before the source */
  async ended(): Promise<void> {
    try {
      await this.#closed;
    } catch (error) {
      this.#failure ??= { rank: WHOLE, error };
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
