/**
 * One pass over the values of a call: cuts them into chunks, keeps the workers busy with them, and collects what comes back; runs on the
 * calling thread.
 *
 * Chunks are in flight up to a fixed number for each thread, so an iterable is read no further than they need. The first chunks have one
 * value each. Then a chunk has as many values as should take some milliseconds, by what the last one took on its worker. A chunk that proves
 * much dearer gives back what it has not begun.
 *
 * If a chunk fails, chunks of higher indices are cancelled, and those of lower indices go on, because they may fail too: the failure of
 * the lowest index counts. The pass ends when nothing is in flight.
 */

import {
  after,
  arenaOfThread,
  bytesAt,
  CallSignal,
  cloned,
  type Forkable,
  isPromise,
  keepArrays,
  type Lease,
  moved,
  Pins,
  pack,
  turn,
  unpack,
} from '../../core/engine.js';
import { COROUTINE_GRACE_MS, PROGRESS_MS } from '../../core/tuning.js';
import type { Checked } from '../call/options.js';
import { isKnownShort } from '../call/staged-call.js';
import {
  CALLER_MOST_US,
  CHUNKS_PER_THREAD,
  FOLD_VALUES,
  HERE_FACTOR,
  MAX_GROWTH,
  TELLING_VALUES,
  VALUES_CALLER_US,
  VALUES_CHUNK_BYTES,
  VALUES_CHUNK_US,
  VALUES_PATIENCE,
  WAITING_VALUES,
} from '../tuning.js';
import { type OpenCall, openCall, resultNames, runChunk, type ValuesSpec, valueNames } from './chunk.js';
import { asyncChunkTask, type ChunkAnswer, chunkTask, VALUES } from './chunk-task.js';
import { type Run, Source } from './source.js';
import { costOfValue, type ValueCost } from './value-cost.js';

/** A call that was checked. */
export interface ValuesCall {
  readonly name: string;
  readonly options: Checked;
  readonly concurrency: number;
  readonly transfer: ((value: unknown) => unknown) | undefined;
}

/** Values in a row, and their results; for a reduction, the results of their blocks. */
export interface Piece {
  readonly first: number;
  readonly values: readonly unknown[];
  readonly results: readonly unknown[];
}

/** A chunk in flight. */
interface Sent extends Run {
  readonly atOnce: number;
  readonly signal: CallSignal;
}

/** A chunk that workers have, or will have. */
interface Packaged extends Sent {
  /** The arrays that its values name. */
  readonly pins: Pins;
  /** Where its packed values are. */
  readonly at: number;
  /** What packing them took (milliseconds). */
  readonly packMs: number;
}

/** Stands below all indices, for failures of the whole call. */
const WHOLE = -1;

export class Pass {
  readonly #call: ValuesCall;
  readonly #in: Lease;
  readonly #spec: ValuesSpec;
  readonly #source: Source;
  readonly #cost: ValueCost;
  readonly #arena = arenaOfThread();
  /** Chunks have a multiple of this many values, but for the last. */
  readonly #unit: number;
  readonly #pieces: Piece[] = [];
  readonly #sent = new Set<Sent>();
  /** How many calls the chunks in flight may have in progress. */
  #inProgress = 0;
  #isAsync: boolean;
  /** Bytes of a value in the last chunk that was packed. */
  #bytes = 0;
  #done = 0;
  #reportMs = 0;
  #reported = -1;
  #failure: { readonly at: number; readonly error: unknown } | undefined;
  #wake: () => void = () => {};
  /** Each ends a chunk that waits on this thread. */
  readonly #abandonsHere = new Set<() => void>();
  #job: ReturnType<Lease['open']> | undefined;
  #openHere: OpenCall | undefined;

