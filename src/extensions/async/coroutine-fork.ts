/** One fork of an asynchronous task, from its start to its outcome; on the thread of the task that forked it. */
import { NO_RECORD } from '../../core/memory/records.js';
import type { Account, ForkMark } from '../../core/observe/observer.js';
import type { ForkJoinTask } from '../../core/task/fork-join-task.js';
import { conclude } from '../../core/worker/join.js';
import type { Race } from './race.js';

/** The coroutine that has forked it. */
interface Forker {
  readonly invocation: number;
  /** As `setRace` has it. */
  readonly race: number;
  forkEnded(fork: CoroutineFork): void;
}

/** Nobody has started it, and no other thread knows it. */
export const PRIVATE = 0;
/** It was published: its record says whether a thief has taken it. */
export const PUBLIC = 1;
/** It runs on this thread. */
export const STARTED = 2;
export const ENDED = 3;

export class CoroutineFork {
  readonly task: ForkJoinTask<unknown>;
  readonly parent: Forker;
  /** The code that it needs beside its own, as a word for `R_DEPENDENCIES`. */
  readonly dependencies: number;
  /** The race that it takes part in, if it does. */
  readonly contest: Race<CoroutineFork> | undefined;
  state = PRIVATE;
  /** The entry of its record while it is public. */
  entry = NO_RECORD;
  failed = false;
  /** Its result, or what it threw. */
  value: unknown = undefined;
  /** Set once the program has asked how it ended. Then a failure no longer surfaces by itself. */
  observed = false;
  /** The place of its forker, if somebody observes. */
  mark: ForkMark | undefined;
  /** The coroutine that runs it, if it is asynchronous and runs on this thread. */
  coroutine: { cancel(error: unknown): void } | undefined;
  #whenEnded: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(parent: Forker, task: ForkJoinTask<unknown>, dependencies: number, contest?: Race<CoroutineFork>) {
    this.parent = parent;
    this.task = task;
    this.dependencies = dependencies;
    this.contest = contest;
  }

  /** The race that it belongs to, with all that it forks, as `setRace` has it. */
  get race(): number {
    return this.contest?.word ?? this.parent.race;
  }

  /** Resolves once it has ended, if it has not. */
  get whenEnded(): Promise<void> {
    this.#whenEnded ??= new Promise((wake) => {
      this.#wake = wake;
    });
    return this.#whenEnded;
  }

  /** Its outcome, for a join, once it has ended. */
  async result(): Promise<unknown> {
    if (this.state !== ENDED) await this.whenEnded;
    this.mark?.arrive();
    if (this.failed) throw this.value;
    return this.value;
  }

  end(failed: boolean, value: unknown, account?: Account): void {
    this.state = ENDED;
    if (this.mark !== undefined) this.mark.account = account;
    Object.assign(this, conclude(this.task, failed, value));
    this.coroutine = undefined;
    this.#wake?.();
    this.contest?.ended(this);
    this.parent.forkEnded(this);
  }
}
