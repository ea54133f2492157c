/** What a value costs in a call, by the function that is called; runs on the calling thread. */
import { compiled, type ShippedFunction } from '../../core/engine.js';
import { OPERATORS } from '../kernels/operators.js';
import { Cost } from '../schedule/cost.js';
import type { ValuesSpec } from './chunk.js';

/** What a value costs: the call of the user's function, and the copies of the value and its result, as the caller makes them. */
export interface ValueCost {
  readonly call: Cost;
  readonly copy: Cost;
}

/** By the user's function, as this realm has compiled it. */
const costs = new WeakMap<object, ValueCost>();

export function costOfValue({ fn, op }: ValuesSpec): ValueCost {
  const code = fn ?? op;
  const key = typeof code === 'string' ? OPERATORS[code] : compiled(code as ShippedFunction);
  const cost = costs.get(key) ?? { call: new Cost(), copy: new Cost() };
  costs.set(key, cost);
  return cost;
}
