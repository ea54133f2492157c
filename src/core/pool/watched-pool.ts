/** A pool as `furcate top` sees it; on the thread that owns it. */
import type { StallHome } from './stall.js';
import type { Stats } from './stats.js';

/** What is asked of a pool, a few times in a second. */
export interface WatchedPool {
  readonly isClosed: boolean;
  stats(): Stats;
  /** Undefined without workers. */
  readonly threads: StallHome | undefined;
}
