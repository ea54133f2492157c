/** Events of a timeline in Chrome's trace event format, which Perfetto, the Firefox Profiler and speedscope read; on the thread that owns the pools. */
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  GAUGE,
  HEAP,
  INSTANTS,
  INVOCATION,
  JOB,
  LOST_STEAL,
  NODE,
  OVERLAPPING,
  PUBLISHED,
  QUEUE_DEPTH,
  QUEUED,
  READY,
  RECLAIMED,
  ROOT,
  SLEEP,
  SLEEPERS,
  STOLEN,
  TASK,
  type TimelineEvent,
  TURN,
  UNITS,
  WAIT,
  WAITED,
} from './timeline-event.js';

/** One event, as in the file. */
export interface ChromeEvent {
  /**
   * Kind of the event: `X` a slice, `i` an instant, `s` and `f` the ends of an arrow, `b` and `e` the ends of what others overlap, `C` a count, `M` a
   * name.
   */
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  /** Microseconds since the begin of the timeline. */
  readonly ts?: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid?: number;
  readonly id?: number;
  readonly [more: string]: unknown;
}

/** A thread of the timeline. */
export interface Track {
  readonly tid: number;
  readonly name: string;
  /** The track of another slot of the same worker group. */
  readonly other: (slot: number) => Track | undefined;
  /** Its process, where the timeline has several: 0 is the first. */
  readonly process?: number | undefined;
}

/** A comparison of the clock of a process with another one. */
export interface ClockMeasure {
  /** Its time, since the begin of the timeline. */
  readonly atUs: number;
  /** The time by which the other clock is ahead, and by how much that may be wrong. */
  readonly offsetUs: number;
  readonly errorUs: number;
}

/** A process whose threads are on a timeline. */
export interface TimelineProcess {
  readonly name: string;
  /** Begin of the timeline, by the clock of the process: microseconds since 1970; 0 if that is not known. */
  readonly startUs: number;
  /** Comparisons with the clock that all processes of a cluster know. */
  readonly clocks: readonly ClockMeasure[];
}

/** Names that programs look for in such files, whatever has the name: the Firefox Profiler cannot open one with a task `Profile`. */
const TAKEN: readonly string[] = [
  ...['Profile', 'ProfileChunk', 'CpuProfile', 'Screenshot', 'ScriptCatchup', 'TracingStartedInBrowser'],
  ...['thread_name', 'thread_sort_index', 'process_name', 'process_sort_index', 'process_labels'],
];

/** The number of a process. */
const pidOf = (process = 0): number => process + 1;

export const CATEGORIES: Readonly<Record<number, string>> = {
  [ROOT]: 'root',
  [STOLEN]: 'stolen',
  [APART]: 'apart',
  [TASK]: 'task',
  [UNITS]: 'units',
  [WAIT]: 'wait',
  [SLEEP]: 'sleep',
  [TURN]: 'turn',
  [CODE]: 'code',
  [GARBAGE]: 'garbage',
  [COPY]: 'copy',
  [PUBLISHED]: 'event',
  [RECLAIMED]: 'event',
  [LOST_STEAL]: 'event',
  [INVOCATION]: 'invocation',
  [COROUTINE]: 'coroutine',
  [CONTINUED]: 'continued',
  [NODE]: 'node',
  [READY]: 'event',
  [WAITED]: 'waited',
  [JOB]: 'job',
};

/** Names, in files, of the number that an event is about. */
export const ABOUT: Readonly<Record<number, string>> = {
  [UNITS]: 'elements',
  [INVOCATION]: 'bytes',
  [COPY]: 'bytes',
  [NODE]: 'node',
  [READY]: 'node',
  [CONTINUED]: 'coroutine',
  [WAITED]: 'items',
  [JOB]: 'job',
};
/** The units of counts. */
export const COUNTS: Readonly<Record<number, string>> = {
  [QUEUE_DEPTH]: 'tasks',
  [QUEUED]: 'invocations',
  [SLEEPERS]: 'threads',
  [HEAP]: 'MB',
  [GAUGE]: 'count',
};

