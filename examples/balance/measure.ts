/** Measures when each thread was busy with which item of a loop, and checks the results. */
import { type ForkJoinPool, type Partition, parallelFor, sharedArray } from 'furcate';
import type { Data, Workload } from './workloads.js';

/** A thread was busy with items for some time, without a pause. */
export interface Interval {
  /** 1 for the first thread that began, and so on. */
  readonly thread: number;
  /** Milliseconds since the first thread began. */
  readonly startMs: number;
  readonly endMs: number;
  /** The middle of its items. */
  readonly item: number;
}

export interface Run {
  readonly intervals: readonly Interval[];
  /** From the first begin to the last end. */
  readonly ms: number;
}

interface Log {
  readonly times: Float64Array;
  readonly threads: Int32Array;
}

interface Context extends Log {
  readonly work: Workload['work'];
  readonly data: Data;
}

/** Does an item, and notes who did it and when, by a clock that all threads share. */
function logged(i: number, { work, data, times, threads }: Context): void {
  const start = process.hrtime();
  work(i, data);
  const end = process.hrtime();
  times[2 * i] = start[0] * 1e3 + start[1] / 1e6;
  times[2 * i + 1] = end[0] * 1e3 + end[1] / 1e6;
  threads[i] = process.getBuiltinModule('node:worker_threads').threadId;
}

/** The right results, by a plain loop. */
export function plainResults({ items, work, data }: Workload): Float64Array {
  data.out.fill(0);
  for (let i = 0; i < items; i++) work(i, data);
  return data.out.slice();
}

/**
 * Measures a loop under each partition, in turn.
 *
 * @returns of each partition, the shortest of its runs: other programs disturbed it least
 */
export async function measure(
  pool: ForkJoinPool,
  workload: Workload,
  partitions: ReadonlyMap<string, Partition>,
  rounds: number,
): Promise<ReadonlyMap<string, Run>> {
  const { items, work, data } = workload;
  const expected = plainResults(workload);
  const log = { times: sharedArray(Float64Array, 2 * items), threads: sharedArray(Int32Array, items) };
  const best = new Map<string, Run>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, partition] of partitions) {
      data.out.fill(0);
      await parallelFor(items, logged, { pool, partition, context: { work, data, ...log } });
      if (data.out.some((value, i) => value !== expected[i])) throw new Error(`${workload.name}: wrong results`);
      const run = intervalsOf(log);
      if (run.ms < (best.get(name)?.ms ?? Number.POSITIVE_INFINITY)) best.set(name, run);
    }
  }
  return best;
}

/** Most intervals that are drawn for a thread, about. */
const DRAWN = 40;

/** Items that a thread did one after the other become one interval, so that a picture is small. */
function intervalsOf({ times, threads }: Log): Run {
  const order = [...threads.keys()].sort((a, b) => times[2 * a] - times[2 * b]);
  const first = times[2 * order[0]];
  const ms = times.reduce((latest, time) => Math.max(latest, time), 0) - first;
  const names = [...new Set(order.map((i) => threads[i]))];
  const intervals = names.flatMap((name, k) => {
    const merged: { startMs: number; endMs: number; items: number[] }[] = [];
    for (const i of order.filter((i) => threads[i] === name)) {
      const [startMs, endMs] = [times[2 * i] - first, times[2 * i + 1] - first];
      const last = merged.at(-1);
      if (last !== undefined && startMs - last.endMs < ms / 400 && last.endMs - last.startMs < ms / DRAWN) {
        last.endMs = endMs;
        last.items.push(i);
      } else merged.push({ startMs, endMs, items: [i] });
    }
    return merged.map(({ startMs, endMs, items }) => ({
      thread: k + 1,
      startMs,
      endMs,
      item: items.reduce((sum, i) => sum + i, 0) / items.length,
    }));
  });
  return { intervals, ms };
}
