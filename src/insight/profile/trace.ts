/** `trace`: what the threads of pools do when, in Chrome's trace event format; on the thread that owns the pools. */
import { isComputing, observeHere, observerHere } from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { mustBe, readOptions } from '../../core/options.js';
import { ProfileObserver, TRACED, TRACED_ALL } from './observer.js';
import type { ProfileAccount } from './totals.js';

/** What `trace` keeps. */
export interface TraceOptions {
  /**
   * `'apart'`, the default, keeps what a thread has taken: invocations, stolen tasks, chunks of algorithms, and joins that wait. `'all'` keeps every task that
   * is joined, too.
   */
  readonly tasks?: 'apart' | 'all' | undefined;
}

const CALL = 'trace(fn, options)';
const OPTIONS = { tasks: mustBe<'apart' | 'all'>((value) => value === 'apart' || value === 'all', "'apart' or 'all'") };

/** One process: the threads of all its pools. */
const PID = 1;

/** What threads have done. `JSON.stringify` gives the text of a file for Perfetto, the Firefox Profiler, speedscope, or `chrome://tracing`. */
export class Trace<R = unknown> {
  /** What `fn` returned. */
  readonly result: R;
  /** What was kept. */
  readonly events: number;
  /** What was not kept, because there were too many. */
  readonly dropped: number;
  readonly #account: ProfileAccount;

  /** @internal */
  constructor(account: ProfileAccount, result: R) {
    this.result = result;
    this.events = account.slices.length;
    this.dropped = account.dropped;
    this.#account = account;
  }

  /** In Chrome's trace event format. Slices of a thread nest, and the clocks of all threads are the same. */
  toJSON(): { readonly traceEvents: readonly object[]; readonly displayTimeUnit: 'ms'; readonly otherData: object } {
    const { slices, dropped } = this.#account;
    const threads = [...new Set(slices.map(([thread]) => thread))].sort();
    const firstUs = slices.reduce((least, [, , , startUs]) => Math.min(least, startUs), Number.POSITIVE_INFINITY);
    const names = threads.map((name, tid) => ({ ph: 'M', name: 'thread_name', pid: PID, tid, args: { name } }));
    const events = slices.map(([thread, name, cat, startUs, dur]) => {
      const at = { name, cat, ts: startUs - firstUs, pid: PID, tid: threads.indexOf(thread) };
      return cat === 'event' ? { ...at, ph: 'i', s: 't' } : { ...at, ph: 'X', dur };
    });
    return { traceEvents: [...names, ...events], displayTimeUnit: 'ms', otherData: { dropped } };
  }
}

/**
 * Keeps what the threads of pools do while a function runs, for a timeline: invocations, stolen tasks, chunks of algorithms, joins that wait, and when tasks are published and taken. Each
 * costs less than a microsecond, on the thread that does it. An asynchronous task shows up to its first `await`.
 *
 * @param fn called once; it may return a promise
 * @param options `{ tasks }`
 * @returns a trace: `writeFileSync('out.json', JSON.stringify(await trace(fn)))`
 * @throws what `fn` throws; TypeError naming the argument; Error inside a task, or while another `trace` or `profile` runs
 * @example
 * const traced = await trace(() => pool.invoke(new Fib(15)));
 * const text = JSON.stringify(traced);
 */
export async function trace<R>(fn: () => R, options: TraceOptions = {}): Promise<Trace<Awaited<R>>> {
  if (typeof fn !== 'function')
    throw new TypeError(`furcate: ${CALL} takes a function, and calls it; it was given ${show(fn)}.`);
  const { tasks = 'apart' } = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
  if (isComputing()) throw new Error('furcate: trace() inside a task. Trace what invokes the task.');
  if (observerHere() !== undefined)
    throw new Error('furcate: trace() while another trace() or profile() runs. Await the first one.');
  const observer = new ProfileObserver(tasks === 'all' ? TRACED_ALL : TRACED);
  observeHere(observer);
  let result: Awaited<R>;
  try {
    result = await fn();
  } finally {
    observeHere(undefined);
  }
  return new Trace(observer.now.account(), result);
}
