/** Sends the items of a stage to workers, as tasks of one job; runs on the calling thread. */
import {
  arenaOfThread,
  type AsyncForkable,
  bytesAt,
  type CallSignal,
  type Forkable,
  type Lease,
  Pins,
  pack,
  unpack,
} from '../../core/engine.js';
import { type Place, STEPS } from './calls-task.js';
import type { StepsPlan } from './steps.js';

type Task<A> = Forkable<never[], A> | AsyncForkable<never[], A>;

export class Sender {
  readonly #lease: Lease;
  readonly #plan: StepsPlan;
  /** What errors call an item. */
  readonly #item: string;
  readonly #arena = arenaOfThread();
  #job: ReturnType<Lease['open']> | undefined;

  constructor(lease: Lease, plan: StepsPlan) {
    this.#lease = lease;
    this.#plan = plan;
    this.#item = `an item for ${plan.steps[0]?.called}`;
  }

  /**
   * Runs a task with values, once they are packed.
   *
   * @throws NotShareableError for a value that cannot travel, RangeError when the heap is full; nothing is sent then
   */
  send<A>(task: Task<A>, values: readonly unknown[], signal: CallSignal, ...more: readonly unknown[]): Promise<A> {
    const pins = new Pins();
    const { bytes, isMarked, codes } = pins.during(() => pack(values, () => this.#item));
    const { job, dependencies, at } = pins.during(() => {
      this.#job ??= this.#lease.open(STEPS, this.#plan);
      const dependencies = this.#job.dependenciesWith(codes);
      return { job: this.#job, dependencies, at: this.#arena.allocate(bytes.byteLength) }; // the last thing that a full heap refuses
    });
    bytesAt(at, bytes.byteLength).set(bytes); // plain: published with the task
    const place: Place = [at, bytes.byteLength, isMarked];
    const ended = (): void => {
      this.#arena.free(at);
      pins.release();
    };
    const answer = this.#lease.run(task, [job.id, ...place, ...more], { dependencies, signal });
    answer.then(ended, ended);
    return answer;
  }

  /** Runs a task that goes on with a generator on its worker. */
  goOn<A>(
    task: Task<A>,
    { worker, rest }: { readonly worker: number; readonly rest: number },
    signal: CallSignal,
    count: number,
  ): Promise<A> {
    return this.#lease.run(task, [rest, count], { dependencies: 0, signal, worker });
  }

  /** Frees the job, when none of its tasks is left. */
  close(): void {
    this.#job?.close();
    this.#job = undefined;
  }
}

export const valuesIn = ([isMarked, bytes]: readonly [isMarked: boolean, bytes: Uint8Array]): unknown[] =>
  unpack(bytes, isMarked);
