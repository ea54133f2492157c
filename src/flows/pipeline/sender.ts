/** Sends the items of a stage to workers, as tasks of one job; runs on the calling thread. */
import {
  arenaOfThread,
  bytesAt,
  type CallSignal,
  type Forkable,
  type Lease,
  moved,
  Pins,
  pack,
} from '../../core/engine.js';
import { type Place, STEPS } from './calls-task.js';
import type { StepsPlan } from './steps.js';

/** One of calls-task.ts, which answers so. */
type Task = object;

/** How one task is run. */
interface How {
  readonly signal: CallSignal;
  /** Those of the values that are items, whose buffers may be transferred; all of them by default. */
  readonly items?: readonly unknown[];
  /** Takes what the task reports while it runs; not in a scope. */
  readonly onReport?: (value: unknown) => void;
}

/** What runs for the items, and how they are sent. */
export interface SentPlan {
  readonly steps: StepsPlan;
  /** Names the buffers of an item that are of no more use on the calling thread. */
  readonly transfer: ((item: unknown) => unknown) | undefined;
}

export class Sender {
  readonly #lease: Lease;
  readonly #plan: StepsPlan;
  /** What errors call an item. */
  readonly #item: string;
  readonly #transfer: SentPlan['transfer'];
  readonly #arena = arenaOfThread();
  #job: ReturnType<Lease['open']> | undefined;

  constructor(lease: Lease, { steps, transfer }: SentPlan) {
    this.#lease = lease;
    this.#plan = steps;
    this.#transfer = transfer;
    this.#item = `an item for ${steps.steps[0]?.called}`;
  }

  /**
   * Runs a task with values, once they are packed.
   *
   * @throws what `transfer` throws, NotShareableError for a value that cannot travel, RangeError when the heap is full; nothing is sent then
   */
  send<A>(
    task: Task,
    values: readonly unknown[],
    { items = values, ...how }: How,
    ...more: readonly unknown[]
  ): Promise<A> {
    const option = `options.transfer of ${this.#plan.steps[0]?.stage}`;
    const detach = moved(this.#transfer, items, { option, value: () => 'an item' });
    const pins = new Pins();
    const { bytes, isMarked, codes } = pins.during(() => pack(values, () => this.#item));
    const { job, dependencies, at } = pins.during(() => {
      this.#job ??= this.#lease.open(STEPS, this.#plan);
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
    const answer = this.#lease.run(task as Forkable<never[], A>, [job.id, ...place, ...more], { ...how, dependencies });
    answer.then(ended, ended);
    return answer;
  }

  /** Runs a task that goes on with a generator on its worker. */
  goOn<A>(
    task: Task,
    { worker, rest }: { readonly worker: number; readonly rest: number },
    signal: CallSignal,
    count: number,
  ): Promise<A> {
    return this.#lease.run(task as Forkable<never[], A>, [rest, count], { dependencies: 0, signal, worker });
  }

  /** Runs a task of the job on each worker, one after the other. */
  async onEach(task: Task, workers: number, signal: CallSignal): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    for (let worker = 1; worker <= workers; worker++)
      await this.#lease.run(task as Forkable<never[], void>, [job.id], {
        dependencies: 0,
        signal,
        worker,
      });
  }

  /** Frees the job, when none of its tasks is left. */
  close(): void {
    this.#job?.close();
    this.#job = undefined;
  }
}
