/** Says what the pools of this thread do, a few times in a second, in a file for `furcate top`; on threads that own pools, where `FURCATE_MONITOR` asks for it. */
import { type hooks, host } from '../../core/engine.js';
import type { PoolNow, Snapshot, ThreadNow } from './snapshot.js';

/** Time between two snapshots (milliseconds). */
const EVERY_MS = 500;

type PoolSeen = Parameters<typeof hooks.watched>[0];
type PoolCounts = ReturnType<PoolSeen['stats']>;
type FileHere = ReturnType<NonNullable<ReturnType<NonNullable<ReturnType<typeof host>['recording']>>>['monitorFile']>;

/** Figures of the snapshot before. */
interface Before {
  readonly stats: PoolCounts;
  readonly nowMs: number;
}

/** Held weakly: a pool that a program has dropped is to go. */
const pools = new Set<WeakRef<PoolSeen>>();
const before = new WeakMap<PoolSeen, Before>();
let file: FileHere | undefined;
let isOn = false;

const shareBetween = (now: PoolCounts['workers'][number], then: PoolCounts['workers'][number] | undefined): number => {
  const busy = now.busyMs - (then?.busyMs ?? 0);
  const idle = now.idleMs - (then?.idleMs ?? 0);
  return busy + idle <= 0 ? 0 : Math.min(1, Math.max(0, busy / (busy + idle)));
};

/** Workers, and spares that run something. */
function threadsOf(pool: PoolSeen, stats: PoolCounts, then: PoolCounts | undefined): ThreadNow[] {
  const { threads } = pool;
  const nowMs = threads?.nowMs() ?? 0;
  const runs = (slot: number): Pick<ThreadNow, 'task' | 'ms'> | undefined => {
    if (threads?.thread(slot).computes !== true) return undefined;
    const { task, sinceMs } = threads.running(slot);
    return { task, ms: sinceMs === undefined ? undefined : Math.max(0, nowMs - sinceMs) };
  };
  const workers = stats.workers
    .filter(({ worker }) => worker > 0)
    .map((one) => {
      const busy = shareBetween(
        one,
        then?.workers.find(({ worker }) => worker === one.worker),
      );
      return { name: `worker ${one.worker}`, busy, ...runs(one.worker) };
    });
  const spares = (threads?.slots() ?? []).filter((slot) => slot > stats.parallelism && runs(slot) !== undefined);
  return [
    ...workers,
    ...spares.map((slot) => ({ name: `spare ${slot - stats.parallelism - 1}`, busy: 1, ...runs(slot) })),
  ];
}

function poolNow(pool: PoolSeen, nowMs: number): PoolNow {
  const stats = pool.stats();
  const last = before.get(pool);
  before.set(pool, { stats, nowMs });
  const seconds = last === undefined ? 0 : (nowMs - last.nowMs) / 1000;
  const rate = (name: 'stolen' | 'emptySteals' | 'roots'): number =>
    last === undefined || seconds <= 0 ? 0 : (stats[name] - last.stats[name]) / seconds;
  const { name, parallelism, inFlight, queued, oldestWaitMs, queueDepth, waiting, blocked } = stats;
  return {
    ...{ name, parallelism, inFlight, queued, oldestWaitMs, queueDepth, waiting, blocked },
    steals: rate('stolen'),
    emptySteals: rate('emptySteals'),
    roots: rate('roots'),
    threads: threadsOf(pool, stats, last?.stats),
  };
}

let lastMs: number | undefined;

function write(to: FileHere): void {
  const nowMs = host().nowMs();
  const shown: PoolNow[] = [];
  for (const weak of pools) {
    const pool = weak.deref();
    if (pool === undefined || pool.isClosed) pools.delete(weak);
    else shown.push(poolNow(pool, nowMs));
  }
  const snapshot: Snapshot = {
    version: 1,
    ...to.process,
    takenMs: Date.now(),
    ofMs: lastMs === undefined ? 0 : nowMs - lastMs,
    heapBytes: host().recording?.().heapBytes() ?? 0,
    pools: shown,
  };
  lastMs = nowMs;
  to.replace(JSON.stringify(snapshot));
}

/** Does not keep the process alive. Goes on as long as there are pools. */
function writeOn(to: FileHere): void {
  try {
    write(to);
  } catch (error) {
    host().warn(`furcate: what pools do cannot be written for furcate top: ${error}`);
    return;
  }
  isOn = pools.size > 0;
  if (isOn) host().backgroundTimer(EVERY_MS, () => writeOn(to));
}

/** See `Hooks.watched`. */
export function watch(pool: PoolSeen): void {
  if (host().recording === undefined) return;
  if (![...pools].some((weak) => weak.deref() === pool)) pools.add(new WeakRef(pool));
  if (isOn) return;
  isOn = true;
  try {
    file ??= host().recording?.().monitorFile();
  } catch (error) {
    host().warn(`furcate: what pools do cannot be written for furcate top: ${error}`);
    return; // stays on, and says so once
  }
  const to = file as FileHere;
  host().backgroundTimer(1, () => writeOn(to)); // the pool that asks is not made yet
}
