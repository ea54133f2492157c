/** `scan` and `reduce`: one call after the other, whose state travels with them by value; runs on the calling thread. */
import { CallSignal, unpackOutcome } from '../../core/engine.js';
import { type CallsPlan, Pace, started } from './calls.js';
import { asyncCallsTask, type CallsAnswer, callsTask, type Packed, valuesIn } from './calls-task.js';
import { type Item, kept, type Stage } from './item.js';
import { NO_HOLD } from './places.js';
import type { Run } from './run.js';
import { Sender } from './sender.js';

export interface FoldPlan extends CallsPlan {
  readonly initial: unknown;
  /** Whether each state is an item of its own, or the last one is the only item. */
  readonly isScan: boolean;
}

/** All that wait may go together: the calls are made one after the other anyway. Fewer if they take long. */
export class Fold implements Stage {
  readonly #run: Run;
  readonly #plan: FoldPlan;
  readonly #next: Stage;
  readonly #sender: Sender;
  readonly #pace: Pace;
  #state: unknown;
  #waiting: Item[] = [];
  #sent: { readonly items: readonly Item[]; readonly signal: CallSignal } | undefined;
  #isEnding = false;

  constructor(run: Run, plan: FoldPlan, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#next = next;
    this.#state = plan.initial;
    this.#sender = new Sender(run.lease, plan);
    this.#pace = new Pace(plan, 1);
    run.atEnd(() => this.#sender.close());
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    this.#waiting.push(item);
    this.#pump();
  }

  skip(item: Item): void {
    item.hold.release();
  }

  #pump(): void {
    if (this.#sent !== undefined) return;
    if (this.#waiting.length > 0) {
      this.#send(this.#waiting.splice(0, this.#pace.items(2 * this.#waiting.length)));
      return;
    }
    if (!this.#isEnding) return;
    this.#isEnding = false;
    if (!this.#plan.isScan && !this.#run.hasFailed)
      this.#next.push({ line: Number.MAX_VALUE, seq: 0, value: this.#state, hold: NO_HOLD });
    this.#next.end();
  }

  #send(items: readonly Item[]): void {
    const signal = new CallSignal();
    this.#sent = { items, signal };
    const values = [this.#state, ...items.map(({ value }) => value)];
    const task = this.#plan.steps.isSynchronous ? callsTask : asyncCallsTask;
    started(this.#plan.admission, signal, () =>
      this.#sender.send<CallsAnswer>(task, values, { signal, items: values.slice(1) }),
    ).then(
      (answer) => this.#ended(items, () => this.#receive(items, answer)),
      (error: unknown) => this.#ended(items, () => this.#drop(items, error)),
    );
  }

  #ended(items: readonly Item[], act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#drop(items, error);
    }
    this.#sent = undefined;
    this.#pump();
  }

  #receive(items: readonly Item[], [done, ms, isAsync, , packed, failure]: CallsAnswer): void {
    const states = valuesIn(packed);
    const failed = failure && unpackOutcome(failure);
    this.#pace.note(done, ms, isAsync);
    if (states.length > 0) this.#state = this.#ownState(states, packed);
    for (const [k, { line, seq, hold }] of items.slice(0, done).entries()) {
      if (this.#plan.isScan) this.#next.push({ line, seq, value: states[k], hold });
      else hold.release();
    }
    if (failed !== undefined) this.#drop(items.slice(done), failed.value);
  }

  /** The last state. An object that leaves as an item belongs to whoever gets it, so a copy stays here. */
  #ownState(states: readonly unknown[], packed: Packed): unknown {
    const last = states[states.length - 1];
    const isShown = this.#plan.isScan && Object(last) === last;
    return isShown ? valuesIn(packed)[states.length - 1] : last;
  }

  /** The first of these items has failed. In order, the others come after it; if not, some of them may come before it. */
  #drop([first, ...others]: readonly Item[], error: unknown): void {
    this.#run.fail(first as Item, error);
    (first as Item).hold.release();
    this.#waiting.unshift(...kept(others, this.#run.isMoot));
  }

  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  prune(): void {
    this.#waiting = kept(this.#waiting, this.#run.isMoot);
    const { items = [], signal } = this.#sent ?? {};
    if (items[0] !== undefined && this.#run.isMoot(items[0])) signal?.abort(this.#run.reason);
  }
}
