import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { allocBytes, bytesAt, currentHeap, freeBytes, freeTagged, heapStats } from '../../src/core/memory/heap.js';
import { expectSound } from '../helpers/heap-invariants.js';

const THREADS = 3;
const WORKER = new URL('../fixtures/heap-worker.mjs', import.meta.url);

async function start(rounds: number, seed: number): Promise<{ worker: Worker; thread: number; exit: Promise<number> }> {
  const handle = currentHeap().handle();
  const worker = new Worker(WORKER, { workerData: { handle, rounds, seed } });
  const exit = new Promise<number>((resolve, reject) => {
    worker.once('exit', resolve);
    worker.once('error', reject);
  });
  exit.catch(() => {});
  await Promise.race([once(worker, 'message'), exit]);
  return { worker, thread: handle.thread, exit };
}

describe('the shared heap under several threads', () => {
  test('keeps their blocks apart, and is empty again when they are done', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.log(`heap stress seed ${seed}`);
    const workers = await Promise.all(Array.from({ length: THREADS }, (_, i) => start(8_000, (seed + i) >>> 0)));
    let turns = 0;
    let running = true;
    const done = Promise.all(workers.map(({ exit }) => exit)).finally(() => {
      running = false;
    });
    while (running) {
      const offset = allocBytes(1 + (turns % 5_000), 0);
      bytesAt(offset, 1)[0] = turns++;
      freeBytes(offset);
      if (turns % 100 === 0) await new Promise((resume) => setImmediate(resume));
    }
    expect(await done).toEqual(workers.map(() => 0));
    for (const { thread } of workers) currentHeap().repairAfter(thread);
    expectSound(currentHeap());
    expect(heapStats().blocks).toBe(0);
  });

  test('survives the termination of threads in the midst of it', async () => {
    const survivor = await start(40_000, 7);
    for (let round = 0; round < 6; round++) {
      const { worker, thread } = await start(10_000_000, round);
      for (let turn = 0; turn < round * 5; turn++) await new Promise((resume) => setImmediate(resume));
      await worker.terminate();
      currentHeap().repairAfter(thread);
      freeTagged(thread);
    }
    expect(await survivor.exit).toBe(0);
    currentHeap().repairAfter(survivor.thread);
    expectSound(currentHeap());
    expect(heapStats().blocks).toBe(0);
  });
});
