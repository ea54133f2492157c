/** Scripts in Node, and how they get into workers, which read them from memory that all share. */
import type { Script, WorkerProgram } from './host.js';

/** A script as a worker gets it. */
export interface SharedScript {
  readonly path: string;
  /** Latin-1. */
  readonly text: Uint8Array;
  /** V8's code cache; without it the worker compiles the text itself. */
  readonly compiled: Uint8Array | undefined;
}

/** Marks what a worker is sent first, and from then on the `workerData` of threads that the library started. */
export const WORKER_MARK = 'furcate.worker';

/** Key under which a worker's first lines leave their `import`, which scripts do not have. */
const IMPORT = Symbol.for('furcate.import');

/**
 * Text before a source where it is a script: as long as the `export default ` in its place where it is a module, so that
 * columns in stacks are right.
 */
export const SCRIPT_HEAD = '"use strict"; (';

/** The first lines of a worker with this program. The message is there long before the worker is, as a rule. */
export const bootstrap = ({ main }: WorkerProgram): string => `{
  globalThis[Symbol.for('furcate.import')] = (url) => import(url);
  const { workerData, parentPort, receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
  const { Script } = process.getBuiltinModule('node:vm');
  const start = (message) => {
    const values = Object.assign(workerData, message)['${WORKER_MARK}'].scripts.map(({ path, text, compiled }) =>
      new Script(Buffer.from(text.buffer).latin1Slice(), { filename: path, cachedData: compiled }).runInThisContext());
    (${main})(...values);
  };
  let received;
  try {
    received = receiveMessageOnPort(parentPort);
  } catch {} // Deno takes no message of this port
  if (received === undefined) parentPort.once('message', start);
  else start(received.message);
}`;

/** The worker's own `import`; undefined outside of workers. */
export const workersImport = (): ((url: string) => Promise<unknown>) | undefined =>
  (globalThis as { [IMPORT]?: (url: string) => Promise<unknown> })[IMPORT];

let shared: readonly SharedScript[] | undefined;

/** The scripts of all workers. To make the compiled forms takes 2.5 ms, once. */
export function sharedScripts({ scripts }: WorkerProgram): readonly SharedScript[] {
  shared ??= scripts().map(sharedScript);
  return shared;
}

/** In shared memory: sent to each worker, text and compiled form would take another 2.5 ms. */
export function sharedScript({ path, text, compiled }: Script): SharedScript {
  const cache = compiled?.();
  return {
    path,
    text: inSharedMemory(Buffer.from(scriptOf(text), 'latin1')),
    compiled: cache && inSharedMemory(cache),
  };
}

function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

const scriptOf = (text: string): string => `${SCRIPT_HEAD}${text})`;

let isSandbox: boolean | undefined;

/** Result of evaluating a text. */
export interface Evaluated {
  readonly value: unknown;
  /** Makes V8's code cache of the text; not there in a sandbox. */
  readonly compiled?: () => Uint8Array;
}

/** Evaluates an expression, in strict mode; see `Host.evaluate`. */
export function evaluateScript(text: string, path: string): Evaluated {
  const vm = process.getBuiltinModule('node:vm');
  isSandbox ??= vm.runInThisContext('globalThis') !== globalThis;
  // In a test runner's sandbox Node's scripts would run outside of it.
  if (isSandbox) return { value: new Function(`"use strict"; return (${text})\n//# sourceURL=${path}`)() };
  const script = new vm.Script(scriptOf(text), { filename: path });
  return { value: script.runInThisContext(), compiled: () => script.createCachedData() };
}
