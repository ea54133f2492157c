/** Stages whose functions run on workers, and make one item of an item or none (`map`, `filter`, `find`, `some`, `every`, `forEach`); runs on the calling thread. */
import type { Parcel } from '../../core/engine.js';
import { answerIn } from '../../flow/cargo.js';
import { type CallsHead, callsTask } from './calls-task.js';
import { type Item, kept } from './item.js';
import { insert, type StageKind, type TaskStage } from './task-stage.js';

export class Calls implements StageKind {
  readonly goesTogether = true;
  readonly #stage: TaskStage;
  #waiting: Item[] = [];

  constructor(stage: TaskStage) {
    this.#stage = stage;
  }

  accept(item: Item): void {
    insert(this.#waiting, item);
  }

  skip(item: Item): void {
    this.#stage.next.skip(item);
  }

  begin(): void {
    while (this.#waiting.length > 0 && this.#stage.calls.size < this.#stage.pace.tasks)
      this.#send(this.#waiting.splice(0, this.#stage.pace.items(this.#waiting.length)));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#stage.calls.size === 0;
  }

  #send(items: readonly Item[]): void {
    const { isIndexed } = this.#stage.plan.steps;
    this.#stage.startTogether(items, {
      task: callsTask,
      before: (some) => (isIndexed ? [some.map(({ seq }) => seq)] : []),
      more: (some) => this.#stage.called(some),
      began: (some) => this.#stage.began(some),
      done: (sent, answer) => this.#receive(sent, answer),
      failed: (sent, error) => this.#drop(sent, error),
      comeBack: (others) => this.#giveBack(others),
    });
  }

  #giveBack(items: readonly Item[]): void {
    for (const item of items) insert(this.#waiting, item);
  }

  #receive(items: readonly Item[], parcel: Parcel): void {
    const { head, values, failed } = answerIn<CallsHead>(parcel);
    const [done, ms, isAsync, counts] = head;
    this.#stage.note(done, ms, isAsync);
    let k = 0;
    for (let i = 0; i < done; i++) {
      const item = items[i] as Item;
      const { leg, seq, within, hold } = item;
      if (counts?.[i] === 0) this.#stage.next.skip({ leg, seq, within, value: undefined, hold });
      else this.#stage.next.push({ leg, seq, within, value: values[k++], hold, made: this.#stage.madeBy(item) });
    }
    if (failed !== undefined) this.#drop(items.slice(done), failed.error);
  }

  /** The first of these items has failed. Others may come before it where there is no order. */
  #drop([first, ...others]: readonly Item[], error: unknown): void {
    this.#stage.run.fail(first as Item, error);
    this.#stage.next.skip(first as Item);
    this.#giveBack(kept(others, this.#stage.run.isCut));
  }

  drop(): void {
    this.#waiting = kept(this.#waiting, this.#stage.run.isCut);
  }
}
