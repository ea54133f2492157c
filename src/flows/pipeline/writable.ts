/** Where items go that leave a pipeline into a stream: writables of Node and of the Web; runs on the calling thread. */
import { show } from '../../core/errors.js';

/** The writable side of a Node stream, as far as a pipeline needs it. */
export interface NodeWritable {
  write(chunk: unknown): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  once(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
  readonly writableNeedDrain?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
}

/** A writable of the Web, as far as a pipeline needs it. */
export interface WebWritable<T> {
  getWriter(): {
    readonly ready: Promise<unknown>;
    write(chunk: T): Promise<unknown>;
    close(): Promise<unknown>;
    abort(reason?: unknown): Promise<unknown>;
    releaseLock(): void;
  };
}

/** Takes items one after the other. */
export interface Sink {
  /** Resolves when it wants an item. @throws (rejects with) why it takes no more */
  ready(): Promise<unknown>;
  write(value: unknown): void;
  /** Resolves when all is written. */
  end(): Promise<unknown>;
  abort(error: unknown): void;
}

/** @throws TypeError for what is no writable */
export function sinkOf(destination: unknown, preventClose: boolean): Sink {
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
  let failure: { readonly error: unknown } | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  return {
    async ready() {
      await writer.ready;
      if (failure !== undefined) throw failure.error;
    },
    write(value) {
      latest = writer.write(value);
      latest.catch((error) => {
        failure ??= { error };
      });
    },
    async end() {
      await latest;
      if (!preventClose) await writer.close();
      writer.releaseLock();
    },
    abort(error) {
      writer.abort(error).catch(() => {}); // it may have failed itself
      writer.releaseLock();
    },
  };
}

function nodeSink(stream: NodeWritable, preventClose: boolean): Sink {
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => {};
  const onError = (error: unknown): void => {
    failure ??= { error };
    wake();
  };
  const onClose = (): void =>
    onError(new Error('furcate: the stream that a pipeline writes to was closed before the pipeline had ended.'));
  stream.once('error', onError);
  stream.once('close', onClose);
  const check = (): void => {
    if (stream.destroyed === true) onError(stream.errored ?? undefined);
    if (failure !== undefined) throw failure.error;
  };
  const event = (name: string, act: () => unknown): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        stream.off(name, settle);
        wake = () => {};
        if (failure === undefined) resolve();
        else reject(failure.error);
      };
      wake = settle;
      stream.once(name, settle);
      act();
    });
  const letGo = (): void => {
    stream.off('error', onError);
    stream.off('close', onClose);
  };
  return {
    async ready() {
      check();
      if (stream.writableNeedDrain === true) await event('drain', () => {});
    },
    write: (value) => void stream.write(value),
    async end() {
      check();
      try {
        if (!preventClose) await event('finish', () => stream.end());
      } finally {
        letGo();
      }
    },
    abort(error) {
      stream.off('close', onClose);
      stream.destroy(error as Error); // an `error` that comes of it is heard by `onError`
    },
  };
}
