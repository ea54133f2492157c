/** A timeline in the performance panel of Chromium's DevTools, while it is recorded: by `performance.measure` with `devtools` in its detail. On the thread that owns the pools. */
import { ABOUT, type Track } from './chrome-events.js';
import { clockUs, performanceMsOf } from './recorder.js';
import type { TimelineSink } from './thread-track.js';
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  INSTANTS,
  INVOCATION,
  JOB,
  NODE,
  OVERLAPPING,
  ROOT,
  SLEEP,
  STOLEN,
  TASK,
  type TimelineEvent,
  TURN,
  UNITS,
  WAIT,
  WAITED,
} from './timeline-event.js';

/** Names of colours in DevTools. */
const COLOURS: Readonly<Record<number, string>> = {
  [ROOT]: 'primary',
  [STOLEN]: 'secondary',
  [APART]: 'primary-light',
  [TASK]: 'primary-light',
  [UNITS]: 'tertiary',
  [WAIT]: 'secondary-light',
  [SLEEP]: 'tertiary-light',
  [TURN]: 'tertiary-light',
  [CODE]: 'secondary-dark',
  [COPY]: 'secondary-dark',
  [GARBAGE]: 'error',
  [INVOCATION]: 'primary-dark',
  [COROUTINE]: 'primary-dark',
  [NODE]: 'primary-light',
  [CONTINUED]: 'primary-light',
  [WAITED]: 'secondary-light',
  [JOB]: 'primary-dark',
};

/** The group of tracks in the panel. */
const GROUP = 'Furcate';

export class DevtoolsSink implements TimelineSink {
  readonly startUs = clockUs();
  readonly #most: number;
  #shown = 0;
  /** Events that are not shown, since there were too many. */
  dropped = 0;

  /** @param most so many are shown: the browser keeps them all, until the page calls `performance.clearMeasures()` */
  constructor(most: number) {
    this.#most = most;
  }

  name(): void {} // each entry names its track

  add({ kind, name, module, startUs, us, about }: TimelineEvent, track: Track): void {
    const isInstant = Object.values(INSTANTS).includes(kind);
    const color = COLOURS[kind];
    if (color === undefined && !isInstant) return; // a count
    if (this.#shown === this.#most) {
      this.dropped++;
      return;
    }
    this.#shown++;
    const start = performanceMsOf(startUs);
    const from = kind === STOLEN ? track.other(about)?.name : undefined;
    const properties = [
      ...(module === '' ? [] : [['module', module]]),
      ...(ABOUT[kind] === undefined ? [] : [[ABOUT[kind], String(about)]]),
      ...(from === undefined ? [] : [['stolen from', from]]),
    ];
    // What overlaps others of its thread has a track of its own.
    const of = OVERLAPPING.includes(kind) ? `${track.name}: invocations` : track.name;
    const entry = {
      dataType: 'track-entry',
      track: of,
      trackGroup: GROUP,
      color: color ?? 'tertiary-dark',
      properties,
    };
    performance.measure(name, { start, end: start + (isInstant ? 0 : us / 1000), detail: { devtools: entry } });
  }

  drop(events: number): void {
    this.dropped += events;
  }

  flush(): void {}
}
