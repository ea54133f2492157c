/** The library's script on its way into Node's workers: they read text and compiled form from memory that all share. */
import type { LibraryScript } from './library-script.js';

/** What a worker is given to start with. */
export interface SharedScript {
  readonly path: string;
  /** Latin-1. */
  readonly text: Uint8Array;
}

declare const Buffer: { from(memory: ArrayBufferLike): { latin1Write(text: string): void } };

/** Marks the `workerData` of threads that the library started. */
export const WORKER_MARK = 'furcate.worker';

/** Where a worker's first lines leave their `import`, which scripts do not have. */
const IMPORT = Symbol.for('furcate.import');

/** Compiled by the thread that starts it, the library is there 10 ms sooner than by the worker itself. */
export const BOOTSTRAP = `{
  globalThis[Symbol.for('furcate.import')] = (url) => import(url);
  const { workerData, parentPort, receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
  const { path, text } = workerData['${WORKER_MARK}'].script;
  const { Script } = process.getBuiltinModule('node:vm');
  const cachedData = receiveMessageOnPort(parentPort)?.message;
  const script = new Script(Buffer.from(text.buffer).latin1Slice(), { filename: path, cachedData });
  script.runInThisContext()(undefined, true);
}`;

/** The worker's own `import`; undefined outside of workers. */
export const workersImport = (): ((url: string) => Promise<unknown>) | undefined =>
  (globalThis as { [IMPORT]?: (url: string) => Promise<unknown> })[IMPORT];

let shared: SharedScript | undefined;
let compiled: Uint8Array | undefined;

/** Sent with the worker, 500 KB of text would cost each start a millisecond. */
export function sharedScript({ path, text }: LibraryScript): SharedScript {
  if (shared === undefined) {
    shared = { path, text: new Uint8Array(new SharedArrayBuffer(text.length)) };
    Buffer.from(shared.text.buffer).latin1Write(text);
  }
  return shared;
}

/** Sent to a worker while it starts, since making it takes 2 ms; a worker that is up sooner compiles the text itself. */
export function sharedCompiled(library: LibraryScript): Uint8Array | undefined {
  if (compiled === undefined && library.compiled !== undefined) {
    const made = library.compiled();
    compiled = new Uint8Array(new SharedArrayBuffer(made.length));
    compiled.set(made);
  }
  return compiled;
}
