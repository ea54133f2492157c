/**
 * The part `channels`: tells monitoring what pools do, by channels of `node:diagnostics_channel`; on threads that own pools, once somebody has subscribed.
 *
 * Messages are published at once, in the asynchronous context of the call: `AsyncLocalStorage` and tracers that rest on it see the caller's.
 */
import { host, install, type Told } from '../../core/engine.js';
import { watch } from './monitor.js';

/** Message of `furcate:invoke`: the same object when the invocation begins, and when it has ended. */
export interface InvokeMessage {
  readonly pool: string;
  /** The class, function or algorithm. */
  readonly task: string;
  phase: 'begin' | 'end';
  /** From the call to the end; undefined before. */
  ms: number | undefined;
  /** Error with which it has failed; undefined otherwise. */
  error: unknown;
}

/** Time between two messages of `furcate:steal` about one pool, at least (milliseconds). */
const SAMPLE_MS = 100;

const publish = (name: string, message: object): void => {
  const channel = host().channel?.(`furcate:${name}`);
  if (channel?.hasSubscribers === true) channel.publish(message);
};

/** Of each pool. */
const sampled = new WeakMap<object, { readonly ms: number; readonly counts: ReturnType<Told['counts']> }>();
type Steals = 'stolen' | 'failedSteals' | 'emptySteals';

function sample({ of, pool, counts }: Told): void {
  if (host().channel?.('furcate:steal').hasSubscribers !== true) return;
  const nowMs = host().nowMs();
  const last = sampled.get(of);
  if (last !== undefined && nowMs - last.ms < SAMPLE_MS) return;
  const now = counts();
  sampled.set(of, { ms: nowMs, counts: now });
  const since = (name: Steals): number => now[name] - (last?.counts[name] ?? 0);
  publish('steal', {
    pool,
    ms: last === undefined ? undefined : nowMs - last.ms,
    stolen: since('stolen'),
    failedSteals: since('failedSteals'),
    emptySteals: since('emptySteals'),
  });
}

function invoked(told: Told, task: string, result: Promise<unknown>): void {
  const startMs = host().nowMs();
  const message: InvokeMessage = { pool: told.pool, task, phase: 'begin', ms: undefined, error: undefined };
  publish('invoke', message);
  const ended = (error?: unknown): void => {
    Object.assign(message, { phase: 'end', ms: host().nowMs() - startMs, error });
    publish('invoke', message);
    sample(told);
  };
  result.then(() => ended(), ended);
}

install({
  watched: watch,
  told(what) {
    const { pool, task, result, crash } = what;
    if (crash !== undefined) {
      const { worker, exitCode, endedBecause } = crash;
      publish('crash', { pool, worker: worker.name, exitCode, error: worker.error, because: endedBecause });
    }
    if (task !== undefined && result !== undefined) invoked(what, task, result);
  },
});