  /** @param isAsync whether the function is known to return promises */
  constructor(call: ValuesCall, inPool: Lease, spec: ValuesSpec, values: object, isAsync: boolean) {
    this.#call = call;
    this.#in = inPool;
    this.#spec = spec;
    this.#isAsync = isAsync && spec.fn !== undefined;
    this.#cost = costOfValue(spec);
    this.#unit = spec.purpose === 'reduce' ? FOLD_VALUES : 1;
    this.#source = new Source(values, this.#unit, () => this.#wake());
  }

  /** @returns the pieces, in the order of their values, once nothing of the pass runs any more */
  async run(): Promise<readonly Piece[]> {
    this.#in.tell({ cancel: (error) => this.#fail(WHOLE, error), abandon: () => this.#abandonHere() });
    try {
      await this.#goOn();
    } catch (error) {
      this.#fail(WHOLE, error); // a callback of the user's
      while (this.#sent.size > 0) await this.#change();
    } finally {
      this.#source.close();
      this.#job?.close();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#pieces.sort((a, b) => a.first - b.first);
  }

  async #goOn(): Promise<void> {
    let turnMs = performance.now();
    for (;;) {
      const run = this.#hasRoom() ? this.#take() : undefined;
      if (run === undefined) {
        if (this.#sent.size === 0 && (this.#isStopped() || this.#source.isOver)) break;
        await this.#change();
        turnMs = performance.now();
        continue;
      }
      if (this.#isBetterHere()) {
        this.#openHere ??= openCall(this.#spec);
        void this.#runHere(this.#openHere, run); // not awaited: its calls may wait, and for others
      } else this.#send(run);
      this.#report();
      if (this.#source.isOver || (performance.now() - turnMs) * 1000 < CALLER_MOST_US) continue;
      await turn(); // for timers and sockets of the program
      turnMs = performance.now();
    }
    this.#report(true);
  }

  #isStopped(): boolean {
    return this.#failure !== undefined && this.#failure.at < this.#source.nextIndex;
  }

  #hasRoom(): boolean {
    const chunks = this.#isAsync ? Number.POSITIVE_INFINITY : CHUNKS_PER_THREAD * this.#call.options.parallelism;
    return !this.#isStopped() && this.#sent.size < chunks && this.#inProgress < this.#call.concurrency;
  }

  #take(): Run | undefined {
    try {
      const run = this.#source.take(this.#chunkSize());
      // What reads the values may have cancelled the call.
      return run !== undefined && this.#failure !== undefined && this.#failure.at < run.first ? undefined : run;
    } catch (error) {
      this.#fail(this.#source.nextIndex, error);
      return undefined;
    }
  }

