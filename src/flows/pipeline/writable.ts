/**
 * Destination of items that leave a pipeline into a stream, and their way there: writables of Node and of the Web; runs on the calling thread.
 */
import { refuseRevoked, show } from '../../core/errors.js';
import type { Run } from './run.js';

/** The writable side of a Node stream, as far as a pipeline needs it. */
export interface NodeWritable {
  write(chunk: unknown, onWritten?: (error?: Error | null) => void): boolean;
  end(onEnd?: (error?: Error | null) => void): unknown;
  destroy(error?: Error): unknown;
  once(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
  readonly writableNeedDrain?: boolean;
  readonly destroyed?: boolean;
  readonly closed?: boolean;
  readonly errored?: Error | null;
}

/** A writable of the Web, as far as a pipeline needs it. */
export interface WebWritable<T> {
  getWriter(): {
    readonly closed?: Promise<unknown>;
    readonly ready: Promise<unknown>;
    write(chunk: T): Promise<unknown>;
    close(): Promise<unknown>;
    abort(reason?: unknown): Promise<unknown>;
    releaseLock(): void;
  };
}

/** Takes items one after the other. */
export interface Sink {
  /** Told once that it takes no more, and why; also while nobody waits for it. */
  onFailure: (error: unknown) => void;
  /** Resolves when it wants an item. @throws (rejects with) why it takes no more */
  ready(): Promise<unknown>;
  write(value: unknown): void;
  /** Resolves when all is written. */
  end(): Promise<unknown>;
  abort(error: unknown): void;
}

/** Rejects what is awaited once something has failed. `Promise.race` would keep something for each item. */
class Failing {
  #failure: { readonly error: unknown } | undefined;
  #reject: (error: unknown) => void = () => {};

  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#reject(this.#failure.error);
  };

  orSettled<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
      if (this.#failure !== undefined) reject(this.#failure.error);
    });
  }
}

/**
 * Has a sink take the results of a run, one after the other.
 *
 * @throws (rejects with) what the run or the sink fails with. Both are left as they are then
 */
export async function pour(run: Run, sink: Sink): Promise<void> {
  const failing = new Failing();
  sink.onFailure = failing.fail;
  run.hold(failing.fail);
  for (;;) {
    await failing.orSettled(sink.ready());
    const item = await failing.orSettled(run.next());
    if (item === undefined) break;
    sink.write(item.value);
  }
  await failing.orSettled(sink.end());
  run.release();
}

/** @throws TypeError for what is no writable */
export function sinkOf(destination: unknown, preventClose: boolean): Sink {
  refuseRevoked(destination, 'writable of pipeTo(writable)');
  const { getWriter, write, once } = Object(destination) as Partial<WebWritable<unknown> & NodeWritable>;
  if (typeof getWriter === 'function') return webSink(destination as WebWritable<unknown>, preventClose);
  if (typeof write === 'function' && typeof once === 'function')
    return nodeSink(destination as NodeWritable, preventClose);
  throw new TypeError(
    `furcate: pipeTo(writable) of a pipeline takes a writable stream of Node or of the Web; it was given ${show(destination)}.`,
  );
}

function webSink(stream: WebWritable<unknown>, preventClose: boolean): Sink {
  const writer = stream.getWriter();
  let latest: Promise<unknown> = Promise.resolve();
  let isEnding = false;
  const sink: Sink = {
    onFailure() {},
    async ready() {
      await writer.ready;
    },
    write(value) {
      latest = writer.write(value);
      latest.catch((error) => sink.onFailure(error));
    },
    async end() {
      await latest;
      isEnding = true;
      if (!preventClose) await writer.close();
      writer.releaseLock();
    },
    abort(error) {
      writer.abort(error).catch(() => {}); // it may have failed itself
      writer.releaseLock();
    },
  };
  const closed = (error: unknown): void => {
    if (!isEnding) sink.onFailure(error);
  };
  writer.closed?.then(() => closed(closedEarly()), closed);
  return sink;
}

const closedEarly = (): Error =>
  new Error('furcate: the stream that a pipeline writes to was closed before the pipeline had ended.');

function nodeSink(stream: NodeWritable, preventClose: boolean): Sink {
  let failure: { readonly error: unknown } | undefined;
  let isFull = false;
  let unwritten = 0;
  /** Whoever waits for the stream. */
  let wake = (): void => {};
  const onError = (error: unknown): void => {
    failure ??= { error };
    sink.onFailure(failure.error);
  };
  const onClose = (): void => onError(stream.errored ?? closedEarly());
  const onDrain = (): void => {
    isFull = false;
    wake();
  };
  const onWritten = (error?: Error | null): void => {
    unwritten--;
    if (error) onError(error);
    else wake();
  };
  const becomesFull = (): void => {
    if (isFull) return;
    isFull = true;
    stream.once('drain', onDrain);
  };
  /** Ends when this holds, or never: a failure is told to the one who waits by `onFailure`. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  /** Whoever waits for the end of the stream. */
  let onFinish = (): void => {};
  const letGo = (): void => {
    stream.off('error', onError);
    stream.off('close', onClose);
    stream.off('drain', onDrain);
    stream.off('finish', onFinish);
  };
  const sink: Sink = {
    onFailure() {},
    async ready() {
      if (stream.destroyed === true) onClose();
      if (failure !== undefined) throw failure.error;
      if (stream.writableNeedDrain === true) becomesFull();
      await until(() => !isFull);
    },
    write(value) {
      unwritten++;
      if (!stream.write(value, onWritten)) becomesFull();
    },
    async end() {
      if (preventClose) await until(() => unwritten === 0);
      else {
        await new Promise<void>((resolve, reject) => {
          const ended = (error?: unknown): void => {
            if (error) {
              reject(error);
              return;
            }
            letGo(); // now: the stream closes itself next
            resolve();
          };
          onFinish = () => ended();
          stream.once('finish', onFinish);
          stream.end(ended);
        });
      }
      letGo();
    },
    abort(error) {
      stream.off('close', onClose);
      stream.off('drain', onDrain);
      stream.off('finish', onFinish);
      if (stream.closed === true) letGo();
      else stream.once('close', letGo);
      stream.destroy(error as Error); // an `error` that comes of it is heard by `onError`
    },
  };
  stream.once('error', onError);
  stream.once('close', onClose);
  return sink;
}
