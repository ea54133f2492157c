/**
 * Workers of a browser, as the thread that starts them sees them.
 *
 * A browser reports no exit of a worker, and `terminate()` returns while the worker may still run (Chromium lets a busy one go on for
 * 2 s). So a worker takes a Web Lock before it serves, and keeps it. The owner then asks for the same lock, and the browser grants it when
 * nothing of the worker runs any more, however it ended.
 */
import { show } from '../errors.js';
import type { SpawnOptions, WorkerEvents, WorkerProgram, WorkerThread } from './host.js';
import { IMPORT, type Said, WORKER_MARK } from './web-messages.js';

/** After so long (milliseconds), a blocked thread counts a worker that it has terminated as gone. It cannot hear of it. */
const SURELY_GONE_MS = 3000;

/** When a worker has said nothing for so long (milliseconds), a warning says what may be wrong. */
const SILENT_MS = 10_000;

/** Tells a Worker by its methods, because bundlers and wrappers have Workers of their own. */
const isWorker = (value: unknown): value is Worker =>
  ['addEventListener', 'postMessage', 'terminate'].every(
    (name) => typeof Object(value)[name as keyof object] === 'function',
  );

let latest: { readonly url: string; readonly length: number } | undefined;

/** The program of workers as a file. It has all parts: a policy may forbid workers to compile others from their texts. */
function urlOf({ allScripts, main }: WorkerProgram): string {
  const scripts = allScripts();
  if (latest?.length === scripts.length) return latest.url; // parts are added only
  const text = `"use strict"; ${IMPORT} = (url) => import(url); (${main})(${scripts.map(({ text }) => text).join(',\n')});`;
  latest = { url: URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), length: scripts.length };
  return latest.url;
}

/** Where a worker comes from, for errors. */
interface Made {
  readonly worker: Worker;
  readonly from: 'blob' | 'file' | 'createWorker';
  readonly url: string;
}

function newWorker({ name, program, createWorker, browser }: SpawnOptions): Made {
  if (createWorker !== undefined) {
    const worker = createWorker();
    if (isWorker(worker)) return { worker, from: 'createWorker', url: '' };
    throw new TypeError(`furcate: createWorker() must return a Worker; it was ${show(worker)}.`);
  }
  const file = browser?.workerUrl;
  const url = typeof file === 'string' ? file : (file?.href ?? urlOf(program as WorkerProgram));
  const from = file === undefined ? 'blob' : 'file';
  try {
    return { worker: new Worker(url, { name, type: file === undefined ? 'classic' : 'module' }), from, url };
  } catch (cause) {
    throw new Error(`furcate: a worker could not start: ${(cause as Error).message} ${CURES[from]}`, { cause });
  }
}

const CURES = {
  blob:
    'Does a Content Security Policy forbid workers from blob: URLs? Allow them (worker-src blob:), or let workers start from a file: ' +
    'the option createWorker, or browser: { workerUrl }.',
  file:
    'Is that the URL of the file worker.js of furcate, and of the same origin? Its response needs the header ' +
    'Cross-Origin-Embedder-Policy that the page has, and a Content Security Policy must allow it (worker-src).',
  createWorker:
    'Is the URL of its file right, and of the same origin? Its response needs the header Cross-Origin-Embedder-Policy that the page ' +
    'has, and a Content Security Policy must allow it (worker-src).',
} as const;

/** Why a worker has failed before it could say a word. Where its file could not be loaded, browsers say nothing at all. */
function startError(event: Event, { from, url }: Made): Error {
  const { message, filename, lineno, error } = event as Partial<ErrorEvent>;
  const place = filename ? ` (${filename}:${lineno})` : '';
  const why = message
    ? `${message}${place}.`
    : `its file ${url && from !== 'blob' ? `${url} ` : ''}could not be loaded.`;
  const cause = error ?? undefined;
  return new Error(`furcate: a worker could not start: ${why}${message ? '' : ` ${CURES[from]}`}`, { cause });
}

/** Resolves when the lock is granted: to true, and to false where there are none. */
const granted = (lock: string): Promise<boolean> =>
  globalThis.navigator?.locks?.request(lock, () => true).catch(() => false) ?? Promise.resolve(false);

let locks = 0;

export function spawn(options: SpawnOptions, events: WorkerEvents): WorkerThread {
  const made = newWorker(options);
  const { worker } = made;
  const { port1, port2 } = new MessageChannel();
  const lock = `furcate ${Math.random().toString(36).slice(2)} ${++locks}`;
  let code = 1;
  let hasSpoken = false;
  let exited = false;
  let endedAtMs: number | undefined;
  let awaiting: Promise<boolean> | undefined;

  function left(): void {
    if (exited) return;
    exited = true;
    clearTimeout(silent);
    worker.terminate(); // one that could not start, or closes
    port1.close();
    events.exit(code);
  }
  /** Without locks nothing tells when a worker that was terminated, or closes, comes to its end. */
  const awaitEnd = async (): Promise<void> => {
    awaiting ??= granted(lock);
    if ((await awaiting) || endedAtMs !== undefined) left();
  };
  function end(): void {
    endedAtMs ??= performance.now();
    worker.terminate();
    void awaitEnd();
  }
  function failed(error: unknown): void {
    if (exited) return;
    events.error(error);
    end();
  }

  const hear = ({ data: said }: MessageEvent<Said>): void => {
    if ('message' in said) events.message(said.message);
    else if ('uncaught' in said) events.error(said.uncaught);
    else if ('exit' in said) {
      code = said.exit;
      endedAtMs ??= performance.now();
      void awaitEnd();
    } else {
      hasSpoken = true;
      clearTimeout(silent);
      void awaitEnd();
    }
  };
  port1.onmessage = hear;
  worker.addEventListener('error', (event) => {
    if (hasSpoken) return; // it tells by itself
    event.preventDefault();
    failed(startError(event, made));
  });
  worker.addEventListener('messageerror', () =>
    failed(
      new Error(`furcate: a worker could not start: it cannot share memory with this thread. ${CURES[made.from]}`),
    ),
  );
  const silent = setTimeout(() => {
    console.warn(
      `furcate: a worker of pool '${options.name}' has said nothing for ${SILENT_MS / 1000} s. Does its file import 'furcate/worker'?`,
    );
  }, SILENT_MS);

  return {
    begin(data) {
      try {
        worker.postMessage({ [WORKER_MARK]: { data, port: port2, lock } }, [port2]);
      } catch (error) {
        end();
        throw error;
      }
    },
    post: (message) => port1.postMessage(message),
    terminate: end,
    isRunning: () => !exited && (endedAtMs === undefined || performance.now() - endedAtMs < SURELY_GONE_MS),
  };
}
