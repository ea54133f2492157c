/** Reads streams of the Web; runs on the thread that reads. */

/** A stream of the Web, declared without types of the DOM. */
interface WebStream<T> {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: T | undefined }>;
    cancel(): Promise<void>;
    releaseLock?(): void;
  };
}

/** The chunks of a stream. Its own iterator, where it has one, could not be ended while it waits for a chunk. The stream is unlocked in the end. */
export function chunksOf<T>(stream: WebStream<T>): AsyncIterator<T, undefined> {
  const reader = stream.getReader();
  const over = { done: true as const, value: undefined };
  return {
    async next() {
      let isOver = true;
      try {
        const { done, value } = await reader.read();
        isOver = done;
        return done ? over : { done, value: value as T };
      } finally {
        if (isOver) reader.releaseLock?.(); // also of a stream that has failed
      }
    },
    async return() {
      try {
        await reader.cancel();
      } finally {
        reader.releaseLock?.();
      }
      return over;
    },
  };
}
