/** Stages whose functions run on workers, and make one item of an item or none (`map`, `filter`, `forEach`); runs on the calling thread. */
import { CallSignal, unpackOutcome } from '../../core/engine.js';
import type { Admission } from '../limit/admission.js';
import { asyncCallsTask, type CallsAnswer, callsTask, valuesIn } from './calls-task.js';
import { type Item, kept, type Stage } from './item.js';
import type { Run } from './run.js';
import { Sender, type SentPlan } from './sender.js';

/** Stages that run as one. */
export interface CallsPlan extends SentPlan {
  /** How many calls may be in progress at once; undefined if nobody cares. */
  readonly concurrency: number | undefined;
  readonly admission: Admission | undefined;
  /** Whether the functions are known to return promises. */
  readonly isAsync: boolean;
}

/** Tasks in flight for each thread, of functions that return no promises: one runs, the other is there when it ends. */
const TASKS_PER_THREAD = 2;
/** How long the items of one task should take (milliseconds). Sending a task and its results takes some 0.05. */
const TASK_MS = 1;
const MAX_ITEMS = 64;

/** What runs at once, and how many items go together. */
export class Pace {
  readonly #plan: CallsPlan;
  readonly #threads: number;
  #isAsync: boolean;
  #goesSingly = false;
  /** What an item takes; undefined until that is known. */
  #itemMs: number | undefined;

  constructor(plan: CallsPlan, threads: number) {
    this.#plan = plan;
    this.#threads = threads;
    this.#isAsync = plan.isAsync;
  }

  note(items: number, ms: number, isAsync: boolean): void {
    this.#isAsync ||= isAsync;
    if (items === 0) return;
    const itemMs = ms / items;
    this.#itemMs = this.#itemMs === undefined ? itemMs : (this.#itemMs + itemMs) / 2;
  }

  /** Whether an item is known to take less. */
  isShorterThan(ms: number): boolean {
    return this.#itemMs !== undefined && this.#itemMs < ms;
  }

  /** From now on, items do not go together. */
  goSingly(): void {
    this.#goesSingly = true;
  }

  /** How many tasks may be in flight. */
  get tasks(): number {
    const { concurrency } = this.#plan;
    return concurrency ?? (this.#isAsync ? Number.POSITIVE_INFINITY : TASKS_PER_THREAD * this.#threads);
  }

  /** How many of the items that wait should go together: several only if they are cheap, and called one after the other anyway. */
  items(waiting: number): number {
    if (this.#isAsync || this.#goesSingly || this.#plan.admission !== undefined || this.#itemMs === undefined) return 1;
    const fair = Math.ceil(waiting / (TASKS_PER_THREAD * this.#threads));
    return Math.max(1, Math.min(fair, MAX_ITEMS, Math.floor(TASK_MS / this.#itemMs)));
  }
}

/** Puts an item into a list where it belongs: those that come first are dealt with first. */
export function insert<I extends Item>(items: I[], item: I): void {
  let at = items.length;
  while (at > 0 && (items[at - 1] as I).seq > item.seq) at--;
  items.splice(at, 0, item);
}

/** Starts something once it has its permits. What `start` throws, it rejects with. */
export async function started<A>(
  admission: Admission | undefined,
  signal: CallSignal,
  start: () => Promise<A>,
): Promise<A> {
  return admission === undefined ? start() : admission.run(start, signal);
}

/** Items on their way through a task. */
interface Sent {
  readonly items: readonly Item[];
  readonly signal: CallSignal;
  /** Whether their values could be packed. */
  hasLeft: boolean;
}

export class Calls implements Stage {
  readonly #run: Run;
  readonly #plan: CallsPlan;
  readonly #next: Stage;
  readonly #sender: Sender;
  readonly #pace: Pace;
  #waiting: Item[] = [];
  readonly #sent = new Set<Sent>();
  #isEnding = false;

  constructor(run: Run, plan: CallsPlan, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#next = next;
    this.#sender = new Sender(run.lease, plan);
    this.#pace = new Pace(plan, run.call.parallelism);
    run.atEnd(() => this.#sender.close());
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    insert(this.#waiting, item);
    this.#pump();
  }

  skip(item: Item): void {
    this.#next.skip(item);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#sent.size < this.#pace.tasks) {
      this.#send(this.#waiting.splice(0, this.#pace.items(this.#waiting.length)));
    }
    if (this.#isEnding && this.#waiting.length === 0 && this.#sent.size === 0) {
      this.#isEnding = false;
      this.#next.end();
    }
  }

  #send(items: readonly Item[]): void {
    const sent: Sent = { items, signal: new CallSignal(), hasLeft: false };
    const task = this.#plan.steps.isSynchronous ? callsTask : asyncCallsTask;
    const values = items.map(({ value }) => value);
    const start = (): Promise<CallsAnswer> => {
      const answer = this.#sender.send<CallsAnswer>(task, values, { signal: sent.signal });
      sent.hasLeft = true;
      return answer;
    };
    this.#sent.add(sent);
    started(this.#plan.admission, sent.signal, start).then(
      (answer) => this.#ended(sent, () => this.#receive(items, answer)),
      (error: unknown) => this.#ended(sent, () => this.#failed(sent, error)),
    );
  }

  #ended(sent: Sent, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#drop(sent.items, error);
    }
    this.#sent.delete(sent);
    this.#pump();
  }

  #failed({ items, hasLeft }: Sent, error: unknown): void {
    if (items.length === 1 || hasLeft) {
      this.#drop(items, error);
      return;
    }
    this.#pace.goSingly(); // so that those before the one that cannot be sent get through
    for (const item of items) insert(this.#waiting, item);
  }

  #receive(items: readonly Item[], [done, ms, isAsync, counts, packed, failure]: CallsAnswer): void {
    const values = valuesIn(packed);
    const failed = failure && unpackOutcome(failure);
    this.#pace.note(done, ms, isAsync);
    let k = 0;
    for (let i = 0; i < done; i++) {
      const { line, seq, hold } = items[i] as Item;
      if (counts?.[i] === 0) this.#next.skip({ line, seq, value: undefined, hold });
      else this.#next.push({ line, seq, value: values[k++], hold });
    }
    if (failed !== undefined) this.#drop(items.slice(done), failed.value);
  }

  /** The first of these items has failed, and the others come after it. */
  #drop([first, ...others]: readonly Item[], error: unknown): void {
    this.#run.fail(first as Item, error);
    this.#next.skip(first as Item);
    for (const { hold } of others) hold.release();
  }

  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  prune(): void {
    this.#waiting = kept(this.#waiting, this.#run.isMoot);
    for (const { items, signal } of this.#sent) if (this.#run.isMoot(items[0] as Item)) signal.abort(this.#run.reason);
  }
}
