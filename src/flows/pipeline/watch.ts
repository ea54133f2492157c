/** Tells an observer of a run which call came after which; on the calling thread. Without an observer that asks, there is none of this. */
import { type Observer, observerHere } from '../../core/engine.js';
import type { Item, MadeBy } from './item.js';

type Watching = ReturnType<NonNullable<Observer['flows']>>;
/** As an observer is told of the use of a stage. */
export type UseOfStage = Parameters<Watching['ended']>[0][number];

/** Most stages that are told apart. The number of a call is the place of its item, and the stage: the same in every run. */
const MOST_STAGES = 256;

/** From the number of one call for an item to that of the next, where a generator makes several items of it. */
const NEXT_CALL = 2 ** 34;
export const nextCall = (call: number): number => call + NEXT_CALL;

/** Numbers of runs are below 0: those of task graphs are above. */
let latest = 0;

export class RunWatch {
  readonly graph = --latest;
  readonly #watch: Watching;
  readonly #edges: (readonly [before: number, after: number])[] = [];
  #stages = 0;

  private constructor(watch: Watching) {
    this.#watch = watch;
  }

  static begin(): RunWatch | undefined {
    const watch = observerHere()?.flows?.();
    return watch && new RunWatch(watch);
  }

  /** The number of another stage. */
  nextStage(): number {
    return this.#stages++ % MOST_STAGES;
  }

  /** The number of the call of a stage for an item. Undefined for an item whose place depends on the schedule. */
  callOf(stage: number, { seq, within }: Item): number | undefined {
    return within === undefined || within.length === 0 ? seq * MOST_STAGES + stage : undefined;
  }

  /** A call comes after others. */
  follows(call: number | undefined, made: MadeBy): void {
    if (call === undefined || made === undefined) return;
    for (const before of typeof made === 'number' ? [made] : made) this.#edges.push([before, call]);
  }

  ended(stages: readonly UseOfStage[]): void {
    this.#watch.ended(stages, this.graph, this.#edges);
  }
}
