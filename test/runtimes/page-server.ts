/**
 * Serves a project to a browser, isolated as shared memory needs it, and talks with the page: the page asks for orders, and posts events.
 *
 * Workers have no import maps, so names of packages in what workers import become URLs here.
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([a-z@][^'"]*)\2/g;

/** Answers a request; `body` is what was posted. */
export type Answer = (body: string) => Promise<string> | string;

export interface PageServerOptions {
  readonly folder: string;
  /** URLs of packages, by name. */
  readonly packages: Readonly<Record<string, string>>;
  /** What does not come from the folder, by path. */
  readonly answers: Readonly<Record<string, Answer>>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server: Server;
  readonly origin: Promise<string>;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.origin = new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url as string, 'http://localhost');
    const answer = this.#options.answers[pathname];
    if (answer !== undefined) {
      const text = await answer(await bodyOf(request));
      const type = text.startsWith('<') ? TYPES['.html'] : TYPES['.json'];
      response.writeHead(200, { ...ISOLATION, 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
      return;
    }
    const path = join(this.#options.folder, normalize(pathname));
    const type = TYPES[extname(path)];
    if (type === undefined || !existsSync(path)) {
      response.writeHead(404, ISOLATION).end();
      return;
    }
    response.writeHead(200, { ...ISOLATION, 'Content-Type': type, 'Cache-Control': 'max-age=3600' });
    if (/^\/test\//.test(pathname)) response.end(this.#withUrls(readFileSync(path, 'utf8')));
    else createReadStream(path).pipe(response);
  }

  #withUrls(script: string): string {
    return script.replaceAll(SPECIFIER, (all: string, before: string, quote: string, name: string) => {
      const url = this.#options.packages[name];
      return url === undefined ? all : `${before}${quote}${url}${quote}`;
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
