/** Resolves when the promise has settled, or after that time. Nothing of it is left then: a timer that ran on would hold the promise. */
import { after } from './library.js';

export function within(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const stop = after(ms, resolve);
    const settled = (): void => {
      stop();
      resolve();
    };
    promise.then(settled, settled);
  });
}
