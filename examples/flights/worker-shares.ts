/** Reads from the pool's counters what each thread did. */
import type { Stats } from 'furcate';

export interface WorkerShare {
  readonly worker: string;
  /** Elements that this thread processed in algorithms. */
  readonly elements: number;
  /** Tasks that this thread stole from others. */
  readonly stolen: number;
}

/** One entry for each worker, and one for the calling thread if it took part. */
export function workerShares(stats: Pick<Stats, 'workers'>): WorkerShare[] {
  return stats.workers
    .map(({ worker, elements, stolen }) => ({ worker: worker === 0 ? 'caller' : String(worker), elements, stolen }))
    .filter(({ worker, elements, stolen }) => worker !== 'caller' || elements + stolen > 0);
}
