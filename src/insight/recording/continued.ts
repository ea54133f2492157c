/**
 * Parts in which a coroutine goes on after it has waited, on every thread that is recorded, where the platform tells of them (Node).
 *
 * A part is from the end of a wait to the begin of the next one. A wait that is over at once is none: a coroutine that awaits what is there goes on
 * in microtasks, which are one part. So a part is written when something else begins, or its coroutine ends.
 */
import { host } from '../../core/engine.js';
import { StrandContext } from '../strand-context.js';

/** An asynchronous task. */
export interface RecordedCoroutine {
  readonly number: number;
  /** Number of its name in the ring. */
  name: number;
}

/** The recorder of the thread, as its parts see it. */
export interface PartsPlace {
  nowUs(): number;
  /** Changes with everything that the thread notes. */
  events(): number;
  /** The thread goes on with a coroutine, until the function is called that it returns. */
  enter(coroutine: RecordedCoroutine): () => void;
  write(coroutine: RecordedCoroutine, startUs: number, endUs: number): void;
}

/** Shorter waits are none (microseconds): an empty turn of the event loop takes as long. */
const AT_ONCE_US = 50;

interface CoroutinePart {
  readonly coroutine: RecordedCoroutine;
  readonly startUs: number;
}

const contexts = new StrandContext<RecordedCoroutine>();

export class ContinuedParts {
  readonly #place: PartsPlace;
  /** Callbacks that run now, each within the one before. Undefined for code of no coroutine. */
  readonly #open: ((CoroutinePart & { leave(): void }) | undefined)[] = [];
  /** The latest one that is over, and is not written. */
  #last: (CoroutinePart & { readonly endUs: number; readonly events: number }) | undefined;
  #stop: (() => void) | undefined;

  constructor(place: PartsPlace) {
    this.#place = place;
  }

  /** Runs a body up to its first wait, and notes later parts. */
  run<R>(coroutine: RecordedCoroutine, body: () => R): R {
    this.#stop ??= host().recording?.().onContinued?.(this.#begins, this.#ends);
    return this.#stop === undefined ? body() : contexts.run(coroutine, body);
  }

  end(): void {
    this.written();
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #begins = (): void => {
    const coroutine = contexts.here();
    if (coroutine === undefined) {
      this.#open.push(undefined);
      return;
    }
    const us = this.#place.nowUs();
    const last = this.#last;
    const goesOn =
      last?.coroutine === coroutine && last.events === this.#place.events() && us - last.endUs < AT_ONCE_US;
    if (goesOn) this.#last = undefined;
    else this.written();
    this.#open.push({ coroutine, startUs: goesOn ? last.startUs : us, leave: this.#place.enter(coroutine) });
  };

  readonly #ends = (): void => {
    const part = this.#open.pop();
    if (part === undefined) return; // or it began before the thread was told of such things
    part.leave();
    this.written(); // what ran within it
    this.#last = { ...part, endUs: this.#place.nowUs(), events: this.#place.events() };
  };

  /** Writes what is over. */
  written(): void {
    const last = this.#last;
    this.#last = undefined;
    if (last !== undefined) this.#place.write(last.coroutine, last.startUs, last.endUs);
  }
}
