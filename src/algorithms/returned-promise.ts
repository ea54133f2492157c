/**
 * Refuses promises that the user's functions return where nothing would wait for them; runs on every thread that computes.
 *
 * Functions that are declared `async` are refused before anything starts. What others return is looked at where that costs nothing: at
 * least the first result of each piece of work. A look at every result would make the steps of loops too large to be always inlined by V8
 * (27 bytes of bytecode: the step of a map has 26).
 */
import { disown, isPromise } from '../core/engine.js';

/** Thrown by loops, which do not know what errors call the function: `explained` (schedule/user-piece.ts) makes the error of it. */
export const RETURNED_PROMISE = Symbol('furcate: a function returned a promise');

/** The error for a function that returned a promise; `called` is its name, such as "fn of parallelMap". */
export const returnedPromise = (called: string): TypeError =>
  new TypeError(
    `furcate: ${called} returned a promise, which nothing would wait for. Await what it needs before the call, or use plain values, whose functions may be asynchronous: await parallelMap(Array.from(xs), fn).`,
  );

/** Gives the value. For a promise it throws, and takes the rejection; `called` is left out where `explained` adds it. */
export function refusePromise(value: unknown, called?: string): unknown {
  if (!isPromise(value)) return value;
  disown(value);
  throw called === undefined ? RETURNED_PROMISE : returnedPromise(called);
}
