/** A timeline as text in Chrome's trace event format; on the thread that owns the pools, and in the command that makes such text of a binary file. */
import {
  type ChromeEvent,
  ChromeTimeline,
  nameOfProcess,
  namesOf,
  type TimelineProcess,
  type Track,
} from './chrome-events.js';
import type { TimelineEvent } from './timeline-event.js';

const encoder = new TextEncoder();

/** Format of a written timeline. What is taken stands behind what was taken before. */
export interface TimelineFormat {
  readonly begin: Uint8Array;
  /** Size of what waits to be taken: bytes, or about as many. */
  readonly size: number;
  /** Says what is known of a process by now; before its threads are named. @param process its number; 0 is the first */
  process(process: number, known: TimelineProcess): void;
  /** Names a thread, before an event refers to it. */
  name(track: Track): void;
  add(event: TimelineEvent, track: Track): void;
  /** Returns what was added since the last call. */
  take(): Uint8Array;
  /** Returns what makes a whole file of all that was taken. @param dropped so many events were lost */
  end(dropped: number): Uint8Array;
}

export class JsonFormat implements TimelineFormat {
  readonly begin = encoder.encode('{"displayTimeUnit":"ms","traceEvents":[');
  readonly #timeline: ChromeTimeline;
  #text = '';
  #isFirst = true;
  readonly #processes: TimelineProcess[] = [];

  /** @param startUs when the timeline begins, by the clock that all threads share */
  constructor(startUs: number) {
    this.#timeline = new ChromeTimeline(startUs);
  }

  get size(): number {
    return this.#text.length;
  }

  process(process: number, known: TimelineProcess): void {
    if (this.#processes[process]?.name !== known.name) this.#put(nameOfProcess(process, known.name));
    this.#processes[process] = known;
  }

  name(track: Track): void {
    for (const event of namesOf(track)) this.#put(event);
  }

  add(event: TimelineEvent, track: Track): void {
    for (const one of this.#timeline.eventsOf(event, track)) this.#put(one);
  }

  #put(event: ChromeEvent): void {
    this.#text += `${this.#isFirst ? '\n' : ',\n'}${JSON.stringify(event)}`;
    this.#isFirst = false;
  }

  take(): Uint8Array {
    const text = this.#text;
    this.#text = '';
    return encoder.encode(text);
  }

  end(dropped: number): Uint8Array {
    const other = { dropped, ...(this.#processes.length === 0 ? {} : { processes: this.#processes }) };
    return encoder.encode(`\n],"otherData":${JSON.stringify(other)}}\n`);
  }
}
