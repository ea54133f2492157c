/** Sources made of others, as users see them; they are read on the thread that calls. */
import { show } from '../../core/errors.js';
import { asTheyCome, inRows, inTurn, joined } from '../../flow/joined.js';
import { isReadable } from '../../flow/source.js';
import type { PipelineSource } from './pipeline-type.js';

type Sources<T extends readonly unknown[]> = { readonly [K in keyof T]: PipelineSource<T[K]> };

function checked(name: string, sources: readonly unknown[]): readonly object[] {
  for (const [k, source] of sources.entries()) {
    if (!isReadable(source))
      throw new TypeError(
        `furcate: ${name}(...sources) takes iterables, asynchronous iterables and streams; source ${k + 1} was ${show(source)}.`,
      );
  }
  return sources as readonly object[];
}

/**
 * Several sources as one, whose items come as they arrive. A source that has something at once does not hold back the others: they are asked by turns. Of each
 * source that lets us wait, one item is read in advance.
 *
 * @param sources iterables, asynchronous iterables and streams. Each is closed when the reading ends early, also because one of them fails
 * @returns an asynchronous iterable, for `pipeline` or a loop
 * @throws TypeError naming the source that cannot be read
 * @example
 * const [odd, even] = [[1, 3], [2, 4]];
 * await pipeline(merge(odd, even)).map((x) => 10 * x).toArray(); // => [10, 20, 30, 40]
 */
export const merge = <T extends readonly unknown[]>(...sources: Sources<T>): AsyncIterable<T[number]> =>
  joined('merge', checked('merge', sources), asTheyCome);

/**
 * Several sources as one: all items of the first, then those of the second, and so on. A source is opened when it is its turn.
 *
 * @param sources iterables, asynchronous iterables and streams
 * @returns an asynchronous iterable, for `pipeline` or a loop
 * @throws TypeError naming the source that cannot be read
 * @example
 * await pipeline(concat([1, 2], new Set([3]))).map((x) => 10 * x).toArray(); // => [10, 20, 30]
 */
export const concat = <T extends readonly unknown[]>(...sources: Sources<T>): AsyncIterable<T[number]> =>
  joined('concat', checked('concat', sources), inTurn);

/**
 * Several sources as one, whose items are rows: an array of the first items of all, then of the second ones, and so on. It ends with the source that ends
 * first, and closes the others. An item of those before it that has no row is lost.
 *
 * @param sources iterables, asynchronous iterables and streams
 * @returns an asynchronous iterable, for `pipeline` or a loop
 * @throws TypeError naming the source that cannot be read
 * @example
 * await pipeline(zip(['a', 'b'], [1, 2, 3])).map(([name, x]) => name + x).toArray(); // => ['a1', 'b2']
 */
export const zip = <T extends readonly unknown[]>(...sources: Sources<T>): AsyncIterable<T> =>
  joined('zip', checked('zip', sources), inRows) as AsyncIterable<never>;
