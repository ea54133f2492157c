/**
 * Serves the page and its data on this machine.
 *
 * The two headers in `ISOLATION` are all that a page needs for shared memory. Browsers honour them on `https:` and on localhost.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dataFile } from '../flights/data-set.js';

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json',
  '.json': 'application/json',
  '.csv': 'text/csv; charset=utf-8',
  '.parquet': 'application/vnd.apache.parquet',
};

/** Files of vega-datasets that the page fetches from `data/`. */
const DATA = ['flights-3m.parquet', 'airports.csv', 'us-10m.json'];

export interface PageServerOptions {
  /** What `buildPage` wrote. */
  readonly folder: string;
  /** Whether to send the headers that isolate the page. */
  readonly isIsolated: boolean;
}

export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server: Server;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy()); // the reader has left
    });
  }

  /** Begins to listen; resolves to the address of the page. */
  listen(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, 'localhost', () => {
        resolve(`http://localhost:${(this.#server.address() as AddressInfo).port}/`);
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = this.#options.isIsolated ? ISOLATION : {};
    const path = this.#pathOf(new URL(request.url ?? '/', 'http://localhost').pathname);
    const type = path && TYPES[extname(path)];
    const file = type && (await stat(path).catch(() => undefined));
    if (!file) {
      response.writeHead(404, headers).end('Not found');
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': file.size,
      'Cache-Control': 'no-cache',
    });
    await pipeline(createReadStream(path), response);
  }

  #pathOf(urlPath: string): string | undefined {
    const name = /^\/data\/(.+)$/.exec(urlPath)?.[1];
    if (name !== undefined) return DATA.includes(name) ? dataFile(name) : undefined;
    return join(this.#options.folder, normalize(urlPath === '/' ? '/index.html' : urlPath));
  }
}
