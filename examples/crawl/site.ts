/** A web site to crawl, which is made up: the same pages in every run, served by HTTP with a delay. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export const VOCABULARY = 500;
const WORDS_PER_PAGE = 2_000;
const LINKS_PER_PAGE = 4;
/** How long the server takes to answer (milliseconds). */
const DELAY_MS = { least: 5, most: 25 };

/** A pseudo-random number below `n`, by the multiplicative congruence of Lehmer. */
function* randoms(seed: number): Generator<number, never, number> {
  let state = seed + 1;
  let n = yield 0;
  for (;;) {
    state = (state * 48_271) % 0x7fff_ffff;
    n = yield state % n;
  }
}

function randomOf(seed: number): (n: number) => number {
  const numbers = randoms(seed);
  numbers.next(0);
  return (n) => numbers.next(n).value;
}

/** The pages that a page names: the next ones, so that all can be reached, and some others. */
export function linksOf(page: number, pages: number): number[] {
  const random = randomOf(page);
  const near = [2 * page + 1, 2 * page + 2].filter((other) => other < pages);
  const far = Array.from({ length: LINKS_PER_PAGE - near.length }, () => random(pages));
  return [...near, ...far];
}

/** The words of a page, as numbers below `VOCABULARY`; small numbers are frequent. */
export function wordsOf(page: number): number[] {
  const random = randomOf(page + 1_000_000);
  return Array.from({ length: WORDS_PER_PAGE }, () => random(1 + random(VOCABULARY)));
}

function htmlOf(page: number, pages: number): string {
  const text = wordsOf(page).map((word) => `w${word}`);
  const links = linksOf(page, pages).map((other) => `<a href="/${other}">${other}</a>`);
  return `<html><body><p>${text.join(' ')}</p>${links.join('')}</body></html>`;
}

/** Serves the site on a free port. */
export async function serveSite(pages: number): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const page = Number(request.url?.slice(1));
    const ms = DELAY_MS.least + (page % (DELAY_MS.most - DELAY_MS.least));
    void delay(ms).then(() => {
      response.writeHead(page < pages ? 200 : 404, { 'content-type': 'text/html' });
      response.end(page < pages ? htmlOf(page, pages) : 'no such page');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
