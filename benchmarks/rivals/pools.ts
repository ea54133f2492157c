/** Pools that send a message for every task, each with its own worker file; runs on the main thread. */
import { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { FixedThreadPool } from 'poolifier';
import { Tinypool } from 'tinypool';
import workerpool from 'workerpool';

export interface Rival {
  readonly name: string;
  /** Computes n + 1 in a worker. */
  next(n: number): Promise<number>;
  close(): Promise<unknown>;
}

const workerFile = (name: string): URL => new URL(`./${name}-worker.mjs`, import.meta.url);

function piscina(threads: number): Rival {
  const pool = new Piscina<number, number>({
    filename: workerFile('piscina').href,
    minThreads: threads,
    maxThreads: threads,
  });
  return { name: 'piscina', next: (n) => pool.run(n), close: () => pool.destroy() };
}

function tinypool(threads: number): Rival {
  const pool = new Tinypool({ filename: workerFile('tinypool').href, minThreads: threads, maxThreads: threads });
  return { name: 'tinypool', next: (n) => pool.run(n), close: () => pool.destroy() };
}

function workerpoolRival(threads: number): Rival {
  const pool = workerpool.pool(workerFile('workerpool').pathname, {
    workerType: 'thread',
    minWorkers: threads,
    maxWorkers: threads,
  });
  return { name: 'workerpool', next: async (n) => pool.exec('next', [n]), close: async () => pool.terminate() };
}

function poolifier(threads: number): Rival {
  const pool = new FixedThreadPool<number, number>(threads, workerFile('poolifier').pathname);
  return { name: 'poolifier', next: (n) => pool.execute(n), close: () => pool.destroy() };
}

/** No pool: one worker, one message to it and one back. */
export function bareMessages(): Rival {
  const worker = new Worker(workerFile('message'));
  return {
    name: 'a bare message there and back',
    next: (n) =>
      new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage(n);
      }),
    close: () => worker.terminate(),
  };
}

export const rivalPools = (threads: number): Rival[] => [
  piscina(threads),
  tinypool(threads),
  workerpoolRival(threads),
  poolifier(threads),
];
