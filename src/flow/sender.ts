/** Sends values to workers, as tasks of one job; runs on the calling thread. */
import {
  arenaOfThread,
  bytesAt,
  type CallSignal,
  type Forkable,
  type JobKind,
  type Lease,
  moved,
  type Parcel,
  Pins,
  pack,
} from '../core/engine.js';
import type { Place } from './cargo.js';

/** A task, whose result is a parcel. */
type Task = object;

/** How one task is run. */
export interface How {
  readonly signal: CallSignal;
  /** Takes what the task reports while it runs; not in a scope. */
  readonly onReport?: (value: unknown) => void;
}

/** What runs for the values. */
export interface Job<Spec extends object> {
  readonly kind: JobKind<Spec, unknown>;
  readonly spec: Spec;
  /** Names the buffers of a value that are of no more use on the calling thread. */
  readonly transfer: ((value: unknown) => unknown) | undefined;
  /** What errors call the option `transfer`. */
  readonly option: string;
}

/** Values that are packed, and not sent yet. */
export interface Load {
  readonly parcel: Parcel;
  /** The arrays that they name. */
  readonly pins: Pins;
  /** Takes the buffers away that the calling thread needs no more. */
  detach(): void;
}

/** What errors call values, by their positions. */
interface Names {
  packed(k: number): string;
  moved(k: number): string;
}

export class Sender<Spec extends object> {
  readonly #lease: Lease;
  readonly #of: Job<Spec>;
  readonly #arena = arenaOfThread();
  #job: ReturnType<Lease['open']> | undefined;

  constructor(lease: Lease, of: Job<Spec>) {
    this.#lease = lease;
    this.#of = of;
  }

  /** Whether a task was sent. */
  get hasSent(): boolean {
    return this.#job !== undefined;
  }

  /**
   * @param movable those of the values whose buffers may be transferred
   * @throws what `transfer` throws, NotShareableError for a value that cannot travel
   */
  pack(values: readonly unknown[], names: Names, movable = values): Load {
    const { transfer, option } = this.#of;
    const detach = moved(transfer, movable, { option, value: names.moved });
    const pins = new Pins();
    return { parcel: pins.during(() => pack(values, names.packed)), pins, detach };
  }

  /** @throws RangeError when the heap is full; nothing is sent then */
  send(task: Task, { parcel, pins, detach }: Load, how: How, ...more: readonly unknown[]): Promise<Parcel> {
    const { bytes, isMarked, codes } = parcel;
    const { job, dependencies, at } = pins.during(() => {
      this.#job ??= this.#lease.open(this.#of.kind, this.#of.spec);
      const dependencies = this.#job.dependenciesWith(codes);
      return { job: this.#job, dependencies, at: this.#arena.allocate(bytes.byteLength) }; // the last thing that a full heap refuses
    });
    bytesAt(at, bytes.byteLength).set(bytes); // plain: published with the task
    detach();
    const place: Place = [at, bytes.byteLength, isMarked];
    const ended = (): void => {
      this.#arena.free(at);
      pins.release();
    };
    const args = [job.id, ...place, ...more];
    const answer = this.#lease.run(task as Forkable<never[], Parcel>, args, { ...how, dependencies });
    answer.then(ended, ended);
    return answer;
  }

  /** Runs a task that goes on with a generator on its worker. */
  goOn(
    task: Task,
    { worker, rest }: { readonly worker: number; readonly rest: number },
    signal: CallSignal,
    count: number,
  ): Promise<Parcel> {
    return this.#lease.run(task as Forkable<never[], Parcel>, [rest, count], { dependencies: 0, signal, worker });
  }

  /** Runs a task of the job on each worker, one after the other. */
  async onEach(task: Task, workers: number, signal: CallSignal): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    for (let worker = 1; worker <= workers; worker++)
      await this.#lease.run(task as Forkable<never[], void>, [job.id], { dependencies: 0, signal, worker });
  }

  /** Frees the job, when none of its tasks is left. */
  close(): void {
    this.#job?.close();
    this.#job = undefined;
  }
}
