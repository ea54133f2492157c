/** Refuses promises where nothing would wait for them: clients and hosts combine results at once, as a pool does. */
import { disown, isPromise } from './library.js';

/** Gives the value. @param called names the function that returned it. @throws TypeError for a promise, whose rejection is taken */
export function noPromise<T>(value: T, called: string): T {
  if (!isPromise(value)) return value;
  disown(value);
  throw new TypeError(
    `furcate: ${called} returned a promise, which nothing would wait for. Return the value itself, and let what is asynchronous be in a host function.`,
  );
}
