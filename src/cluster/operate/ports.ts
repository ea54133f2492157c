/** Opens the ports of `furcate-worker` for probes and Prometheus, on a thread of their own (ports-thread.ts); runs on the host's main thread. */
import { Worker } from 'node:worker_threads';
import type { Answer, PortsData, PortsNews, PortsReply } from './ports-thread.js';

/** Paths that the main thread answers itself. */
export type Routes = Readonly<Record<string, () => Promise<Answer>>>;

/** @throws Error where a port cannot be opened */
export async function openPorts(workerData: PortsData, routes: Routes): Promise<void> {
  if (workerData.ports.length === 0) return;
  const url = new URL('./clusterPorts.js', import.meta.url);
  const thread = new Worker(url, { workerData, name: 'furcate ports', execArgv: [] });
  const failed = (error: unknown): Answer => ({ status: 500, type: 'text/plain', text: `${String(error)}\n` });
  await new Promise<void>((resolve, reject) => {
    thread.on('error', reject);
    thread.on('message', (news: PortsNews) => {
      if (news === 'open') resolve();
      else if ('failed' in news) reject(new Error(`furcate: ${news.failed}`));
      else
        void Promise.resolve()
          .then(() => routes[news.path]?.() ?? failed('no such path'))
          .catch(failed)
          .then((answer) => thread.postMessage({ id: news.id, answer } satisfies PortsReply));
    });
  });
  thread.unref();
}
