/**
 * Health of the host in this process, for the probes of Kubernetes: whether it lives, and whether it takes jobs. The main thread writes it into shared memory,
 * and the thread that serves the probes reads it there.
 */
import { add, load, store, sub } from '../../core/memory/atomics.js';
import { listen } from '../host/host-events.js';
import { startPulse } from '../host/pulse.js';

const STAGES = ['starting', 'ready', 'ending', 'ended'] as const;
type LifeStage = (typeof STAGES)[number];

export interface Health {
  /** `blocked`: a job blocks the main thread. */
  readonly state: LifeStage | 'without server' | 'blocked';
  readonly host: string;
  /** Jobs that it has. */
  readonly jobs: number;
  /** Time for which the main thread has been blocked (milliseconds): it takes no jobs meanwhile. */
  readonly blockedMs: number;
}

/** The words: how often the main thread has shown that it turns; the stage; whether the server is away; the jobs. All written by the main thread only. */
export const W_PULSE = 0;
const W_STAGE = 1;
const W_AWAY = 2;
const W_JOBS = 3;
const WORDS = 4;

/** Follows the events of the one host in this process. @returns the words */
export function watchHealth(): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  startPulse(words, W_PULSE);
  listen((name) => {
    const stage = STAGES.indexOf(name as LifeStage);
    if (stage >= 0) store(words, W_STAGE, stage);
    if (name === 'server-gone') store(words, W_AWAY, 1);
    if (name === 'server-back' || name === 'ready') store(words, W_AWAY, 0);
    if (name === 'job-begun') add(words, W_JOBS, 1);
    else if (name.startsWith('job-')) sub(words, W_JOBS, 1);
  });
  return words;
}

export function healthIn(words: Int32Array, seen: Pick<Health, 'host' | 'blockedMs'>): Health {
  const stage = STAGES[load(words, W_STAGE)] as LifeStage;
  const isBlocked = seen.blockedMs > 0 && stage !== 'ended';
  const isAway = stage === 'ready' && load(words, W_AWAY) === 1;
  const state = isBlocked ? 'blocked' : isAway ? 'without server' : stage;
  return { state, jobs: load(words, W_JOBS), ...seen };
}
