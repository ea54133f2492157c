/** Calls of all kinds, for what must not grow with their number. */
import type { Cluster } from 'furcate/cluster';
import * as tasks from './tasks.mjs';

/** Longer than a call lasts that ends by its time limit (milliseconds). */
const LONG_MS = 60_000;

/** Each resolves when its call has ended, as it should. */
export const KINDS: readonly ((cluster: Cluster, k: number) => Promise<unknown>)[] = [
  (cluster, k) => cluster.invoke(tasks.square, k),
  (cluster, k) => cluster.invoke(tasks.itself, `${k}`),
  (cluster, k) => cluster.parallelMap([k, k + 1], tasks.itself, { run: `run ${k}` }),
  (cluster, k) => cluster.parallelMap([k], tasks.itself, { jobTimeoutMs: LONG_MS, at: () => 'A' }),
  (cluster) => cluster.invoke(tasks.fails, 'no').catch(() => {}),
  (cluster) => cluster.parallelMap([LONG_MS], tasks.where, { timeoutMs: 5 }).catch(() => {}),
  (cluster) => cluster.parallelMap([1], tasks.itself, { signal: AbortSignal.abort() }).catch(() => {}),
  (cluster, k) => cluster.invoke(new tasks.Fractions(k, k + 20, '')),
];
