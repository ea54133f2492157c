/** A promise, and the functions that settle it. */
export class Deferred {
  declare resolve: () => void;
  declare reject: (error: Error) => void;
  readonly promise = new Promise<void>((resolve, reject) => {
    Object.assign(this, { resolve, reject });
  });
}
