/**
 * A site of pages, each with headers of its own, and a browser that shows one after the other: a page tells its result, and gets the URL of
 * the next one.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { ROOT } from '../helpers/project-files.js';
import { type Browser, type Opened, open } from '../runtimes/browsers.js';

/** What a page is served with. */
export interface Headers {
  /** True by default. */
  readonly isolated?: boolean;
  /** The Content Security Policy. */
  readonly policy?: string;
  /** A file that the server cannot give at first (503), and how often. */
  readonly fails?: readonly [path: string, times: number];
}

/** What a page has told. */
export interface Told {
  readonly value?: unknown;
  readonly thrown?: string;
  /** Errors that nothing caught. */
  readonly loose: readonly string[];
}

const HTML =
  '<!doctype html><meta charset="utf-8"><title>Furcate</title><script type="module" src="/pages/page.mjs"></script>';
/** Waits for the first page that somebody wants to see. */
const BLANK =
  '<!doctype html><script>fetch("/next").then(async (next) => { location.href = await next.text(); });</script>';

interface Visit {
  readonly url: string;
  readonly headers: Headers;
  readonly tell: (told: Told) => void;
}

export class Site {
  readonly #server: Server;
  readonly #opened: Promise<Opened>;
  #visit: Visit | undefined;
  /** How often the present page was refused a file. */
  #failed = 0;
  /** The browser waits for the URL of the next page. */
  #answer: ServerResponse | undefined;

  /** @param flags of the browser's command line */
  constructor(browser: Browser, flags?: readonly string[]) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#opened = new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const { port } = this.#server.address() as AddressInfo;
        resolve(open(browser, `http://127.0.0.1:${port}/blank`, join(tmpdir(), 'furcate-browsers'), flags));
      });
    });
  }

  /** The processes of the browser are children of this one. */
  get opened(): Promise<Opened> {
    return this.#opened;
  }

  /** Resolves when a page has ended that holds a request to `/alive`. */
  readonly ended: Promise<string>;
  #end: (how: string) => void = () => {};

  /** Shows a page; resolves to what it tells. */
  visit(scenario: string, headers: Headers = {}): Promise<Told> {
    this.#failed = 0;
    return new Promise((tell) => {
      this.#visit = { url: `/page?scenario=${scenario}`, headers, tell };
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#visit === undefined || this.#answer === undefined) return;
    this.#answer.end(this.#visit.url);
    this.#answer = undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url as string, 'http://localhost');
    response.setHeader('Cache-Control', 'no-store');
    const { isolated = true, policy } = this.#visit?.headers ?? {};
    if (isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    if (policy !== undefined && pathname !== '/blank') response.setHeader('Content-Security-Policy', policy);
    if (pathname === '/blank' || pathname === '/page') {
      response.setHeader('Content-Type', 'text/html').end(pathname === '/page' ? HTML : BLANK);
    } else if (pathname === '/next' || pathname === '/result') {
      const body = await bodyOf(request);
      const visit = this.#visit;
      this.#visit = undefined;
      this.#answer = response;
      if (pathname === '/result') visit?.tell(JSON.parse(body) as Told);
      else this.#visit = visit;
      this.#goOn();
    } else if (pathname === '/alive') response.on('close', () => this.#end('the page has ended'));
    else if (this.#failing(pathname)) response.writeHead(503).end();
    else {
      const path = join(ROOT, pathname.startsWith('/dist/') ? '' : 'test/browser', normalize(pathname));
      if (!existsSync(path) || !/\.m?js$/.test(extname(path))) response.writeHead(404).end();
      else createReadStream(path).pipe(response.setHeader('Content-Type', 'text/javascript'));
    }
  }

  #failing(pathname: string): boolean {
    const [path, times] = this.#visit?.headers.fails ?? [];
    return path === pathname && ++this.#failed <= Number(times);
  }

  async close(): Promise<void> {
    await (await this.#opened).close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};