  /** How many values the next chunk should have. */
  #chunkSize(): number {
    const { threshold, parallelism } = this.#call.options;
    const { nsPerElement, measuredElements } = this.#cost.call;
    const byTime = nsPerElement === 0 ? 1 : (this.#chunkUs * 1000) / nsPerElement;
    const fair = this.#left / (CHUNKS_PER_THREAD * parallelism); // the last chunks are shorter, so that all threads end together
    const isUnlimited = this.#call.concurrency === Number.POSITIVE_INFINITY;
    const isLimited = this.#isAsync && !isUnlimited; // then it takes so many chunks for so many calls in progress
    let size = Math.min(byTime, MAX_GROWTH * measuredElements, isLimited ? fair : Math.max(fair, byTime / 4));
    // A chunk's calls wait together. If that keeps no others from starting, chunks grow with what is in progress.
    if (this.#isAsync && isUnlimited)
      size = Math.max(size, Math.min(WAITING_VALUES, this.#inProgress / (8 * parallelism)));
    size = Math.min(size, VALUES_CHUNK_BYTES / this.#bytes);
    return Math.ceil(Math.max(1, Math.floor(threshold || size)) / this.#unit) * this.#unit;
  }

  /** How long a chunk should take. */
  get #chunkUs(): number {
    return Math.max(VALUES_CHUNK_US, VALUES_CALLER_US * this.#call.options.parallelism);
  }

  /** How many values nobody has taken yet, at least. */
  get #left(): number {
    return this.#source.total - this.#source.nextIndex;
  }

  /** Should the caller call the function itself? Only if that is known to be short, or cheaper than the copies. */
  #isBetterHere(): boolean {
    const { options, transfer } = this.#call;
    const { call, copy } = this.#cost;
    const { isSynchronous, takesScope } = this.#spec;
    if (options.awayFromCaller || this.#in.checked || transfer !== undefined || isSynchronous || takesScope)
      return false;
    if (call.nsPerElement === 0) return false;
    const isMeasured = copy.measuredElements >= TELLING_VALUES;
    if (isMeasured && HERE_FACTOR * call.nsPerElement < copy.nsPerElement) return true;
    return this.#job === undefined && isKnownShort(options, this.#left, call);
  }

  /** Never rejects. It has ended when it returns, unless the function returns promises. */
  async #runHere(open: OpenCall, run: Run): Promise<void> {
    const { first, values } = run;
    let clones: readonly unknown[];
    try {
      clones = cloned(values, valueNames(this.#call.name, first));
    } catch (error) {
      const half = this.#halfOf(run, error);
      return half && this.#runHere(open, half);
    }
    const signal = new CallSignal();
    const atOnce = this.#share(run);
    const sent: Sent = { first, values, atOnce, signal };
    this.#inProgress += atOnce;
    this.#sent.add(sent);
    try {
      const cancel = (error: unknown): void => signal.abort(error);
      const limits = { atOnce, limitMs: CALLER_MOST_US / 1000, scope: undefined, signal, cancel };
      const chunk = runChunk(open, clones, first, limits);
      const { results, done, ms, isAsync } = isPromise(chunk) ? await this.#unlessAbandoned(chunk, signal) : chunk;
      this.#finish(run, cloned(results, resultNames(this.#spec, first)), done, ms, isAsync);
    } catch (error) {
      this.#fail(first, error);
    }
    this.#inProgress -= atOnce;
    this.#sent.delete(sent);
    this.#wake();
  }

  #abandonHere(): void {
    for (const abandon of this.#abandonsHere) abandon();
  }

  /** As on workers, calls that wait are abandoned some time after their chunk was cancelled: their promises may never settle. */
  async #unlessAbandoned<R>(chunk: PromiseLike<R>, signal: CallSignal): Promise<R> {
    let stopTimer = (): void => {};
    let abandon = (): void => {};
    const abandoned = new Promise<never>((_, reject) => {
      abandon = (): void => {
        const letGo = keepArrays(); // it may write to the arrays that it knows
        chunk.then(letGo, letGo);
        reject(signal.reason);
      };
      const wait = (): void => {
        stopTimer = after(COROUTINE_GRACE_MS, abandon);
      };
      this.#abandonsHere.add(abandon);
      if (signal.aborted) wait();
      else signal.addEventListener('abort', wait);
    });
    try {
      return await Promise.race([chunk, abandoned]);
    } finally {
      stopTimer();
      this.#abandonsHere.delete(abandon);
    }
  }

  /** The first half of a chunk with a value that cannot be cloned, so that values of lower indices run; undefined if it cannot be halved. */
  #halfOf(run: Run, error: unknown, { first, values } = run): Run | undefined {
    const half = Math.floor(values.length / 2 / this.#unit) * this.#unit;
    if (half === 0) this.#fail(first, error);
    else this.#source.giveBack(run, half);
    return half === 0 ? undefined : { first, values: values.slice(0, half) };
  }

  /** How many calls of a chunk may be in progress. */
  #share({ values }: Run): number {
    const { concurrency, options } = this.#call;
    if (!this.#isAsync) return 1;
    const fair = Math.ceil(concurrency / (CHUNKS_PER_THREAD * options.parallelism));
    return Math.min(values.length, fair, concurrency - this.#inProgress);
  }

  /** Sends a chunk to the workers, or a part of it, if its values cannot be packed. */
  #send(run: Run): void {
    const { first, values } = run;
    const startMs = performance.now();
    let detach: ReturnType<typeof moved>;
    let packed: ReturnType<typeof pack>;
    const pins = new Pins();
    try {
      detach = moved(this.#call.transfer, values, { option: 'options.transfer', value: (k) => `value ${first + k}` });
      packed = pins.during(() => pack(values, valueNames(this.#call.name, first)));
    } catch (error) {
      const half = this.#halfOf(run, error);
      return void (half && this.#send(half));
    }
    const { bytes, isMarked, codes } = packed;
    this.#bytes = bytes.byteLength / values.length;
    const { job, dependencies, at } = pins.during(() => {
      this.#job ??= this.#in.open(VALUES, this.#spec);
      const dependencies = this.#job.dependenciesWith(codes);
      return { job: this.#job, dependencies, at: this.#arena.allocate(bytes.byteLength) }; // the last thing that a full heap refuses
    });
    const atOnce = this.#share(run);
    bytesAt(at, bytes.byteLength).set(bytes); // plain: published with the task
    detach();
    const sent: Packaged = {
      first,
      values,
      atOnce,
      signal: new CallSignal(),
      pins,
      at,
      packMs: performance.now() - startMs,
    };
    const isLimited = this.#call.transfer === undefined; // values that were moved cannot be packed again
    const limitMs = isLimited ? (VALUES_PATIENCE * this.#chunkUs) / 1000 : Number.POSITIVE_INFINITY;
    const task = (this.#spec.isSynchronous ? chunkTask : asyncChunkTask) as Forkable<never[], ChunkAnswer>;
    const args = [job.id, at, bytes.byteLength, isMarked, first, atOnce, limitMs];
    this.#inProgress += atOnce;
    this.#sent.add(sent);
    this.#in.run(task, args, { dependencies, signal: sent.signal }).then(
      (answer) => this.#ended(sent, () => this.#receive(sent, answer)),
      (error: unknown) => this.#ended(sent, () => this.#fail(first, error)),
    );
  }

  #ended(sent: Packaged, act: () => void): void {
    this.#sent.delete(sent);
    this.#inProgress -= sent.atOnce;
    this.#arena.free(sent.at);
    sent.pins.release();
    try {
      act();
    } catch (error) {
      this.#fail(sent.first, error);
    }
    this.#wake();
  }

  #receive(sent: Packaged, [done, ms, isAsync, isMarked = false, bytes]: ChunkAnswer): void {
    const startMs = performance.now();
    const results = bytes === undefined ? [] : unpack(bytes, isMarked);
    this.#cost.copy.noteShared(done, sent.packMs + (performance.now() - startMs));
    this.#finish(sent, results, done, ms, isAsync);
  }

  #finish(run: Run, results: readonly unknown[], done: number, ms: number, isAsync: boolean): void {
    this.#isAsync ||= isAsync;
    this.#cost.call.note(done, ms);
    this.#done += done;
    const { first, values } = run;
    if (done < values.length) this.#source.giveBack(run, done);
    this.#pieces.push({ first, values: values.slice(0, done), results });
  }

  /** Notes a failure at an index, and cancels all that comes after it. */
  #fail(at: number, error: unknown): void {
    if (this.#failure === undefined || at < this.#failure.at) this.#failure = { at, error };
    for (const { first, signal } of this.#sent) if (first > this.#failure.at) signal.abort(this.#failure.error);
    this.#wake();
  }

  #report(isEnd = false): void {
    const { onProgress } = this.#call.options.call;
    if (onProgress === undefined || this.#failure !== undefined) return;
    const nowMs = performance.now();
    if (!isEnd && nowMs - this.#reportMs < PROGRESS_MS) return;
    const total = isEnd ? this.#done : this.#source.total;
    if (isEnd && this.#reported === this.#source.total) return; // it has heard of the end
    this.#reportMs = nowMs;
    this.#reported = this.#done;
    onProgress(this.#done, total);
  }

  #change(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }
}
