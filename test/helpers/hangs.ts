/** Names what hangs: a step of a test that has a promise to wait for. */
import { STEP_HANG_MS } from './limits.js';

/** What the promise settles with; an error that names `what` if it does not settle. */
export async function settledInTime<T>(what: string, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs`)), STEP_HANG_MS);
  });
  try {
    return await Promise.race([promise, hang]);
  } finally {
    clearTimeout(timer);
  }
}
