/** Where a browser's workers come from, and why one cannot start. */
import { show } from '../errors.js';
import type { SpawnOptions, WorkerProgram } from './host.js';
import { mayEvaluate } from './web-evaluate.js';
import { IMPORT } from './web-messages.js';
import { POLICY_NAME, trustedUrl } from './web-trusted.js';

/** A worker, and where it comes from. */
export interface Made {
  readonly worker: Worker;
  readonly from: keyof typeof CURES;
  readonly url: string;
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
export function makeWorker({ name, program, createWorker, browser }: SpawnOptions): Made | Promise<Made> {
  if (createWorker !== undefined) {
    const worker = createWorker();
    if (isWorker(worker)) return { worker, from: 'createWorker', url: '' };
    throw new TypeError(`furcate: createWorker() must return a Worker; it was ${show(worker)}.`);
  }
  const file = browser?.workerUrl;
  if (file !== undefined)
    return newWorker(typeof file === 'string' ? file : file.href, 'file', { name, type: 'module' });
  const own = program as WorkerProgram;
  const fromBlob = (): Made => newWorker(urlOf(own), 'blob', { name });
  const fetched = mayEvaluate() ? undefined : own.fetchAll();
  return fetched === undefined ? fromBlob() : fetched.then(fromBlob);
}

function newWorker(url: string, from: Made['from'], options: WorkerOptions): Made {
  try {
    return { worker: new Worker(trusted(url), options), from, url };
  } catch (cause) {
    const { message } = cause as Error;
    const cure = /trusted/i.test(message)
      ? `The Content Security Policy requires Trusted Types: add '${POLICY_NAME}' to its rule trusted-types`
      : CURES[from];
    throw new Error(`furcate: a worker could not start: ${message} ${cure}.`, { cause });
  }
}

/** Where `trusted-types` does not name the policy, the browser may still admit a plain URL, or refuses that. */
function trusted(url: string): string {
  try {
    return trustedUrl(url);
  } catch {
    return url;
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

/** Why a worker has failed before it could say a word. Where its file could not be loaded, browsers say nothing at all. */
export function startError(event: Event, { from, url }: Made): Error {
  const { message, filename, lineno, error } = event as Partial<ErrorEvent>;
  const cause = error ?? undefined;
  if (message) {
    const place = filename ? ` (${filename}:${lineno})` : '';
    return new Error(`furcate: a worker could not start: ${message}${place}`, { cause });
  }
  const file = from === 'file' ? `its file ${url}` : 'its file';
  return new Error(`furcate: a worker could not start: ${file} could not be loaded. ${CURES[from]}`, { cause });
}

export const unshareableError = ({ from }: Made): Error =>
  new Error(`furcate: a worker could not start: it cannot share memory with this thread. ${CURES[from]}`);
