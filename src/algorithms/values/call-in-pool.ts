/**
 * What all passes of a call share on the calling thread: where its chunks run, and how the call ends before its time.
 */
import { CancellationError } from '../../core/errors.js';
import { type AdmittedCall, poolOf } from '../../core/pool/call.js';
import { abortError, after } from '../../core/pool/invocation.js';
import type { AbortSignalLike } from '../../core/task/abort-signal.js';
import { type InnerScope, innerScopeOf, RUN_JOB } from '../../core/task/async-task.js';
import type { CallTask } from '../../core/task/call-task.js';
import { thread } from '../../core/worker/worker-slot.js';

/** The signal of one chunk, with room for the one listener that an invocation has. An `AbortSignal` takes ten times as long to make. */
export class ChunkSignal implements AbortSignalLike {
  aborted = false;
  reason: unknown;
  #listener: (() => void) | undefined;

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(): void {
    this.#listener = undefined;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#listener?.();
  }
}

export class CallInPool {
  /** Whether each chunk must cross to a worker. */
  readonly checked: boolean;
  readonly #call: AdmittedCall;
  readonly #scope: InnerScope | undefined;
  readonly #ends: (() => void)[] = [];
  #onCancel: (error: CancellationError) => void = () => {};
  #cancelled: CancellationError | undefined;

  /** @throws RejectedExecutionError when the pool is closed */
  constructor(call: AdmittedCall) {
    this.#call = call;
    this.#scope = innerScopeOf(call.scope);
    this.checked = this.#scope === undefined ? poolOf(call.pool).checked : thread.own?.checked === true;
    if (this.#scope === undefined) this.#ends.push(poolOf(call.pool).hold());
    this.#watch();
  }

  #watch(): void {
    const { timeoutMs = Number.POSITIVE_INFINITY, startedMs = 0 } = this.#call;
    const signal = this.#call.signal ?? (this.#scope?.signal as AbortSignalLike | undefined);
    const abort = (): void => this.#cancel(abortError(signal as AbortSignalLike));
    signal?.addEventListener('abort', abort, { once: true });
    const stopTimer = after(timeoutMs - (performance.now() - startedMs), () =>
      this.#cancel(new CancellationError(`furcate: the call took longer than timeoutMs = ${timeoutMs}.`)),
    );
    this.#ends.push(stopTimer, () => signal?.removeEventListener('abort', abort));
  }

  #cancel(error: CancellationError): void {
    this.#cancelled ??= error;
    this.#onCancel(this.#cancelled);
  }

  /** Has `act` called with the error once the call is cancelled; at once if it is. */
  onCancel(act: (error: CancellationError) => void): void {
    this.#onCancel = act;
    if (this.#cancelled !== undefined) act(this.#cancelled);
  }

  /** Runs a task; the promise settles once nothing of it runs any more. */
  run<R>(task: CallTask<R>, dependencies: number, signal: AbortSignalLike): Promise<R> {
    if (this.#scope !== undefined) return this.#scope[RUN_JOB](task, dependencies);
    const { pool, onProgress, timeoutMs, startedMs, scope, ...options } = this.#call;
    return poolOf(pool).submit(task, { ...options, signal, isHeld: true }, dependencies);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