/** Events that name a thread, and its place among the others. */
export const namesOf = ({ tid, name, process }: Track): ChromeEvent[] => [
  { ph: 'M', name: 'thread_name', pid: pidOf(process), tid, args: { name } },
  { ph: 'M', name: 'thread_sort_index', pid: pidOf(process), tid, args: { sort_index: tid } },
];

export const nameOfProcess = (process: number, name: string): ChromeEvent => ({
  ph: 'M',
  name: 'process_name',
  pid: pidOf(process),
  tid: 0,
  args: { name },
});

export class ChromeTimeline {
  /** By the clock that all threads share. */
  readonly startUs: number;
  /** Arrows, and what overlaps others and has no number. */
  #numbers = 0;

  constructor(startUs: number) {
    this.startUs = startUs;
  }

  /** In whole nanoseconds, so that what ends within another slice does so to the last digit, too. */
  #nanoseconds(us: number): number {
    return Math.round((us - this.startUs) * 1000);
  }

  /** An event as the format has it: several, where it takes several. */
  eventsOf({ kind, name: called, module, startUs, us, about }: TimelineEvent, track: Track): ChromeEvent[] {
    const name = TAKEN.includes(called) ? `${called}()` : called;
    const cat = CATEGORIES[kind];
    const begin = this.#nanoseconds(startUs);
    const at = { pid: pidOf(track.process), tid: track.tid, ts: begin / 1000 };
    const unit = COUNTS[kind];
    if (unit !== undefined) {
      const value = kind === HEAP ? us / 1e6 : us;
      return [{ ph: 'C', name: `${name}: ${kind === GAUGE ? module : track.name}`, ...at, args: { [unit]: value } }];
    }
    if (kind === READY) return [{ ph: 'i', name, cat, ...at, s: 't', args: { node: about, after: us } }];
    if (Object.values(INSTANTS).includes(kind)) return [{ ph: 'i', name, cat, ...at, s: 't' }];
    const end = this.#nanoseconds(startUs + us);
    const from = kind === STOLEN ? track.other(about) : undefined;
    const args = {
      ...(module === '' ? {} : { module }),
      ...(ABOUT[kind] === undefined ? {} : { [ABOUT[kind]]: about }),
      ...(from === undefined ? {} : { from: from.name }),
    };
    const told = Object.keys(args).length > 0 ? { args } : {};
    if (OVERLAPPING.includes(kind)) {
      const id = ABOUT[kind] === undefined ? track.tid * 2 ** 32 + about : ++this.#numbers;
      const both = { name, cat, ...at, id };
      return [
        { ph: 'b', ...both, ...told },
        { ph: 'e', ...both, ts: end / 1000 },
      ];
    }
    const slice = { ph: 'X', name, cat, ...at, dur: (end - begin) / 1000, ...told };
    return from === undefined ? [slice] : [slice, ...this.#arrow(from, slice)];
  }

  /**
   * From the victim to the slice of the thief. Perfetto drops arrows that begin in no slice, and the victim may be between two, or its slice was lost, or goes on
   * when the file ends. So each arrow has a slice without length to begin in.
   */
  #arrow(
    from: Track,
    { name, pid, tid, ts }: ChromeEvent & { readonly tid: number; readonly ts: number },
  ): ChromeEvent[] {
    const id = ++this.#numbers;
    const both = { name: 'steal', cat: 'steal', id };
    const begin = { pid, tid: from.tid, ts };
    return [
      { ph: 'X', name: 'stolen', cat: 'event', ...begin, dur: 0, args: { task: name } },
      { ph: 's', ...both, ...begin },
      { ph: 'f', ...both, pid, tid, ts, bp: 'e' },
    ];
  }
}
