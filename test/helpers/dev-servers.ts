/** The servers of bundlers for development, each a process, as sites for test/helpers/visits.ts. */
import { spawn } from 'node:child_process';
import { request as ask } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { endWithUs } from '../runtimes/living.js';
import { STEP_HANG_MS } from './limits.js';
import { env, type Recipe } from './recipes.js';
import type { Site } from './visits.js';

export interface DevServer {
  readonly site: Site;
  close(): Promise<void>;
}

/** Starts the server of a recipe in the folder of a program; resolves when it says where it is. */
export async function serve(name: string, { build }: Recipe, app: string): Promise<DevServer> {
  const port = await freePort();
  const started = build.join(' && ');
  const command = `exec ${started}${started.endsWith(' --serve') ? `=${port}` : ` --port ${port}`}`; // esbuild has the other form
  const child = spawn('sh', ['-c', command], { cwd: app, env, detached: true, stdio: 'pipe' }); // esbuild serves as long as its input is open
  const end = (): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
  };
  const hasEnded = endWithUs(end);
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const isThere = new RegExp(`http://(localhost|127\\.0\\.0\\.1):${port}`);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail(`says nothing for ${STEP_HANG_MS / 1000} s`), STEP_HANG_MS);
    const fail = (how: string): void => {
      clearTimeout(timer);
      end();
      reject(new Error(`the server of ${name} ${how}\n${output}`));
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (!isThere.test(output)) return;
        clearTimeout(timer);
        resolve();
      });
    void ended.then(() => fail('has ended'));
  });
  return {
    site: siteAt(name, port),
    async close() {
      end();
      await ended;
      hasEnded();
    },
  };
}

/** The site that a server on this machine gives. */
export const siteAt = (name: string, port: number): Site => ({
  name,
  answer(request, response) {
    const { method, url, headers } = request;
    const own = { ...headers, host: `localhost:${port}` }; // esbuild refuses names that it does not know
    const asked = ask({ host: 'localhost', port, method, path: url, headers: own }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  },
  upgrade({ method, url, rawHeaders }, socket) {
    const there = connect(port, 'localhost');
    const lines = rawHeaders.flatMap((key, k) => (k % 2 === 0 ? [`${key}: ${rawHeaders[k + 1]}`] : []));
    there.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    socket.pipe(there).pipe(socket);
    socket.on('error', () => there.destroy()).on('close', () => there.destroy());
    there.on('error', () => socket.destroy());
  },
});

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, 'localhost', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
