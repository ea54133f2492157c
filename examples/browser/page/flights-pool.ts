/** Makes the page's pool. Its workers run `worker.js`, which the bundler makes of `worker.ts`. */
import { ForkJoinPool } from 'furcate';

export const newPool = (workers: number | undefined): ForkJoinPool =>
  new ForkJoinPool({
    name: 'flights',
    ...(workers === undefined ? {} : { parallelism: workers }),
    createWorker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  });

/** Whether threads can share memory on this page. If not, Furcate runs everything on the page's own thread. */
export const isIsolated = (): boolean => globalThis.crossOriginIsolated;

export const ISOLATION_NOTICE =
  'This page is not isolated, so its threads cannot share memory, and Furcate runs on this thread alone. ' +
  'To use all cores, serve it with the headers Cross-Origin-Opener-Policy: same-origin and ' +
  'Cross-Origin-Embedder-Policy: require-corp.';
