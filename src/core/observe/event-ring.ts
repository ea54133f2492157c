/**
 * The latest events of a thread, in shared memory: its thread writes, and an observer on any thread reads.
 *
 * Rules: only the writer stores the head. **E1** It writes an event, then stores the head; a reader loads the head, then reads events. The
 * writer overwrites the oldest event without asking, so a reader loads the head again after it has read, and drops what may have been overwritten
 * meanwhile: all but the latest `capacity - 1` events of that head.
 */
import { load, store } from '../memory/atomics.js';
import { host } from '../platform/host.js';
import { COUNTERS, type CounterName } from './counters.js';

/** Takes events: a ring, or what a test puts in its place. */
export interface EventSink {
  /** @param forks the forks of this thread so far (modulo 2^30): each event says how many there were since the one before */
  put(event: CounterName, amount: number, about: number, forks: number): void;
}

export interface Event {
  readonly event: CounterName;
  readonly amount: number;
  readonly about: number;
  readonly forks: number;
  /** By the clock of the thread (microseconds, modulo 2^32). */
  readonly us: number;
}

const EVENT_WORDS = 5;
const HEADER_WORDS = 1;

/** The ring of one thread. An extension sets it as the `ring` of its worker; any thread may read it. */
export class EventRing implements EventSink {
  readonly #words: Int32Array;
  readonly #capacity: number;

  /** Words for a ring of so many events, a power of two, so that it stays right when the head wraps at 2^32. */
  static wordsFor(capacity: number): number {
    if (Math.log2(capacity) % 1 !== 0) throw new RangeError(`furcate: a ring has 2^k events, not ${capacity}.`);
    return HEADER_WORDS + capacity * EVENT_WORDS;
  }

  /** @param words in shared memory, as many as `wordsFor` says; zero at first */
  constructor(words: Int32Array) {
    this.#words = words;
    this.#capacity = (words.length - HEADER_WORDS) / EVENT_WORDS;
  }

  #at(index: number): number {
    return HEADER_WORDS + ((index >>> 0) & (this.#capacity - 1)) * EVENT_WORDS;
  }

  put(event: CounterName, amount: number, about: number, forks: number): void {
    const words = this.#words;
    const head = words[0]; // plain: sole writer
    const at = this.#at(head);
    words[at] = COUNTERS.indexOf(event); // plain, as those below: published by E1
    words[at + 1] = amount;
    words[at + 2] = about;
    words[at + 3] = forks;
    words[at + 4] = host().nowMs() * 1000; // plain; wraps
    store(words, 0, (head + 1) | 0); // E1
  }

  /** How many events were put in (modulo 2^32). */
  get head(): number {
    return load(this.#words, 0) >>> 0;
  }

  /** The events from a head on, the oldest first, without those that were overwritten. */
  since(head: number): Event[] {
    const words = this.#words;
    const end = load(words, 0); // E1
    const count = Math.min((end - head) >>> 0, this.#capacity - 1);
    const events: Event[] = [];
    for (let back = count; back > 0; back--) {
      const at = this.#at(end - back);
      const [event, amount, about, forks, us] = words.subarray(at, at + EVENT_WORDS); // plain: dropped below if it was overwritten
      events.push({ event: COUNTERS[event] as CounterName, amount, about, forks, us: us >>> 0 });
    }
    const overwritten = ((load(words, 0) - end) >>> 0) + 1 + count - this.#capacity;
    return events.slice(Math.max(0, overwritten));
  }
}
