/** Results of functions that may wait, copied before their thread writes to them again; on every thread that computes. */
import { cloneOfValue, isPromise, receiving } from '../core/engine.js';

/** Checks whether a value is the same for everybody. A symbol is not: it cannot be cloned. */
export function isPrimitive(value: unknown): boolean {
  const type = typeof value;
  return type === 'object' ? value === null : type !== 'function' && type !== 'symbol';
}

/** A copy, before its thread writes to a value again. What cannot be cloned stays: it fails if it is to leave the thread. */
export function ownCopy(value: unknown): unknown {
  try {
    return cloneOfValue(value, String);
  } catch {
    return value;
  }
}

/**
 * Copies of what one call returns, or yields. An asynchronous inline function hands it over when it returns it. What others have promised is copied when the
 * promise is resolved: other calls of the thread may go on before.
 */
export class Returned {
  readonly #copy: (value: unknown, k: number) => unknown;
  readonly #k: number;
  /** The latest object that was handed over, and its copy. */
  #value: unknown;
  #own: unknown;
  /** Result of the call: most often a promise. */
  made: unknown;

  /** @param k handed to `copy`: of which value it is the result */
  constructor(copy: (value: unknown, k: number) => unknown, k = 0) {
    this.#copy = copy;
    this.#k = k;
  }

  /** Calls the function, or its generator for the first time. */
  by<R>(call: () => R): R {
    const made = receiving(this, call);
    this.made = made;
    return made;
  }

  set result(value: unknown) {
    this.item = value;
  }

  /** In the middle of the function: nothing is thrown here. */
  set item(value: unknown) {
    this.#value = undefined;
    if (isPrimitive(value) || isPromise(value)) return;
    try {
      this.#own = this.#copy(value, this.#k);
      this.#value = value;
    } catch {
      // `copyOf` says so.
    }
  }

  /** @throws what `copy` throws */
  copyOf(value: unknown): unknown {
    return value !== undefined && value === this.#value ? this.#own : this.#copy(value, this.#k);
  }
}
