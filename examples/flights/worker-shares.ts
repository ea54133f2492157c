/** What each thread did, from the counters of the pool. */
import type { Stats } from 'furcate';

export interface WorkerShare {
  readonly worker: string;
  /** Elements that the algorithms processed here. */
  readonly elements: number;
  /** Tasks taken from other threads. */
  readonly stolen: number;
}

/** One share for each worker, and one for the calling thread if it took part. */
export function workerShares(stats: Pick<Stats, 'workers'>): WorkerShare[] {
  return stats.workers
    .map(({ worker, elements, stolen }) => ({ worker: worker === 0 ? 'caller' : String(worker), elements, stolen }))
    .filter(({ worker, elements, stolen }) => worker !== 'caller' || elements + stolen > 0);
}
