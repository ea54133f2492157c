/**
 * A thread of a model: synchronous code that stops at an access to shared memory, and goes on later by running again
 * from its start, with its own copy of the library, on the results it has recorded.
 */
import type { Library } from './library.js';
import type { Seam } from './seam.js';

/** Thrown through the checked code to stop it at an access; its own handlers let it pass (see load-source.ts). */
export const PAUSE = new Error('paused by the explorer');

/** Not begun. */
export const START = 0;
/** Before an access that others may be affected by. */
export const AT_ACCESS = 1;
/** In `wait`, or in `until`. */
export const BLOCKED = 2;
/** Its `wait` has ended; it has not gone on yet. */
export const WOKEN = 3;
export const ENDED = 4;

/** What a thread's body may ask of the model. */
export interface ThreadContext {
  /** Notes something down for the checks at the end, in this thread's order. */
  note(what: string): void;
  /** Reads and writes words of the model as atomics do. */
  readonly seam: Seam;
  /** Stops until the condition holds; a deadlock if it never does. `addresses` are the words it depends on. */
  until(addresses: readonly number[], holds: (words: Int32Array) => boolean): void;
  /** Runs the microtasks that the library has queued, and those that they queue. */
  drain(): void;
  /** Ends another thread of the model here and now. */
  kill(thread: number): void;
  /** The memory to hand to the library. */
  readonly buffer: SharedArrayBuffer;
}

export interface ThreadBody {
  readonly name: string;
  run(library: Library, context: ThreadContext): void;
}

export class VirtualThread {
  readonly index: number;
  readonly body: ThreadBody;
  status = START;
  /** Results of its accesses so far. */
  readonly log: (number | string)[] = [];
  /** Which accesses they are. */
  readonly accesses: number[] = [];
  /** How many of them the present run has used. */
  position = 0;
  /** Its present run has been stopped: all that it still does is to unwind. */
  stopped = false;
  /** Its next access was decided on already. */
  granted = false;
  readonly notes: string[] = [];
  notePosition = 0;
  /** Hash of its history. */
  low = 0;
  high = 0;
  /** Word it waits on, -1 for none. */
  waitsOn = -1;
  /** Whether its wait may time out. */
  mayTimeOut = false;
  /** What it waits for in `until`. */
  holds: ((words: Int32Array) => boolean) | undefined;
  clock = 0;
  readonly queue: (() => void)[] = [];

  constructor(index: number, body: ThreadBody) {
    this.index = index;
    this.body = body;
  }

  /** Runs from the start; returns when the thread ends, blocks or was stopped. */
  run(library: Library, context: ThreadContext): void {
    this.position = 0;
    this.notePosition = 0;
    this.clock = 0;
    this.queue.length = 0;
    this.stopped = false;
    this.granted = this.status === AT_ACCESS;
    try {
      this.body.run(library, context);
    } catch (error) {
      if (error !== PAUSE) throw error;
      return;
    }
    if (this.stopped) throw new Error(`${this.body.name} went on after it was stopped: a handler swallowed the pause`);
    this.status = ENDED;
  }

  note(what: string): void {
    if (this.stopped || this.notePosition++ < this.notes.length) return;
    this.notes.push(what);
  }

  remember(access: number, result: number | string): void {
    this.position = this.log.length;
    this.accesses[this.position++] = access;
    this.log.push(result);
  }
}
