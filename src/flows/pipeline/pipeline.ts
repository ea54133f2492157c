/** Pipelines, as users see them; runs on the thread that calls. */

/** Items on their way from a source to whoever takes them. */
export interface Pipeline<T> extends AsyncIterable<T> {}

/**
 * Makes a pipeline of a source of items.
 *
 * @param source an iterable or an asynchronous iterable. It is read when the pipeline is
 * @example
 * for await (const x of pipeline([1, 2])) console.log(x);
 */
export function pipeline<T>(source: Iterable<T> | AsyncIterable<T>, _options: object = {}): Pipeline<T> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* source;
    },
  };
}
