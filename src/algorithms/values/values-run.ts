/**
 * One run over the values of a call: cuts them into chunks, keeps the workers busy with them, and collects what comes back; runs on the
 * calling thread.
 *
 * Chunks are in flight up to a fixed number for each thread, so an iterable is read no further than they need. The first chunks have one
 * value each. Then a chunk has as many values as should take some milliseconds, by what the last one took on its worker. A chunk that proves
 * much dearer gives back what it has not begun.
 *
 * If a chunk fails, chunks of higher indices are cancelled, and those of lower indices go on, because they may fail too: the failure of
 * the lowest index counts. It ends when nothing is in flight.
 */

import {
  after,
  type Call,
  type CallSignal,
  compiled,
  isPromise,
  keepArrays,
  observerHere,
  type Parcel,
  turn,
} from '../../core/engine.js';
import { COROUTINE_GRACE_MS, PROGRESS_MS } from '../../core/tuning.js';
import { answerIn } from '../../flow/cargo.js';
import { TasksInFlight } from '../../flow/in-flight.js';
import { Horizon, type Rank, WHOLE } from '../../flow/order.js';
import { ofMost, Sender } from '../../flow/sender.js';
import { SOURCE_PATIENCE_MS, Source, type Stretch } from '../../flow/source.js';
import type { Checked } from '../call/options.js';
import { isKnownShort } from '../call/staged-call.js';
import { isReader, propertiesRead } from '../patterns/recognise.js';
import {
  CALLER_MOST_US,
  CHUNKS_PER_THREAD,
  FOLD_VALUES,
  HERE_FACTOR,
  MAX_GROWTH,
  READS_MOST_NS,
  TELLING_VALUES,
  VALUES_CALLER_US,
  VALUES_CHUNK_BYTES,
  VALUES_CHUNK_US,
  VALUES_HERE,
  VALUES_PATIENCE,
  WAITING_VALUES,
} from '../tuning.js';
import { CallHere } from './call-here.js';
import { type ChunkResult, runChunk, type ValuesSpec, valueNames } from './chunk.js';
import { type ChunkHead, chunkTask, VALUES } from './chunk-task.js';
import { seen } from './lend.js';
import { costOfValue, type ValueCost } from './value-cost.js';

/** A call that was checked. */
export interface ValuesCall {
  readonly name: string;
  readonly options: Checked;
  readonly concurrency: number;
  readonly transfer: ((value: unknown) => unknown) | undefined;
}

/** Results in a row, and of a filter the values; for a reduction, the results of blocks. */
export interface ResultPiece {
  readonly first: number;
  readonly values: readonly unknown[];
  readonly results: readonly unknown[];
}

/** Checks whether the functions do nothing but read. Another `op` may change what a map has passed on to it. */
const onlyReads = ({ fn, op }: ValuesSpec): boolean =>
  [fn, op].every((code) => typeof code !== 'object' || isReader(compiled(code) as () => unknown));

/** Position of a value in the order of its call. */
const rankOf = (seq: number): Rank => ({ leg: 0, seq });

export class ValuesRun {
  readonly #call: ValuesCall;
  readonly #in: Call;
  readonly #spec: ValuesSpec;
  readonly #source: Source;
  readonly #cost: ValueCost;
  readonly #sender: Sender<ValuesSpec>;
  readonly #horizon = new Horizon();
  readonly #chunks = new TasksInFlight(this.#horizon, () => this.#wake());
  /** Chunks have a multiple of this many values, but for the last. */
  readonly #unit: number;
  readonly #pieces: ResultPiece[] = [];
  /** Number of calls that the chunks in flight may have in progress. */
  #inProgress = 0;
  #isAsync: boolean;
  /** Bytes of a value in the last chunk that was packed. */
  #bytes = 0;
  #done = 0;
  #reportMs = 0;
  #reported = -1;
  #wake: () => void = () => {};
  /** Each ends a chunk that waits on this thread. */
  readonly #abandonsHere = new Set<() => void>();
  /** Made when it is first used. */
  #callHere: CallHere | undefined;
  /** True if the functions do nothing but read, so that calls on this thread may get the values themselves. */
  readonly #reads: boolean;
  /** The properties that are all that the function reads of a value. */
  readonly #properties: readonly string[] | undefined;

