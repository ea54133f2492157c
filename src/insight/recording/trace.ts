/** `trace`: what the threads of pools do when, in Chrome's trace event format; on the thread that owns the pools. */
import { isComputing, observerHere, RECORDS } from '../../core/engine.js';
import { isRevoked, show } from '../../core/errors.js';
import { mustBe, readOptions } from '../../core/options.js';
import { type ChromeEvent, ChromeTimeline, namesOf, type Track } from './chrome-events.js';
import { DevtoolsSink } from './devtools-sink.js';
import { beginRecording, endRecording, untilHeard } from './hub.js';
import { clockUs } from './recorder.js';
import type { TimelineSink } from './thread-track.js';
import type { TimelineEvent } from './timeline-event.js';

/** Options of `trace`: what it keeps. */
export interface TraceOptions {
  /**
   * `'apart'`, the default, keeps what a thread has taken: invocations, stolen tasks, chunks of algorithms, and joins that wait. `'all'` keeps every task that
   * is joined, too.
   */
  readonly tasks?: 'apart' | 'all' | undefined;
  /** Show the timeline in the performance panel of Chromium's DevTools, too, while it is recorded. The panel must be recording. Default: false. */
  readonly devtools?: boolean | undefined;
}

const CALL = 'trace(fn, options)';
const OPTIONS = {
  tasks: mustBe<'apart' | 'all'>((value) => value === 'apart' || value === 'all', "'apart' or 'all'"),
  devtools: mustBe<boolean>((value) => typeof value === 'boolean', 'true or false'),
};

/** Most events of a trace that is kept in memory. */
export const MOST_EVENTS = 100_000;

/** A timeline in memory. */
class KeptTimeline implements TimelineSink {
  readonly startUs = clockUs();
  readonly #timeline = new ChromeTimeline(this.startUs);
  readonly names: ChromeEvent[] = [];
  readonly kept: ChromeEvent[] = [];
  dropped = 0;

  name(track: Track): void {
    this.names.push(...namesOf(track));
  }

  add(event: TimelineEvent, track: Track): void {
    for (const one of this.#timeline.eventsOf(event, track)) {
      if (this.kept.length < MOST_EVENTS) this.kept.push(one);
      else this.dropped++;
    }
  }

  drop(events: number): void {
    this.dropped += events;
  }

  flush(): void {}
}

/**
 * Record of what threads have done. `JSON.stringify` gives the text of a file for Perfetto, the Firefox Profiler, speedscope, or
 * `chrome://tracing`.
 */
export class Trace<R = unknown> {
  /** Result of `fn`. */
  readonly result: R;
  /** Number of events that were kept. */
  readonly events: number;
  /** Number of events that were not kept, because there was no room. */
  readonly dropped: number;
  readonly #timeline: KeptTimeline;

  /** @internal */
  constructor(timeline: KeptTimeline, result: R) {
    this.result = result;
    this.events = timeline.kept.length;
    this.dropped = timeline.dropped;
    this.#timeline = timeline;
  }

  /** In Chrome's trace event format. Slices of a thread nest, and the clocks of all threads are the same. */
  toJSON(): { readonly traceEvents: readonly object[]; readonly displayTimeUnit: 'ms'; readonly otherData: object } {
    const { names, kept, dropped } = this.#timeline;
    return { traceEvents: [...names, ...kept], displayTimeUnit: 'ms', otherData: { dropped } };
  }
}

/**
 * Keeps what the threads of pools do while a function runs, for a timeline: invocations, stolen tasks, chunks of algorithms, joins that wait, and when tasks are published and taken. Each
 * costs less than a microsecond, on the thread that does it. On Node the workers are waited for at the end, at most a tenth of a second: they hear of the garbage that they have collected in a turn of their event loop.
 *
 * @param fn called once; it may return a promise
 * @param options `{ tasks, devtools }`
 * @returns a trace: `writeFileSync('out.json', JSON.stringify(await trace(fn)))`
 * @throws what `fn` throws; TypeError naming the argument; Error inside a task, or while a `profile` runs
 * @example
 * const traced = await trace(() => pool.invoke(new Fib(15)));
 * const text = JSON.stringify(traced);
 */
export async function trace<R>(fn: () => R, options: TraceOptions = {}): Promise<Trace<Awaited<R>>> {
  if (typeof fn !== 'function' || isRevoked(fn))
    throw new TypeError(`furcate: ${CALL} takes a function, and calls it; it was given ${show(fn)}.`);
  const { tasks = 'apart', devtools = false } = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
  if (isComputing()) throw new Error('furcate: trace() inside a task. Trace what invokes the task.');
  if ((observerHere()?.mode ?? RECORDS) !== RECORDS)
    throw new Error('furcate: trace() while a profile() runs. Await the profile first.');
  const sink = new KeptTimeline();
  const sinks = [sink, ...(devtools ? [new DevtoolsSink(MOST_EVENTS)] : [])];
  const recordings = sinks.map((one) => ({ sink: one, wantsAll: tasks === 'all', wants: () => true }));
  recordings.forEach(beginRecording);
  let result: Awaited<R>;
  try {
    result = await fn();
  } finally {
    await untilHeard();
    recordings.forEach(endRecording);
  }
  return new Trace(sink, result);
}
