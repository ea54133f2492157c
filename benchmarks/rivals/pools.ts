/** Pools that send a message for every task, each with its own worker file; runs on the main thread. */
import { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { FixedThreadPool } from 'poolifier';
import { Tinypool } from 'tinypool';
import workerpool from 'workerpool';

/** A work on shared memory, as the parts of all threads get it. */
export interface Part {
  readonly work: 'sum' | 'histogram' | 'mandelbrot';
  readonly xs: ArrayBufferView;
  /** Counts the blocks that threads have taken. */
  readonly counter: Int32Array;
  readonly width?: number;
  readonly height?: number;
}

export interface Rival {
  readonly name: string;
  /** Computes n + 1 in a worker. */
  next(n: number): Promise<number>;
  close(): Promise<unknown>;
}

export interface PartDoer {
  /** Does one thread's part of a work (parts.mjs). */
  part(given: Part): Promise<unknown>;
  close(): Promise<unknown>;
}

const workerFile = (name: string): URL => new URL(`./${name}-worker.mjs`, import.meta.url);

function piscina(threads: number): Rival & PartDoer {
  const pool = new Piscina({
    filename: workerFile('piscina').href,
    minThreads: threads,
    maxThreads: threads,
  });
  return {
    name: 'piscina',
    next: (n) => pool.run(n),
    part: (given) => pool.run(given, { name: 'part' }),
    close: () => pool.destroy(),
  };
}

function tinypool(threads: number): Rival & PartDoer {
  const pool = new Tinypool({ filename: workerFile('tinypool').href, minThreads: threads, maxThreads: threads });
  return {
    name: 'tinypool',
    next: (n) => pool.run(n),
    part: (given) => pool.run(given, { name: 'part' }),
    close: () => pool.destroy(),
  };
}

function workerpoolRival(threads: number): Rival & PartDoer {
  const pool = workerpool.pool(workerFile('workerpool').pathname, {
    workerType: 'thread',
    minWorkers: threads,
    maxWorkers: threads,
  });
  return {
    name: 'workerpool',
    next: async (n) => pool.exec('next', [n]),
    part: async (given) => pool.exec('part', [given]),
    close: async () => pool.terminate(),
  };
}

function poolifier(threads: number): Rival & PartDoer {
  const pool = new FixedThreadPool<unknown, unknown>(threads, workerFile('poolifier').pathname);
  return {
    name: 'poolifier',
    next: async (n) => (await pool.execute(n)) as number,
    part: (given) => pool.execute(given, 'part'),
    close: async () => {
      void pool.destroy(); // never settles where a worker has exited before it is terminated; its workers hold no process
    },
  };
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

/** No pool: a worker for each thread, which gets a part by a message. */
function bareWorkers(threads: number): PartDoer {
  const workers = Array.from({ length: threads }, () => new Worker(workerFile('part')));
  let turn = 0;
  return {
    part(given) {
      const worker = workers[turn++ % threads];
      return new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage(given);
      });
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

const POOLS: Readonly<Record<string, (threads: number) => Rival & PartDoer>> = {
  piscina,
  tinypool,
  workerpool: workerpoolRival,
  poolifier,
};

export const rivalPools = (threads: number): Rival[] => Object.values(POOLS).map((open) => open(threads));

/** What does parts of a work for those who have no fork/join library, by name. */
export const PART_DOERS: Readonly<Record<string, (threads: number) => PartDoer>> = {
  'bare workers': bareWorkers,
  ...POOLS,
};
