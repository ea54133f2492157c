/** Shows pages in one headless browser, one after another, and hears what they print. */
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Browser, type Opened, open } from '../runtimes/browsers.js';
import { STEP_HANG_MS } from './limits.js';
import { ROOT } from './project-files.js';

export interface Site {
  /** Its host is `name.localhost`, which browsers take for this machine, and for a secure origin. */
  readonly name: string;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Takes a connection over, for a web socket. */
  upgrade?(request: IncomingMessage, socket: Duplex): void;
}

const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** A site made of the files of a folder. */
export const folderSite = (
  name: string,
  folder: string,
  headers: Readonly<Record<string, string>> = ISOLATED,
): Site => ({
  name,
  answer({ url = '/' }, response) {
    const path = url.replace(/\?.*$/, '');
    const file = join(folder, path === '/' ? 'index.html' : path);
    const type = TYPES[extname(file)];
    const isThere = type !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isThere ? 200 : 404, { ...headers, ...(isThere ? { 'Content-Type': type } : {}) });
    response.end(isThere ? readFileSync(file) : '');
  },
});

/** Tells what a page prints, and what goes wrong in it, and goes to the next page when it is told to. It stands before all other scripts. */
export const TELLING = `<script>
  const tell = (kind) => async (...values) => {
    const body = JSON.stringify({ kind, text: values.map(String).join(' ') });
    const next = await (await fetch('/told', { method: 'POST', body })).text();
    if (next !== '') location.href = next;
  };
  for (const kind of ['log', 'warn', 'error']) console[kind] = tell(kind);
  addEventListener('error', (event) => tell('error')(event.message ?? event.target.src ?? event.target.href), true);
  addEventListener('unhandledrejection', ({ reason }) => tell('error')(reason));
</script>`;

/** What servers for development log of themselves. */
const SERVER_TALK = /^\[(HMR|webpack-dev-server|vite)\]/;

export interface Told {
  readonly kind: string;
  readonly text: string;
}

/**
 * Visits each site, several of them only if their pages have TELLING. A visit ends with the first thing that the page logs or that fails, and
 * fails if there is none; what comes later is heard until the next page is there.
 *
 * @returns what each page told, by the name of its site
 */
export async function visit(sites: readonly Site[], browser: Browser = 'chromium'): Promise<Map<string, Told[]>> {
  const told = new Map<string, Told[]>(sites.map(({ name }) => [name, []]));
  let visited: string | undefined;
  /** Ends a visit. The page waits for the answer, which says where to go on. */
  let ended: (answer: ServerResponse) => void = () => {};
  const siteOf = ({ headers: { host = '' } }: IncomingMessage): Site | undefined =>
    sites.find(({ name }) => name === host.split('.', 1)[0]);
  const server = createServer((request, response) => {
    const site = siteOf(request);
    if (site === undefined) response.writeHead(404).end();
    else if (request.url === '/favicon.ico') response.writeHead(204).end();
    else if (request.url !== '/told') site.answer(request, response);
    else
      void (async () => {
        let text = '';
        for await (const chunk of request.setEncoding('utf8')) text += chunk;
        const said = JSON.parse(text) as Told;
        const isTalk = said.kind === 'log' && SERVER_TALK.test(said.text);
        if (!isTalk) told.get(site.name)?.push(said);
        if (isTalk || said.kind === 'warn' || site.name !== visited) return void response.end();
        visited = undefined;
        ended(response);
      })();
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    const site = siteOf(request);
    if (site?.upgrade === undefined) socket.destroy();
    else site.upgrade(request, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let opened: Opened | undefined;
  let answer: ServerResponse | undefined;
  try {
    for (const { name } of sites) {
      const end = new Promise<ServerResponse>((resolve) => {
        ended = resolve;
      });
      visited = name;
      const url = `http://${name}.localhost:${port}/`;
      answer?.end(url);
      opened ??= open(browser, url, join(ROOT, '.build/visits'));
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<string>((resolve) => {
        timer = setTimeout(() => resolve(`the page said nothing for ${STEP_HANG_MS / 1000} s`), STEP_HANG_MS);
      });
      const outcome = await Promise.race([end, silence, opened.ended]);
      clearTimeout(timer);
      answer = typeof outcome === 'string' ? undefined : outcome;
      if (typeof outcome !== 'string') continue;
      told.get(name)?.push({ kind: 'error', text: outcome });
      await opened.close();
      opened = undefined;
    }
  } finally {
    await opened?.close();
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
  return told;
}
