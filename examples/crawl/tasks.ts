/** The tasks of the crawler; workers import this module. */
import { asyncForkable, fork, forkable, join } from 'furcate';

/** A page of more letters than this is indexed in two halves. */
const LETTERS_PER_LEAF = 4_000;

/** What the tasks share. */
export interface Shared {
  /** For each page, 1 once a task has begun to fetch it. */
  readonly seen: Int32Array;
  /** How often each word occurs. */
  readonly counts: Int32Array;
}

/** What a task reports when its page is indexed. */
export interface Crawled {
  readonly page: number;
  readonly words: number;
}

/** Fetches a page, indexes it, and crawls the pages that it names; the number of pages that this task and its forks have fetched. */
export const crawl = asyncForkable(
  import.meta.url,
  'crawl',
  async (scope, site: string, page: number, shared: Shared): Promise<number> => {
    if (Atomics.exchange(shared.seen, page, 1) === 1) return 0;
    const response = await fetch(`${site}/${page}`, { signal: scope.signal });
    const html = await response.text();
    const links = [...html.matchAll(/href="\/(\d+)"/g)].map(([, other]) => Number(other));
    const forks = links.map((other) => scope.fork(crawl, site, other, shared));
    const text = html.slice(html.indexOf('<p>') + 3, html.indexOf('</p>'));
    await scope.join(scope.fork(index, text, shared.counts));
    scope.report({ page, words: text.split(' ').length } satisfies Crawled);
    const pages = await scope.joinAll(forks);
    return pages.reduce((a, b) => a + b, 1);
  },
);

/** Counts the words of a text. */
export const index = forkable(import.meta.url, 'index', (text: string, counts: Int32Array): void => {
  if (text.length > LETTERS_PER_LEAF) {
    const middle = text.indexOf(' ', text.length >> 1);
    const left = fork(index, text.slice(0, middle), counts);
    index(text.slice(middle + 1), counts);
    join(left);
    return;
  }
  for (const word of text.split(' ')) Atomics.add(counts, Number(word.slice(1)), 1);
});