  /** @param isAsync whether the function is known to return promises */
  constructor(call: ValuesCall, inPool: Call, spec: ValuesSpec, values: object, isAsync: boolean) {
    this.#call = call;
    this.#in = inPool;
    this.#spec = spec;
    this.#isAsync = isAsync && spec.fn !== undefined;
    this.#cost = costOfValue(spec);
    this.#unit = spec.purpose === 'reduce' ? FOLD_VALUES : 1;
    this.#reads = onlyReads(spec);
    this.#source = new Source(values, {
      called: 'the values',
      unit: this.#unit,
      isSnapshot: true,
      readsAhead: true,
      onArrival: () => this.#wake(),
    });
    const { transfer } = call;
    if (spec.fn !== undefined && transfer === undefined)
      this.#properties = propertiesRead(compiled(spec.fn) as () => unknown);
    this.#sender = new Sender(inPool, { kind: VALUES, spec, transfer, option: 'options.transfer', called: call.name });
  }

  /** @returns the pieces, in the order of their values, once nothing of it runs any more */
  async run(): Promise<readonly ResultPiece[]> {
    this.#in.tell({ cancel: (error) => this.#fail(WHOLE, error), abandon: () => this.#abandonHere() });
    try {
      await this.#goOn();
    } catch (error) {
      this.#fail(WHOLE, error); // a callback of the user's
      while (this.#chunks.size > 0) await this.#change();
    } finally {
      const patienceMs = Math.min(this.#in.graceMs, SOURCE_PATIENCE_MS); // its end may never settle
      await this.#source.close(0, patienceMs).catch(() => {}); // if that fails, the call has an error already
      this.#sender.close();
    }
    if (this.#horizon.hasFailed) throw this.#horizon.reason;
    return this.#pieces.sort((a, b) => a.first - b.first);
  }

  async #goOn(): Promise<void> {
    let turnMs = performance.now();
    for (;;) {
      const isHere = this.#isBetterHere();
      const hasRoom = this.#hasRoom();
      if (!isHere || !hasRoom || !this.#foldHere()) {
        const stretch = hasRoom ? this.#take(isHere) : undefined;
        if (stretch === undefined) {
          if (this.#chunks.size === 0 && (this.#isStopped || this.#source.isOver)) break;
          await this.#change();
          turnMs = performance.now();
          continue;
        }
        if (isHere) this.#runHere(stretch);
        else this.#send(stretch);
      }
      this.#report();
      if (this.#source.isOver || (performance.now() - turnMs) * 1000 < CALLER_MOST_US) continue;
      await turn(); // for timers and sockets of the program
      turnMs = performance.now();
    }
    this.#report(true);
  }

  get #isStopped(): boolean {
    return this.#horizon.isCut(rankOf(this.#source.nextIndex));
  }

  #hasRoom(): boolean {
    const chunks = this.#isAsync ? Number.POSITIVE_INFINITY : CHUNKS_PER_THREAD * this.#call.options.parallelism;
    return !this.#isStopped && this.#chunks.size < chunks && this.#inProgress < this.#call.concurrency;
  }

  #take(isHere: boolean): Stretch | undefined {
    try {
      const stretch = this.#source.take(this.#chunkSize(isHere));
      return stretch !== undefined && this.#horizon.isCut(rankOf(stretch.first)) ? undefined : stretch; // what reads may have cancelled the call
    } catch (error) {
      this.#fail(this.#source.nextIndex, error);
      return undefined;
    }
  }

  /** Number of values for the next chunk. On the caller no more than it does between two turns: what is given back would be copied again each time. */
  #chunkSize(isHere: boolean): number {
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
    if (isHere) size = Math.min(size, (CALLER_MOST_US * 1000) / this.#cost.here.nsPerElement, VALUES_HERE);
    return Math.ceil(Math.max(1, Math.floor(threshold || size)) / this.#unit) * this.#unit;
  }

  /** Time that a chunk should take (microseconds). */
  get #chunkUs(): number {
    return Math.max(VALUES_CHUNK_US, VALUES_CALLER_US * this.#call.options.parallelism);
  }

  /** Number of values that nobody has taken yet, at least. */
  get #left(): number {
    return this.#source.total - this.#source.nextIndex;
  }

  /** True if the caller should call the function itself: if that is known to be short, or cheaper than the copies. */
  #isBetterHere(): boolean {
    const { options, transfer } = this.#call;
    const { here, copy } = this.#cost;
    const { isSynchronous, takesScope } = this.#spec;
    if (options.awayFromCaller || this.#in.checked || transfer !== undefined || isSynchronous || takesScope)
      return false;
    if (observerHere()?.isFine === true) return false;
    if (this.#reads && (here.measuredElements < VALUES_HERE || here.nsPerElement < READS_MOST_NS)) return true;
    if (here.nsPerElement === 0) return false;
    const isMeasured = copy.measuredElements >= TELLING_VALUES;
    if (isMeasured && HERE_FACTOR * here.nsPerElement < copy.nsPerElement) return true;
    return !this.#sender.hasSent && isKnownShort(options, this.#left, here);
  }

  get #here(): CallHere {
    this.#callHere ??= new CallHere(this.#spec, { reads: this.#reads, properties: this.#properties });
    return this.#callHere;
  }

  /** Folds values where they stand in their array; false if that cannot be done with the next ones. */
  #foldHere(): boolean {
    const { array, nextIndex: first } = this.#source;
    if (array === undefined || this.#spec.purpose !== 'reduce') return false;
    const startMs = performance.now();
    const results: unknown[] = [];
    const end = Math.min(first + this.#chunkSize(true), this.#source.total);
    const done = this.#here.foldInPlace(array, first, end, results) - first;
    if (done === 0) return false;
    this.#source.skip(done);
    this.#cost.noteHere(done, performance.now() - startMs);
    this.#done += done;
    this.#pieces.push({ first, values: [], results });
    return true;
  }

  /** Never rejects. It has ended when it returns, unless the function returns promises. */
  #runHere(taken: Stretch): void {
    const here = this.#here;
    const names = valueNames(this.#call.name, taken.first);
    const [stretch, given] = this.#ofMost(taken, (values) => here.given(values, names));
    if (given === undefined) return;
    const atOnce = this.#share(stretch);
    const run = (signal: CallSignal): ChunkResult | Promise<ChunkResult> => {
      const cancel = (error: unknown): void => signal.abort(error);
      const limits = { atOnce, arePacked: false, limitMs: CALLER_MOST_US / 1000, scope: undefined, signal, cancel };
      const chunk = runChunk(here.open, given, stretch.first, limits);
      return isPromise(chunk) ? this.#unlessAbandoned(chunk, signal) : chunk;
    };
    this.#start(stretch, atOnce, run, ({ results, done, ms, isAsync }) => {
      this.#cost.noteHere(done, ms);
      this.#finish(stretch, results, done, isAsync);
    });
  }

  /** Starts a chunk. */
  #start<A>(
    { first }: Stretch,
    atOnce: number,
    begin: (signal: CallSignal) => A | Promise<A>,
    receive: (answer: A) => void,
  ): void {
    this.#inProgress += atOnce;
    this.#chunks.start(rankOf(first), begin, {
      done: (answer) => {
        this.#inProgress -= atOnce;
        receive(answer);
      },
      failed: (error) => {
        this.#inProgress -= atOnce;
        this.#fail(first, error);
      },
    });
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

  /** Applies `make` to values, or to the first of them, if one cannot be cloned: the others are given back. Undefined if the first have failed. */
  #ofMost<R>(stretch: Stretch, make: (values: readonly unknown[]) => R): readonly [Stretch, R | undefined] {
    const { first, values } = stretch;
    try {
      const [some, made] = ofMost(values, this.#unit, make);
      if (some.length < values.length) this.#source.giveBack(stretch, some.length);
      return [{ first, values: some }, made];
    } catch (error) {
      this.#fail(first, error);
      return [stretch, undefined];
    }
  }

  /** Number of calls of a chunk that may be in progress. */
  #share({ values }: Stretch): number {
    const { concurrency, options } = this.#call;
    if (!this.#isAsync) return 1;
    const fair = Math.ceil(concurrency / (CHUNKS_PER_THREAD * options.parallelism));
    return Math.min(values.length, fair, concurrency - this.#inProgress);
  }

  /** Sends a chunk to the workers, or a part of it, if its values cannot be packed. */
  #send(taken: Stretch): void {
    const startMs = performance.now();
    const { first } = taken;
    const names = { packed: valueNames(this.#call.name, first), moved: (k: number) => `value ${first + k}` };
    const [stretch, load] = this.#ofMost(taken, (values) => this.#sender.pack(seen(values, this.#properties), names));
    if (load === undefined) return;
    const packMs = performance.now() - startMs;
    this.#bytes = load.parcel.bytes.byteLength / stretch.values.length;
    const atOnce = this.#share(stretch);
    const isLimited = this.#call.transfer === undefined; // values that were moved cannot be packed again
    const limitMs = isLimited ? (VALUES_PATIENCE * this.#chunkUs) / 1000 : Number.POSITIVE_INFINITY;
    const task = this.#spec.isSynchronous ? chunkTask.sync : chunkTask.async;
    const send = (signal: CallSignal): Promise<Parcel> =>
      this.#sender.send(task, load, { signal }, first, atOnce, limitMs);
    this.#start(stretch, atOnce, send, (answer) => this.#receive(stretch, packMs, answer));
  }

  #receive(stretch: Stretch, packMs: number, parcel: Parcel): void {
    const startMs = performance.now();
    const { head, values: results } = answerIn<ChunkHead>(parcel);
    const [done, ms, isAsync] = head;
    this.#cost.copy.noteShared(done, packMs + (performance.now() - startMs));
    this.#cost.noteAway(done, ms);
    this.#finish(stretch, results, done, isAsync);
  }

  #finish(stretch: Stretch, results: readonly unknown[], done: number, isAsync: boolean): void {
    this.#isAsync ||= isAsync;
    this.#done += done;
    const { first, values } = stretch;
    if (done < values.length) this.#source.giveBack(stretch, done);
    const { purpose } = this.#spec;
    if (purpose === 'each') return; // nothing is kept of a source without an end
    this.#pieces.push({ first, values: purpose === 'filter' ? values.slice(0, done) : [], results });
  }

  /** Notes a failure, at an index or of the whole call, and cancels all that comes after it. */
  #fail(at: number | Rank, error: unknown): void {
    if (this.#horizon.cut(typeof at === 'number' ? rankOf(at) : at, { error })) this.#chunks.prune();
    this.#wake();
  }

  #report(isEnd = false): void {
    const { onProgress } = this.#call.options.call;
    if (onProgress === undefined || this.#horizon.hasFailed) return;
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
