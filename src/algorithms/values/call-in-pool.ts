/**
 * What all passes of a call share on the calling thread: where its chunks run, and how the call ends before its time.
 */
import { CancellationError } from '../../core/errors.js';
import { type AdmittedCall, poolOf } from '../../core/pool/call.js';
import { type CallSignal, watchSignal } from '../../core/pool/signal.js';
import type { AbortSignalLike } from '../../core/task/abort-signal.js';
import { type InnerScope, innerScopeOf, RUN_JOB } from '../../core/task/async-task.js';
import type { CallTask } from '../../core/task/call-task.js';
import { after } from '../../core/worker/grace.js';
import { thread } from '../../core/worker/worker-slot.js';

/** What a pass does when its call is cancelled. */
interface Cancellable {
  /** Ends what runs in the pool, and asks what runs here to end. */
  cancel(error: unknown): void;
  /** Ends what waits here, at once. */
  abandon(): void;
}

export class CallInPool {
  /** Whether each chunk must cross to a worker. */
  readonly checked: boolean;
  readonly #call: AdmittedCall;
  readonly #scope: InnerScope | undefined;
  /** What is to be done when the call ends. */
  readonly #ends: (() => void)[] = [];
  #pass: Cancellable | undefined;
  #cancelled: { readonly error: unknown } | undefined;
  #hasSubmitted = false;

  /** @throws RejectedExecutionError when the pool is closed, or takes no more; what a signal throws. Nothing is left of the call then */
  constructor(call: AdmittedCall) {
    this.#call = call;
    this.#scope = innerScopeOf(call.scope);
    this.checked = this.#scope === undefined ? poolOf(call.pool).checked : thread.own?.checked === true;
    try {
      this.#watch();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #watch(): void {
    const { timeoutMs = Number.POSITIVE_INFINITY, startedMs = 0, pool } = this.#call;
    const signal = this.#call.signal ?? (this.#scope?.signal as AbortSignalLike | undefined);
    if (signal !== undefined) this.#ends.push(watchSignal(signal, (error) => this.#cancel(error)));
    const stopTimer = after(timeoutMs - (performance.now() - startedMs), () =>
      this.#cancel(
        new CancellationError(`furcate: the call took longer than timeoutMs = ${timeoutMs}.`, { reason: 'timeout' }),
      ),
    );
    this.#ends.unshift(stopTimer);
    if (this.#scope !== undefined) return;
    const release = poolOf(pool).hold((error) => {
      this.#cancel(error);
      this.#pass?.abandon();
    });
    this.#ends.unshift(release);
  }

  #cancel(error: unknown): void {
    this.#cancelled ??= { error };
    this.#pass?.cancel(this.#cancelled.error);
  }

  /** Has a pass told once the call is cancelled; at once if it is. */
  begin(pass: Cancellable): void {
    this.#pass = pass;
    if (this.#cancelled !== undefined) pass.cancel(this.#cancelled.error);
  }

  /** Runs a task; the promise settles once nothing of it runs any more. */
  run<R>(task: CallTask<R>, dependencies: number, signal: CallSignal): Promise<R> {
    if (this.#scope !== undefined) return this.#scope[RUN_JOB](task, dependencies, signal);
    const { pool, onProgress, timeoutMs, startedMs, scope, ...options } = this.#call;
    const held = this.#hasSubmitted ? 'later' : 'first';
    this.#hasSubmitted = true;
    return poolOf(pool).submit(task, { ...options, signal, held }, dependencies);
  }

  /** To be called when nothing of the call runs any more. @throws what its signal throws, when nothing is left of the call */
  end(): void {
    this.#pass = undefined;
    for (const end of this.#ends.splice(0)) end(); // the signal is the last one
  }
}
