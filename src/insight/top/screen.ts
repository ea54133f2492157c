/** The screen of `furcate top`: what processes say of their pools, as lines; in the command. */
import type { PoolNow, Snapshot, ThreadNow } from '../channels/snapshot.js';

/** Older ones tell of the past (milliseconds): the owner's event loop does not get to write. */
const OLD_MS = 2000;
const BAR = 20;

const share = (value: number): string => `${Math.round(value * 100)} %`.padStart(5);

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const duration = (ms: number): string => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`);

const rate = (value: number): string =>
  `${value >= 100 || value === 0 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)}/s`;

function threadLine({ name, busy, task, ms }: ThreadNow): string {
  const full = Math.round(busy * BAR);
  const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
  const runs = task === undefined ? 'idle' : `${task}${ms === undefined ? '' : `, ${duration(ms)}`}`;
  return `  ${name.padEnd(10)} ${bar} ${share(busy)}  ${runs}`;
}

function poolLines({ threads, ...pool }: PoolNow): string[] {
  const busy = threads.reduce((sum, one) => sum + one.busy, 0) / Math.max(1, threads.length);
  const counts = [
    `in flight ${pool.inFlight}`,
    `queued ${pool.queued}${pool.queued > 0 ? ` (${duration(pool.oldestWaitMs)})` : ''}`,
    `to steal ${pool.queueDepth}`,
    `waiting ${pool.waiting}`,
    `blocked ${pool.blocked}`,
  ];
  const rates = [`begun ${rate(pool.roots)}`, `stolen ${rate(pool.steals)}`, `found nothing ${rate(pool.emptySteals)}`];
  return [
    '',
    `pool ${pool.name}: ${pool.parallelism} ${pool.parallelism === 1 ? 'thread' : 'threads'}, busy ${share(busy).trim()}`,
    `  ${counts.join('   ')}`,
    `  ${rates.join('   ')}`,
    ...threads.map(threadLine),
  ];
}

function processLines({ pid, thread, program, takenMs, heapBytes, pools }: Snapshot, nowMs: number): string[] {
  const of = thread === 0 ? '' : `, thread ${thread}`;
  const ageMs = nowMs - takenMs;
  const late = ageMs < OLD_MS ? '' : `, ${duration(ageMs)} ago: its event loop is busy`;
  return [
    `${program} (${pid}${of}), heap ${megabytes(heapBytes)}${late}`,
    ...(pools.length === 0 ? ['', 'No pool has threads now.'] : pools.flatMap(poolLines)),
    '',
  ];
}

const visible = (line: string): string =>
  [...line].map((letter) => (letter < ' ' || letter === '\u007f' ? '?' : letter)).join('');

/** @param nowMs as `Date.now()` gives it @param width lines are cut there */
export const topScreen = (snapshots: readonly Snapshot[], nowMs: number, width = Number.POSITIVE_INFINITY): string =>
  snapshots
    .flatMap((snapshot) => processLines(snapshot, nowMs))
    .map((line) => visible(line).slice(0, width).trimEnd())
    .join('\n')
    .trimEnd();
