/** A promise that is resolved, or rejected, from outside. */
export function openPromise() {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  promise.catch(() => {}); // those who wait hear of it
  return { promise, resolve, reject };
}
