/** The messages between a worker of a browser and the thread that has started it. */

/** Marks what a worker is sent first. */
export const WORKER_MARK = 'furcate.worker';

/**
 * Place where the first lines of the library's own workers leave their `import`: a bundler may put a helper of its own around any
 * other.
 */
export const IMPORT = "globalThis[Symbol.for('furcate.import')]";

/** First message to a worker. */
export interface Beginning {
  readonly data: unknown;
  readonly port: MessagePort;
  /** The name of the lock that the worker holds for as long as it runs. */
  readonly lock: string;
}

export const isMarked = (message: unknown): message is { readonly [WORKER_MARK]: Beginning } =>
  typeof message === 'object' && message !== null && WORKER_MARK in message;

/**
 * A worker asks once more for what it begins with: its file has awaited something before it imported the library, and the browser has
 * delivered the message to nobody.
 */
export const ASKS_AGAIN = 'furcate.asksAgain';

/** Messages of a worker, by its port. */
export type Said =
  /** It holds its lock, and starts. */
  | { readonly held: true }
  | { readonly message: unknown }
  | { readonly uncaught: unknown }
  /** It is about to close; or it is stuck for ever, and runs nothing any more. */
  | { readonly exit: number; readonly isStuck: boolean };
