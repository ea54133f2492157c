/**
 * Reports without workers: the task runs on the thread of its listener. What it reports is copied, and handed over in a turn of the event
 * loop, because code of the user's must not run inside of a task that it is no part of.
 */
import { host } from '../../core/platform/host.js';
import { Parcel } from '../../core/task/parcel.js';
import type { HereListener } from '../../core/worker/extension.js';
import { SEQUENTIAL } from '../../core/worker/worker-slot.js';
import { packed } from './block.js';

const listeners = new Map<number, Hearing>();
let latest = SEQUENTIAL;

/** Names an invocation that tells its tasks apart from those of others. */
export const newName = (): number => --latest;

class Hearing implements HereListener {
  readonly invocation = newName();
  readonly #onReport: (value: unknown) => void;
  readonly #threw: (error: unknown) => void;
  #waiting: unknown[] = [];
  #thrown: { readonly error: unknown } | undefined;

  constructor(onReport: (value: unknown) => void, threw: (error: unknown) => void) {
    this.#onReport = onReport;
    this.#threw = threw;
    listeners.set(this.invocation, this);
  }

  add(value: unknown): void {
    this.#waiting.push(value instanceof Parcel ? value : packed(value).open()[0]);
    if (this.#waiting.length === 1)
      void host()
        .turn()
        .then(() => this.#deliver());
  }

  #deliver(): void {
    try {
      for (const onReport = this.#onReport; this.#waiting.length > 0; ) onReport(this.#waiting.shift());
    } catch (error) {
      listeners.delete(this.invocation);
      this.#waiting = [];
      this.#thrown = { error };
      this.#threw(error);
    }
  }

  end(): void {
    this.#deliver();
    listeners.delete(this.invocation);
    if (this.#thrown !== undefined) throw this.#thrown.error;
  }
}

export const listenHere = (onReport: (value: unknown) => void, threw: (error: unknown) => void): HereListener =>
  new Hearing(onReport, threw);

export function reportHere(invocation: number, value: unknown): void {
  listeners.get(invocation)?.add(value);
}
