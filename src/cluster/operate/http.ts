/** Serves texts to probes and to Prometheus; on the host's main thread, so an answer shows that it turns. */
import { createServer, type Server } from 'node:http';
import type { Address } from './settings.js';

/** What a path answers. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export type Routes = Readonly<Record<string, () => Answer | Promise<Answer>>>;

export const json = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json',
  text: `${JSON.stringify(value)}\n`,
});

/** @throws Error where the port cannot be opened */
export async function serve(option: string, { port, host }: Address, routes: Routes): Promise<Server> {
  const server = createServer(async ({ url = '', method }, response) => {
    const path = url.split('?')[0] as string;
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const isRead = method === 'GET' || method === 'HEAD';
    const missing = json(isRead ? 404 : 405, { paths: Object.keys(routes) });
    const failed = (error: unknown): Answer => json(500, { error: String(error) });
    const answer = route === undefined || !isRead ? missing : await Promise.resolve().then(route).catch(failed);
    response.writeHead(answer.status, { 'content-type': answer.type }).end(method === 'HEAD' ? '' : answer.text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(`furcate: ${option}: port ${port} cannot be opened: ${cause.code ?? cause.message}.`, { cause }),
      ),
    );
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
  server.unref();
  return server;
}
