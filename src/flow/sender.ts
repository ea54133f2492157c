/** Sends values to workers, as tasks of one job; runs on the calling thread. */
import {
  arenaOfThread,
  bytesAt,
  type Call,
  type CallSignal,
  type Forkable,
  type JobKind,
  moved,
  type Parcel,
  Pins,
  pack,
} from '../core/engine.js';
import type { ParcelPlace } from './cargo.js';

/** A task, whose result is a parcel. */
type ParcelTask = object;

/** Options of one task's run. */
export interface How {
  readonly signal: CallSignal;
  /** Takes what the task reports while it runs; not in a scope. */
  readonly onReport?: (value: unknown) => void;
  /** Takes the answer of a task that was cancelled, and has come to its end in spite of that; not in a scope. */
  readonly onLate?: (answer: Parcel) => void;
}

/** A task that goes on with what an earlier one has left on a worker. */
interface LaterTask extends How {
  readonly worker: number;
}

/** Job that runs for the values. */
export interface SenderJob<Spec extends object> {
  readonly kind: JobKind<Spec, unknown>;
  readonly spec: Spec;
  /** Names the buffers of a value that are of no more use on the calling thread. */
  readonly transfer: ((value: unknown) => unknown) | undefined;
  /** Name of the option `transfer` for error messages. */
  readonly option: string;
  /** Name of its tasks for error messages. */
  readonly called: string;
}

/** Values that are packed, and not sent yet. */
export interface Load {
  readonly parcel: Parcel;
  /** The arrays that they name. */
  readonly pins: Pins;
  /** Ports and the like, which go to the worker that gets the values. */
  readonly moves: ReturnType<typeof moved>['moves'];
  /** Takes the buffers away that the calling thread needs no more. */
  detach(): void;
}

/** Names of values for error messages, by their positions. */
interface ValueNames {
  packed(k: number): string;
  moved(k: number): string;
}

/**
 * Applies `make` to values, or to fewer of them, from the first on, if one cannot travel: those before it do.
 *
 * @param unit fewer of them are a multiple of it
 * @throws what `make` throws when no fewer are left
 */
export function ofMost<V, R>(values: readonly V[], unit: number, make: (some: readonly V[]) => R): [readonly V[], R] {
  for (let some = values; ; ) {
    try {
      return [some, make(some)];
    } catch (error) {
      const half = Math.floor(some.length / 2 / unit) * unit;
      if (half === 0) throw error;
      some = values.slice(0, half);
    }
  }
}

export class Sender<Spec extends object> {
  readonly #call: Call;
  readonly #of: SenderJob<Spec>;
  readonly #arena = arenaOfThread();
  #job: ReturnType<Call['open']> | undefined;
  #inFlight = 0;
  #isClosing = false;

  constructor(call: Call, of: SenderJob<Spec>) {
    this.#call = call;
    this.#of = of;
  }

  /** Number of tasks that have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** True once a task was sent. */
  get hasSent(): boolean {
    return this.#job !== undefined;
  }

  /**
   * @param movable those of the values whose buffers may be transferred
   * @throws what `transfer` throws, NotShareableError for a value that cannot travel
   */
  pack(values: readonly unknown[], names: ValueNames, movable = values): Load {
    const { transfer, option } = this.#of;
    const { moves, during, detach } = moved(transfer, movable, { option, value: names.moved });
    if (moves !== undefined) this.#call.requireOwner(option);
    const pins = new Pins();
    const parcel = pins.during(() => during(() => pack(values, names.packed)));
    return { parcel, pins, moves, detach };
  }

  /** @throws RangeError when the heap is full; nothing is sent then */
  send(
    task: ParcelTask,
    { parcel, pins, moves, detach }: Load,
    how: How,
    ...more: readonly unknown[]
  ): Promise<Parcel> {
    const { bytes, isMarked, codes } = parcel;
    const { job, dependencies, at } = pins.during(() => {
      this.#job ??= this.#call.open(this.#of.kind, this.#of.spec);
      const dependencies = this.#job.dependenciesWith(codes);
      return { job: this.#job, dependencies, at: this.#arena.allocate(bytes.byteLength) }; // the last thing that a full heap refuses
    });
    bytesAt(at, bytes.byteLength).set(bytes); // plain: published with the task
    detach();
    const place: ParcelPlace = [at, bytes.byteLength, isMarked];
    return this.#run(task, [job.id, ...place, ...more], { ...how, moves, dependencies }, () => {
      this.#arena.free(at);
      pins.release();
    });
  }

  #run(task: ParcelTask, args: unknown[], how: Parameters<Call['run']>[2], onEnd: () => void): Promise<Parcel> {
    this.#inFlight++;
    const { called } = this.#of;
    const answer = this.#call.run(task as Forkable<never[], Parcel>, args, { ...how, called });
    const ended = (): void => {
      onEnd();
      this.#inFlight--;
      this.#closeIfIdle();
    };
    answer.then(ended, ended);
    return answer;
  }

  /** Runs a task on the worker where an earlier one has left something, without values. */
  goOn(task: ParcelTask, how: LaterTask, ...more: readonly unknown[]): Promise<Parcel> {
    const args = [this.#job?.id, ...more];
    return this.#run(task, args, { ...how, dependencies: 0 }, () => {});
  }

  /** Frees the job, once none of its tasks is left. */
  close(): void {
    this.#isClosing = true;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (!this.#isClosing || this.#inFlight > 0) return;
    this.#job?.close();
    this.#job = undefined;
  }
}
