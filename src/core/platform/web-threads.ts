/**
 * Workers of a browser, as the thread that starts them sees them.
 *
 * A browser reports no exit of a worker, and `terminate()` returns while the worker may still run (Chromium lets a busy one go on for
 * 2 s). So a worker takes a Web Lock before it serves, and keeps it. The owner then asks for the same lock, and the browser grants it when
 * nothing of the worker runs any more, however it ended.
 */
import type { SpawnOptions, WorkerEvents, WorkerThread } from './host.js';
import { ASKS_AGAIN, type Said, WORKER_MARK } from './web-messages.js';
import { makeWorker, type StartedWorker, silenceError, startError, unshareableError } from './web-start.js';

/** After so long (milliseconds), a blocked thread counts a worker that it has terminated as gone. It cannot hear of it. */
const SURELY_GONE_MS = 3000;

/** Time of silence of a worker after which its file is looked at (milliseconds). */
const SILENT_MS = 3000;

/** Resolves when the lock is granted: to true, and to false where there are none. */
const granted = (lock: string): Promise<boolean> =>
  globalThis.navigator?.locks?.request(lock, () => true).catch(() => false) ?? Promise.resolve(false);

let locks = 0;

class WebThread implements WorkerThread {
  readonly #events: WorkerEvents;
  /** The way to the worker. */
  #port: MessagePort | undefined;
  readonly #lock = `furcate ${Math.random().toString(36).slice(2)} ${++locks}`;
  #made: StartedWorker | undefined;
  /** Message with which it begins, until there is a worker to tell. */
  #beginning: { readonly data: unknown } | undefined;
  #hasSpoken = false;
  /** Messages, each with what it moves, until the worker listens: it may miss what is sent before. */
  readonly #unsent: { readonly message: unknown; readonly moved: readonly object[] }[] = [];
  #hasExited = false;
  #exitCode = 1;
  #endedAtMs: number | undefined;
  #granted: Promise<boolean> | undefined;
  #silent: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SpawnOptions, events: WorkerEvents) {
    this.#events = events;
    const made = makeWorker(options);
    if (!(made instanceof Promise)) this.#start(made);
    else
      made.then(
        (late) => (this.#endedAtMs === undefined ? this.#start(late) : late.worker.terminate()),
        (error: unknown) => this.#fail(error),
      );
  }

  #start(made: StartedWorker): void {
    this.#made = made;
    const { worker } = made;
    worker.addEventListener('error', (event) => {
      if (this.#hasSpoken) return; // from then on it tells of its errors by itself
      event.preventDefault();
      clearTimeout(this.#silent);
      void startError(event, made).then((error) => this.#fail(error));
    });
    worker.addEventListener('message', ({ data }) => {
      if (data === ASKS_AGAIN && !this.#hasSpoken && this.#beginning !== undefined) this.begin(this.#beginning.data);
    });
    worker.addEventListener('messageerror', () => this.#fail(unshareableError(made)));
    this.#silent = setTimeout(() => void this.#lookAtFile(made), SILENT_MS);
    if (this.#beginning !== undefined) this.begin(this.#beginning.data);
  }

  async #lookAtFile(made: StartedWorker): Promise<void> {
    const error = await silenceError(made);
    if (error !== undefined && !this.#hasSpoken) this.#fail(error);
  }

  begin(data: unknown): void {
    this.#beginning = { data };
    if (this.#made === undefined) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data: said }) => this.#hear(said as Said);
    this.#port = port1;
    try {
      this.#made.worker.postMessage({ [WORKER_MARK]: { data, port: port2, lock: this.#lock } }, [port2]);
    } catch (error) {
      this.terminate();
      throw error;
    }
  }

  post(message: unknown, transfer: readonly object[] = []): void {
    const moved = transfer as Transferable[];
    if (this.#hasSpoken) this.#port?.postMessage(message, moved);
    else if (!this.#hasExited) this.#unsent.push(structuredClone({ message, moved }, { transfer: moved }));
  }

  #hear(said: Said): void {
    if ('message' in said) this.#events.message(said.message);
    else if ('uncaught' in said) this.#events.error(said.uncaught);
    else if ('exit' in said) {
      this.#exitCode = said.exit;
      if (said.isStuck) this.#leave();
      else this.terminate();
    } else {
      this.#hasSpoken = true;
      for (const { message, moved } of this.#unsent.splice(0)) this.post(message, moved);
      clearTimeout(this.#silent);
      void this.#awaitEnd();
    }
  }

  #fail(error: unknown): void {
    if (this.#hasExited) return;
    this.#events.error(error);
    this.terminate();
  }

  terminate(): void {
    this.#endedAtMs ??= performance.now();
    this.#made?.worker.terminate();
    void this.#awaitEnd();
  }

  /** Without locks nothing tells when a worker that was terminated comes to its end. */
  async #awaitEnd(): Promise<void> {
    this.#granted ??= granted(this.#lock);
    if ((await this.#granted) || this.#endedAtMs !== undefined) this.#leave();
  }

  #leave(): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    clearTimeout(this.#silent);
    this.#made?.worker.terminate();
    this.#port?.close();
    this.#events.exit(this.#exitCode);
  }

  isRunning(): boolean {
    if (this.#hasExited) return false;
    return this.#endedAtMs === undefined || performance.now() - this.#endedAtMs < SURELY_GONE_MS;
  }
}

export const spawn = (options: SpawnOptions, events: WorkerEvents): WorkerThread => new WebThread(options, events);
