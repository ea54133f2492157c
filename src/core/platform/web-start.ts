/** Files of a browser's workers, and reasons why a worker cannot start. */
import { show } from '../errors.js';
import type { SpawnOptions, WorkerProgram } from './host.js';
import { mayEvaluate } from './web-evaluate.js';
import { inspect, type WorkerFile } from './web-inspect.js';
import { IMPORT } from './web-messages.js';
import { POLICY_NAME, trustedUrl } from './web-trusted.js';

/** A worker, and where it comes from. */
export interface StartedWorker {
  readonly worker: Worker;
  readonly from: keyof typeof CURES;
  /** Undefined where nobody knows it. */
  readonly file: WorkerFile | undefined;
}

const CURES = {
  blob:
    'Does a Content Security Policy forbid workers from blob: URLs? Allow them (worker-src blob:), or let workers start from a file: ' +
    'the option createWorker, or browser: { workerUrl }',
  file:
    'Is that the URL of the file worker.js of furcate, and of the same origin? Its response needs the header ' +
    'Cross-Origin-Embedder-Policy that the page has, and a Content Security Policy must allow it (worker-src)',
  createWorker:
    'Is the URL of its file right, and of the same origin? Its response needs the header Cross-Origin-Embedder-Policy that the page ' +
    'has, and a Content Security Policy must allow it (worker-src)',
} as const;

/** Tells a Worker by its methods, because bundlers and wrappers have Workers of their own. */
const isWorker = (value: unknown): value is Worker =>
  ['addEventListener', 'postMessage', 'terminate'].every(
    (name) => typeof Object(value)[name as keyof object] === 'function',
  );

/**
 * Makes a worker; later, where its program must be fetched first.
 *
 * @throws what `createWorker` throws; TypeError for what is no Worker; Error where the browser refuses at once
 */
export function makeWorker({
  name,
  program,
  createWorker,
  browser,
}: SpawnOptions): StartedWorker | Promise<StartedWorker> {
  if (createWorker !== undefined) {
    const { worker, file } = watched(createWorker);
    if (isWorker(worker)) return { worker, from: 'createWorker', file };
    throw new TypeError(`furcate: createWorker() must return a Worker; it was ${show(worker)}.`);
  }
  const file = browser?.workerUrl;
  if (file !== undefined)
    return newWorker(typeof file === 'string' ? file : file.href, 'file', { name, type: 'module' });
  const own = program as WorkerProgram;
  const fromBlob = (): StartedWorker => newWorker(urlOf(own), 'blob', { name });
  const fetched = mayEvaluate() ? undefined : own.fetchAll();
  return fetched === undefined ? fromBlob() : fetched.then(fromBlob);
}

/** Calls a function that makes a worker, and notes the file of that. */
function watched(createWorker: () => unknown): { readonly worker: unknown; readonly file: WorkerFile | undefined } {
  const realm = globalThis as { Worker?: typeof Worker };
  const { Worker: Original } = realm;
  if (Original === undefined) return { worker: createWorker(), file: undefined };
  let file: WorkerFile | undefined;
  const Watched: typeof Worker = new Proxy(Original, {
    construct(target, args, newTarget): object {
      const [url, options] = args as ConstructorParameters<typeof Worker>;
      file = { url: new URL(String(url), globalThis.location?.href).href, isModule: options?.type === 'module' };
      return Reflect.construct(target, args, newTarget === Watched ? target : newTarget);
    },
  });
  realm.Worker = Watched;
  try {
    return { worker: createWorker(), file };
  } finally {
    realm.Worker = Original;
  }
}

function newWorker(url: string, from: StartedWorker['from'], options: WorkerOptions): StartedWorker {
  const given = trusted(url);
  try {
    return { worker: new Worker(given ?? url, options), from, file: { url, isModule: options.type === 'module' } };
  } catch (cause) {
    // Browsers have words of their own for a plain URL where they need a trusted one.
    const isUntrusted = given === undefined && cause instanceof TypeError;
    const cure = isUntrusted
      ? `The Content Security Policy requires Trusted Types: add '${POLICY_NAME}' to its rule trusted-types`
      : CURES[from];
    throw new Error(`furcate: a worker could not start: ${(cause as Error).message} ${cure}.`, { cause });
  }
}

/** Undefined where `trusted-types` does not name the policy: the browser may still admit a plain URL, or refuses that. */
function trusted(url: string): string | undefined {
  try {
    return trustedUrl(url);
  } catch {
    return undefined;
  }
}

let latest: { readonly url: string; readonly length: number } | undefined;

/** The program of workers as a file. It has all parts: a policy may forbid workers to compile others from their texts. */
function urlOf({ allScripts, main }: WorkerProgram): string {
  const scripts = allScripts();
  if (latest?.length === scripts.length) return latest.url; // parts are added only
  const text = `"use strict"; ${IMPORT} = (url) => import(url); (${main})(${scripts.map(({ text }) => text).join(',\n')});`;
  latest = { url: URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), length: scripts.length };
  return latest.url;
}

/** Error for a worker that failed before it could say a word. If its file does not load, browsers say nothing at all. */
export async function startError(event: Event, { from, file }: StartedWorker): Promise<Error> {
  const { message, filename, lineno, error } = event as Partial<ErrorEvent>;
  const cause = error ?? undefined;
  if (message) {
    const place = filename ? ` (${filename}:${lineno})` : '';
    return new Error(`furcate: a worker could not start: ${message}${place}`, { cause });
  }
  const shown = from === 'blob' || file === undefined ? undefined : file;
  const fault = shown && (await inspect(shown)).fault;
  if (fault !== undefined) return new Error(`furcate: a worker could not start: ${fault}.`, { cause });
  const name = shown === undefined ? 'its file' : `its file ${shown.url}`;
  return new Error(`furcate: a worker could not start: ${name} could not be loaded. ${CURES[from]}`, { cause });
}

/** Error for a worker that has said nothing for long; undefined if it may only be slow. */
export async function silenceError({ from, file }: StartedWorker): Promise<Error | undefined> {
  if (from === 'blob' || file === undefined) return undefined;
  const { fault, serves } = await inspect(file);
  const lacking = `neither its file ${file.url} nor a module that this imports has 'furcate/worker'. Write there: import 'furcate/worker';`;
  const why = fault === undefined ? (serves === false ? lacking : undefined) : `${fault}.`; // Firefox tells of no fault in a module that the file imports
  return why === undefined ? undefined : new Error(`furcate: a worker could not start: ${why}`);
}

export const unshareableError = ({ from }: StartedWorker): Error =>
  new Error(`furcate: a worker could not start: it cannot share memory with this thread. ${CURES[from]}`);
