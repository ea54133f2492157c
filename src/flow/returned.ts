/** Results of functions that may wait, copied before their thread writes to them again; on every thread that computes. */
import { cloned, isPromise, receiving } from '../core/engine.js';

/** Checks whether a value is the same for everybody. A symbol is not: it cannot be cloned. */
export const isPrimitive = (value: unknown): boolean => Object(value) !== value && typeof value !== 'symbol';

/** A copy, before its thread writes to a value again. What cannot be cloned stays: it fails if it is to leave the thread. */
export function ownCopy(value: unknown): unknown {
  try {
    return isPrimitive(value) ? value : cloned([value], String)[0];
  } catch {
    return value;
  }
}

/**
 * Copies of what one call returns, or yields. An asynchronous inline function hands it over when it returns it. What others have promised is copied when the
 * promise is resolved: other calls of the thread may go on before.
 */
export class Returned {
  readonly #copy: (value: unknown) => unknown;
  #latest: { readonly value: unknown; readonly copy: unknown } | undefined;

  constructor(copy: (value: unknown) => unknown) {
    this.#copy = copy;
  }

  /** Calls the function, or its generator for the first time. */
  by<R>(call: () => R): R {
    return receiving(this, call);
  }

  set result(value: unknown) {
    this.item = value;
  }

  /** In the middle of the function: nothing is thrown here. */
  set item(value: unknown) {
    this.#latest = undefined;
    if (isPrimitive(value) || isPromise(value)) return;
    try {
      this.#latest = { value, copy: this.#copy(value) };
    } catch {
      // `copyOf` says so.
    }
  }

  /** @throws what `copy` throws */
  copyOf(value: unknown): unknown {
    const latest = this.#latest;
    return latest !== undefined && latest.value === value ? latest.copy : this.#copy(value);
  }
}
