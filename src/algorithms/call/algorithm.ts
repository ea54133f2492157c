/**
 * An algorithm in its two forms: one returns a promise, the other the value itself; runs on the calling thread.
 *
 * `begin` checks everything, and does nothing else: a call that has to wait for permits is refused before. Then the call starts, and may be
 * done at once. Otherwise it prepares a job for a pool. Whatever happens to the job, the shared memory of the call is freed afterwards. The
 * stack of an error ends with the user's call.
 */
import { beginCall, type Callee, type CallJob, callSite, explainRevoked, withCallSite } from '../../core/engine.js';
import type { StagesResult } from '../schedule/stages.js';

/** A call that has started: done, or with work left for a pool. */
export interface PreparedCall<R> {
  /** Undefined when the caller has done everything. */
  readonly job: CallJob<StagesResult> | undefined;
  /** The result, once all is done; `value` is what the job's root returned, if there was a job. */
  result(value: StagesResult | undefined): R;
  /** Called when the job has failed, and nothing of it runs any more. */
  failed?(): void;
  /** Frees the shared memory of the call. */
  release?(): void;
}

/** Start of a call that was checked. */
export type Start<R> = () => PreparedCall<R>;

/** The two public functions of the algorithm whose promise form has that name. */
export function calleesOf(name: string): Readonly<Record<Callee['form'], Callee>> {
  const names = { promise: name, sync: `${name}Sync` };
  return {
    promise: { form: 'promise', name: names.promise, names },
    sync: { form: 'sync', name: names.sync, names },
  };
}

export class Algorithm<Args extends unknown[], R> {
  readonly callees: Readonly<Record<Callee['form'], Callee>>;
  readonly #begin: (callee: Callee, ...args: Args) => Start<R>;

  /**
   * @param name of the promise form
   * @param begin checks a call of either form by its arguments
   */
  constructor(name: string, begin: (callee: Callee, ...args: Args) => Start<R>) {
    this.callees = calleesOf(name);
    this.#begin = begin;
  }

  /** The promise form. */
  promise(...args: Args): Promise<R> {
    const { promise } = this.callees;
    const check = (): unknown => this.#begin(promise, ...args);
    const act = (leaving: () => void): Promise<R> => this.#run(promise, args, leaving);
    return beginCall(promise.name, args, this.promise, act, check).promise;
  }

  async #run(callee: Callee, args: Args, leaving: () => void): Promise<R> {
    let prepared: PreparedCall<R> | undefined;
    try {
      prepared = this.#begin(callee, ...args)();
      if (prepared.job === undefined) return prepared.result(undefined);
      leaving();
      return prepared.result(await prepared.job.run());
    } catch (error) {
      leaving();
      prepared?.failed?.();
      throw error;
    } finally {
      prepared?.release?.();
    }
  }

  /** The Sync form. */
  sync(...args: Args): R {
    let prepared: PreparedCall<R> | undefined;
    try {
      prepared = this.#begin(this.callees.sync, ...args)();
      if (prepared.job === undefined) return prepared.result(undefined);
      return prepared.result(prepared.job.runSync());
    } catch (error) {
      prepared?.failed?.();
      throw withCallSite(explainRevoked(error, this.callees.sync.name, args), callSite(this.sync));
    } finally {
      prepared?.release?.();
    }
  }
}
