/** Cost of a value in a call, by the function that is called; runs on the calling thread. */
import { compiled, type ShippedFunction } from '../../core/engine.js';
import { OPERATORS } from '../kernels/operators.js';
import { Cost } from '../schedule/cost.js';
import type { ValuesSpec } from './chunk.js';

/** Cost of a value: the call of the user's function, and the copies of the value and its result, as the caller makes them. */
export class ValueCost {
  /** Of the call, as the last chunk took. */
  readonly call = new Cost();
  readonly copy = new Cost();
  /** Of the call on this thread: it differs while threads compile the function, one after another. */
  readonly #here = new Cost();

  /** Takes in a chunk that this thread has run. */
  noteHere(values: number, ms: number): void {
    this.call.note(values, ms);
    this.#here.noteShared(values, ms);
  }

  /** Takes in a chunk of a worker. This thread should be as quick as the quickest: a next chunk here tells. */
  noteAway(values: number, ms: number): void {
    this.call.note(values, ms);
    const here = this.#here.nsPerElement;
    if (here > 0) this.#here.nsPerElement = Math.min(here, this.call.nsPerElement);
  }

  /** Of the call on this thread, as far as it is known. */
  get here(): Cost {
    return this.#here.nsPerElement === 0 ? this.call : this.#here;
  }
}

/** By the user's function, as this realm has compiled it. */
const costs = new WeakMap<object, ValueCost>();

export function costOfValue({ fn, op }: ValuesSpec): ValueCost {
  const code = fn ?? op;
  const key = typeof code === 'string' ? OPERATORS[code] : compiled(code as ShippedFunction);
  const cost = costs.get(key) ?? new ValueCost();
  costs.set(key, cost);
  return cost;
}
