/** The loop that calls a user's function for each index; runs on every thread that computes. */
import { specialize, typesTag } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { refusePromise } from '../returned-promise.js';

export type UserFunction = (...args: unknown[]) => unknown;

/** Step for one index. */
type IndexStep = (i: number, context: unknown, xs: ArrayLike<unknown>, out: { [i: number]: unknown }) => unknown;
type Loop = (lo: number, hi: number, context: unknown, xs?: TypedArray, out?: TypedArray) => unknown;

/** Makes a step of the user's function: a template, see specialize.ts. */
export type MakeStep = (fn: UserFunction) => IndexStep;

/**
 * A template. It takes four indices at a time: a map of 100,000 by `x * 2 + 1` takes 84 us, one by one 180; expensive functions gain
 * nothing. What is left over from four comes first, because V8 keeps the index of a second loop in memory (4 % of 2e7 square roots).
 */
const makeLoop = (act: IndexStep) =>
  function elementLoop(lo: number, hi: number, context: unknown, xs: never, out: never): void {
    let i = lo;
    for (const odd = lo + ((hi - lo) & 3); i < odd; i++) act(i, context, xs, out);
    for (; i < hi; i += 4) {
      act(i, context, xs, out);
      act(i + 1, context, xs, out);
      act(i + 2, context, xs, out);
      act(i + 3, context, xs, out);
    }
  };

/**
 * The loop by a step; `tag` tells indices and arrays of different types apart. The first index of each range is done by a step that looks
 * at what the function returned, and refuses a promise.
 */
export function indexLoop(makeStep: MakeStep, tag: string | number, fn: unknown): Loop {
  const rest = specialize(makeLoop, tag, specialize(makeStep, tag, fn as UserFunction)) as Loop;
  const first = makeStep((...args) => refusePromise((fn as UserFunction)(...args)));
  return (lo, hi, context, xs, out) => {
    first(lo, context, xs as never, out as never);
    rest(lo + 1, hi, context, xs, out);
  };
}

/** The loop by a step over the elements of an array, into another one if there is one. */
export function elementLoop(makeStep: MakeStep, fn: unknown, context: unknown, xs: TypedArray, out = xs) {
  const loop = indexLoop(makeStep, typesTag(xs, out), fn);
  return (lo: number, hi: number): void => void loop(lo, hi, context, xs, out);
}
