/** A thread, as a track of timelines; on the thread that owns the pools. */
import type { TimelineProcess, Track } from './chrome-events.js';
import { type RingMemory, RingReader } from './ring.js';
import { APART, ROOT, STOLEN, type TimelineEvent, TURN } from './timeline-event.js';

/** Takes a timeline. */
export interface TimelineSink {
  /** Time at which it begins, by the clock that all threads share. */
  readonly startUs: number;
  /** Takes what is known of this process by now. */
  process?(known: Omit<TimelineProcess, 'startUs'>): void;
  /** Names a thread, before an event refers to it. */
  name(track: Track): void;
  add(event: TimelineEvent, track: Track): void;
  /** So many events are lost. */
  drop(events: number): void;
  flush(): void;
}

let threads = 0;

const isTaken = (kind: number): boolean => kind === ROOT || kind === STOLEN || kind === APART;

export class ThreadTrack implements Track {
  readonly tid = threads++;
  readonly name: string;
  readonly other: Track['other'];
  readonly #reader: RingReader;
  /** True if it has given its event loop a turn since the last task that it has ended. */
  isAtRest = true;
  /** Sinks that know its name. */
  readonly #named = new WeakSet<TimelineSink>();

  constructor(name: string, memory: RingMemory, other: Track['other']) {
    this.name = name;
    this.other = other;
    this.#reader = new RingReader(memory);
  }

  /** Gives what the thread has written. */
  read(sinks: readonly TimelineSink[]): void {
    const lost = this.#reader.read((event) => {
      if (event.kind === TURN) this.isAtRest = true;
      else if (isTaken(event.kind)) this.isAtRest = false;
      for (const sink of sinks) this.#give(sink, event);
    });
    for (const sink of sinks) sink.drop(lost);
  }

  #give(sink: TimelineSink, event: TimelineEvent): void {
    if (event.startUs < sink.startUs) return; // it began earlier
    this.introduce(sink);
    sink.add(event, this);
  }

  /** Names it, before an event refers to it. */
  introduce(sink: TimelineSink): void {
    if (!this.#named.has(sink)) sink.name(this);
    this.#named.add(sink);
  }
}
