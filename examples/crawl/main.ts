/**
 * The program of `npm run example:crawl`: crawls a site on this machine, with a delay for each page, by asynchronous tasks, and indexes the
 * pages by fork/join. It checks the index against the pages themselves. `-- --pages 100` crawls fewer pages.
 */
import { parseArgs } from 'node:util';
import { ForkJoinPool, sharedArray } from 'furcate';
import { serveSite, VOCABULARY, wordsOf } from './site.js';
import { type Crawled, crawl, type Shared } from './tasks.js';

const PAGES = 1_000;

const { values } = parseArgs({ options: { pages: { type: 'string', default: String(PAGES) } } });
const pages = Number(values.pages);
if (!Number.isInteger(pages) || pages < 1) {
  console.error('Usage: npm run example:crawl [-- --pages <number>]');
  process.exit(2);
}

const { url, server } = await serveSite(pages);
const pool = new ForkJoinPool({ preload: ['furcate/tsx'] }); // on Node 20, workers need a loader for tasks.ts
await pool.ready();

const shared: Shared = {
  seen: sharedArray(Int32Array, pages),
  counts: sharedArray(Int32Array, VOCABULARY),
};
let done = 0;
let words = 0;
function showProgress(crawled: Crawled): void {
  done++;
  words += crawled.words;
  if (process.stdout.isTTY) process.stdout.write(`\r${done} of ${pages} pages, ${words} words`);
}

const startedMs = performance.now();
const fetched = await pool.with({ onReport: showProgress }).invoke(crawl, url, 0, shared);
const tookMs = performance.now() - startedMs;
await pool.close();
server.close();
server.closeAllConnections();

const expected = new Int32Array(VOCABULARY);
for (let page = 0; page < pages; page++) for (const word of wordsOf(page)) expected[word]!++;
const isRight = fetched === pages && done === pages && expected.every((count, word) => count === shared.counts[word]);

const best = [...expected.keys()].sort((a, b) => expected[b]! - expected[a]! || a - b).slice(0, 5);
console.log(`\r${fetched} pages in ${tookMs.toFixed(0)} ms on ${pool.parallelism} workers, ${words} words`);
console.log(`most frequent words: ${best.map((word) => `w${word} (${shared.counts[word]})`).join(', ')}`);
console.log(isRight ? 'The index is that of the pages.' : 'The index is WRONG.');
process.exitCode = isRight ? 0 : 1;
