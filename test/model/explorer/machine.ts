/**
 * The threads and the words of a model: makes accesses, stops threads before those that others may be affected by, puts
 * threads to sleep and wakes them, and can go back to where it was.
 */
import { Contention } from './contention.js';
import type { Copy, MakeCopy } from './load-source.js';
import { ModelWords, mix } from './model-words.js';
import { type Access, ModelFailure, type Scenario, textOf } from './scenario.js';
import * as S from './seam.js';
import { AT_ACCESS, BLOCKED, ENDED, PAUSE, START, type ThreadContext, VirtualThread, WOKEN } from './virtual-thread.js';

interface SavedThread {
  readonly status: number;
  readonly logged: number;
  readonly noted: number;
  readonly low: number;
  readonly high: number;
  readonly waitsOn: number;
  readonly mayTimeOut: boolean;
  readonly waitsSince: number;
  readonly holds: ((words: Int32Array) => boolean) | undefined;
}

/** Where a machine was. */
export interface Snapshot {
  readonly mark: number;
  readonly timeouts: number;
  readonly traced: number;
  readonly threads: readonly SavedThread[];
}

/** A thread that makes more accesses than this in one schedule spins. */
const MAX_ACCESSES = 5_000;

export class Machine {
  readonly #scenario: Scenario;
  readonly #mayGoOn: (thread: number) => boolean;
  readonly #copies: Copy[];
  readonly #words: ModelWords;
  readonly #threads: VirtualThread[];
  readonly #waitsSince: number[];
  readonly #contexts: ThreadContext[];
  readonly #trace: Access[] = [];
  readonly contention: Contention;
  readonly #start: Snapshot;
  #timeouts = 0;
  /** Kept until the running thread has unwound: the checked code must not catch it. */
  #failed: ModelFailure | undefined;

  /** @param mayGoOn asked before an access that others may be affected by; false stops the thread there */
  constructor(scenario: Scenario, makeCopy: MakeCopy, mayGoOn: (thread: number) => boolean) {
    this.#scenario = scenario;
    this.#mayGoOn = mayGoOn;
    this.#words = new ModelWords(scenario.words);
    this.contention = new Contention(scenario.words);
    this.#threads = scenario.threads.map((body, index) => new VirtualThread(index, body));
    this.#waitsSince = this.#threads.map(() => 0);
    const seams = this.#threads.map((thread) => this.#seamOf(thread));
    this.#copies = seams.map(makeCopy);
    this.#contexts = this.#threads.map((thread, index) => ({
      note: (what) => thread.note(what),
      seam: seams[index],
      until: (addresses, holds) => this.#until(thread, addresses, holds),
      drain: () => {
        for (let next = thread.queue.shift(); next !== undefined; next = thread.queue.shift()) next();
        if (thread.stopped) throw PAUSE; // a promise may have swallowed it
      },
      kill: (victim) => void this.#access(thread, S.KILL, victim, 0, 0),
      buffer: this.#words.decoy as unknown as SharedArrayBuffer,
    }));
    const cells = new Int32Array(scenario.words);
    scenario.setUp(cells);
    for (const [at, value] of cells.entries()) this.#words.write(at, value);
    this.#start = this.save();
  }

  /** Back to the first state. What is known of contended words stays. */
  reset(): void {
    this.restore(this.#start);
  }

  /** Runs a thread until it ends, blocks or is stopped. */
  run(index: number): void {
    const thread = this.#threads[index];
    const { library, reset } = this.#copies[index];
    reset();
    try {
      this.#wake(thread); // may fail, too: the access that ends the wait may be one too many
      thread.run(library, this.#contexts[index]);
    } catch (error) {
      this.#failed ??= this.#failure(`${thread.body.name} threw ${textOf(error)}`);
    }
    if (this.#failed !== undefined) throw this.#failed;
  }

  /** Could this thread go on by itself? */
  canGoOn(index: number): boolean {
    const { status, holds } = this.#threads[index];
    if (status === BLOCKED) return holds?.(this.#words.cells) === true;
    return status !== ENDED;
  }

  /** Threads that may be chosen now: those that can go on, those whose short wait may end. */
  get enabled(): number[] {
    const mayTimeOut = this.#timeouts < (this.#scenario.timeouts?.most ?? 0);
    const can = this.#indices((thread) => this.canGoOn(thread.index) || (mayTimeOut && isInShortWait(thread)));
    // Time passes while all wait: a short wait ends, however many have ended before.
    return can.length > 0 ? can : this.#indices(isInShortWait);
  }

  #indices(fits: (thread: VirtualThread) => boolean): number[] {
    return this.#threads.filter(fits).map(({ index }) => index);
  }

  /** Two hashes of the state, 32 bits each. */
  hashes(): [low: number, high: number] {
    let { low, high } = this.#words;
    for (const thread of this.#threads) {
      const { index, status } = thread;
      // Where it can go on, what it does next follows from its history.
      const isPlain = status === START || status === WOKEN || status === AT_ACCESS;
      const state = (isPlain ? 0 : status) + 8 * this.#rank(thread);
      low ^= mix(mix(thread.low, index), state);
      high ^= mix(mix(thread.high, ~index), state);
    }
    return [low ^ mix(this.#timeouts, 77), high];
  }

  /** Its place in the queue of its word. */
  #rank(thread: VirtualThread): number {
    if (thread.status !== BLOCKED || thread.waitsOn < 0) return 0;
    const since = this.#waitsSince[thread.index];
    return this.#threads.filter(
      ({ index, status, waitsOn }) =>
        status === BLOCKED && waitsOn === thread.waitsOn && this.#waitsSince[index] < since,
    ).length;
  }

  /** Nobody can go on: looks whether that is as it should be. */
  finish(): void {
    const { threads, check } = this.#scenario;
    const stuck = this.#indices(({ status }) => status === BLOCKED).map((index) => threads[index].name);
    if (stuck.length > 0) throw this.#failure(`${stuck.join(', ')}: asleep for ever`);
    try {
      check({ notes: this.#threads.map(({ notes }) => notes), words: this.#words.cells });
    } catch (error) {
      throw this.#failure(textOf(error));
    }
  }

  /** @throws Error when something was written past the seam */
  assertUntouched(): void {
    this.#words.assertUntouched();
  }

  save(): Snapshot {
    return {
      mark: this.#words.mark,
      timeouts: this.#timeouts,
      traced: this.#trace.length,
      threads: this.#threads.map((thread) => this.#save(thread)),
    };
  }

  restore({ mark, timeouts, traced, threads }: Snapshot): void {
    this.#words.rewind(mark);
    this.#timeouts = timeouts;
    this.#trace.length = traced;
    for (const thread of this.#threads) {
      const saved = threads[thread.index];
      thread.status = saved.status;
      thread.log.length = saved.logged;
      thread.notes.length = saved.noted;
      thread.low = saved.low;
      thread.high = saved.high;
      thread.waitsOn = saved.waitsOn;
      thread.mayTimeOut = saved.mayTimeOut;
      thread.holds = saved.holds;
      this.#waitsSince[thread.index] = saved.waitsSince;
    }
  }

  #save(thread: VirtualThread): SavedThread {
    const { status, log, notes, low, high, waitsOn, mayTimeOut, holds } = thread;
    const waitsSince = this.#waitsSince[thread.index];
    return { status, logged: log.length, noted: notes.length, low, high, waitsOn, mayTimeOut, waitsSince, holds };
  }

  /** A blocked thread is chosen: its condition holds now, or its wait times out. */
  #wake(thread: VirtualThread): void {
    if (thread.status !== BLOCKED) return;
    if (thread.holds === undefined) this.#timeouts++;
    this.#endWait(thread, thread.holds === undefined ? 'timed-out' : 0);
  }

  #endWait(thread: VirtualThread, result: number | string): void {
    thread.status = WOKEN;
    thread.holds = undefined;
    this.#remember(thread, thread.waitsOn < 0 ? S.UNTIL : S.WAIT, thread.waitsOn, result);
    thread.waitsOn = -1;
  }

  #remember(thread: VirtualThread, kind: number, at: number, result: number | string, before = 0): void {
    const seen = typeof result === 'number' ? result : result.length + 1000;
    thread.low = mix(thread.low ^ mix(at, kind), seen);
    thread.high = mix(thread.high ^ mix(kind, at), ~seen);
    thread.remember(placeOf(kind, at), result);
    const access: Access = { thread: thread.index, kind, at, result, before };
    this.#trace.push(access);
    if (thread.log.length > MAX_ACCESSES)
      this.#fail(thread, `${thread.body.name} makes ${MAX_ACCESSES} accesses: it spins`);
    try {
      this.#scenario.monitor?.(access, this.#words.cells);
    } catch (error) {
      this.#fail(thread, textOf(error));
    }
  }

  #fail(thread: VirtualThread, reason: string): never {
    this.#failed ??= this.#failure(reason);
    return this.#stop(thread);
  }

  /** Stops the running thread where it is. */
  #stop(thread: VirtualThread): never {
    thread.stopped = true;
    throw PAUSE;
  }

  /** May the thread make this access now? If it may not, it stops here. */
  #admit(thread: VirtualThread, kind: number, at: number): void {
    if (thread.stopped) throw PAUSE;
    const isExclusive = this.#scenario.isExclusive?.(at) === true;
    const contended = !isExclusive && this.contention.isContended(thread.index, kind, at);
    if (thread.granted) {
      thread.granted = false;
      thread.status = START;
      return;
    }
    if (!contended) return;
    thread.status = AT_ACCESS;
    if (!this.#mayGoOn(thread.index)) this.#stop(thread);
    thread.status = START;
  }

  #access(thread: VirtualThread, kind: number, at: number, a: number, b: number): number | string {
    if (thread.position < thread.log.length) return this.#recall(thread, kind, at);
    this.#admit(thread, kind, at);
    const before = this.#words.cells[at];
    const result = kind === S.KILL ? this.#kill(at) : this.#perform(kind, at, a, b);
    this.#remember(thread, kind, at, result, before);
    return result;
  }

  /** What an access gave when the thread first made it. */
  #recall(thread: VirtualThread, kind: number, at: number): number | string {
    const { position } = thread;
    thread.position++;
    if (thread.accesses[position] !== placeOf(kind, at))
      this.#fail(thread, `${thread.body.name} does not repeat itself`);
    return thread.log[position];
  }

  #perform(kind: number, at: number, a: number, b: number): number {
    if (kind === S.NOTIFY) return this.#notify(at, a);
    const before = this.#words.cells[at];
    this.#words.write(at, S.modified(kind, before, a, b));
    return kind === S.STORE || kind === S.WRITE ? a : before;
  }

  #notify(at: number, count: number): number {
    const waiting = this.#threads.filter(({ status, waitsOn }) => status === BLOCKED && waitsOn === at);
    waiting.sort((x, y) => this.#waitsSince[x.index] - this.#waitsSince[y.index]);
    const woken = waiting.slice(0, count);
    for (const thread of woken) this.#endWait(thread, 'ok');
    return woken.length;
  }

  #kill(victim: number): number {
    this.#threads[victim].status = ENDED;
    return 0;
  }

  #wait(thread: VirtualThread, at: number, expected: number, timeoutMs: number): string {
    if (thread.position < thread.log.length) return this.#recall(thread, S.WAIT, at) as string;
    this.#admit(thread, S.WAIT, at);
    if (this.#words.cells[at] !== expected) {
      this.#remember(thread, S.WAIT, at, 'not-equal');
      return 'not-equal';
    }
    thread.status = BLOCKED;
    thread.waitsOn = at;
    thread.mayTimeOut = timeoutMs <= (this.#scenario.timeouts?.upToMs ?? -1);
    this.#waitsSince[thread.index] = this.#trace.length;
    return this.#stop(thread);
  }

  #until(thread: VirtualThread, addresses: readonly number[], holds: (words: Int32Array) => boolean): void {
    if (thread.position < thread.log.length) {
      this.#recall(thread, S.UNTIL, -1);
      return;
    }
    if (thread.stopped) throw PAUSE;
    for (const at of addresses) this.contention.isContended(thread.index, S.UNTIL, at);
    thread.status = BLOCKED;
    thread.waitsOn = -1;
    thread.holds = holds;
    this.#stop(thread);
  }

  #seamOf(thread: VirtualThread): S.Seam {
    const at = (words: Int32Array, index: number): number => (words.byteOffset >> 2) + index;
    const of =
      (kind: number) =>
      (words: Int32Array, index: number, a = 0, b = 0) =>
        this.#access(thread, kind, at(words, index), a, b) as number;
    return {
      buffer: this.#words.decoy as unknown as SharedArrayBuffer,
      load: of(S.LOAD),
      store: of(S.STORE),
      add: of(S.ADD),
      sub: of(S.SUB),
      and: of(S.AND),
      or: of(S.OR),
      exchange: of(S.EXCHANGE),
      compareExchange: of(S.COMPARE_EXCHANGE),
      wait: (words, index, expected, timeoutMs = Number.POSITIVE_INFINITY) =>
        this.#wait(thread, at(words, index), expected, timeoutMs),
      notify: (words, index, count = Number.POSITIVE_INFINITY) =>
        this.#access(thread, S.NOTIFY, at(words, index), count, 0) as number,
      waitAsync: (words, index, expected) => ({
        async: false,
        value: this.#wait(thread, at(words, index), expected, Number.POSITIVE_INFINITY),
      }),
      read: (words, index) => this.#plain(thread, words, index, undefined),
      write: (words, index, value) => this.#plain(thread, words, index, value),
      pass: (error) => {
        if (error === PAUSE) throw PAUSE;
      },
      queue: (callback) => void thread.queue.push(callback),
      nowMs: () => ++thread.clock,
      random: () => 0,
    };
  }

  /** A plain access; to memory that is not the model's, what it says. */
  #plain(thread: VirtualThread, words: Int32Array | Float64Array, index: number, value: number | undefined): number {
    if (words.buffer !== this.#words.decoy) {
      if (value !== undefined) words[index] = value;
      return words[index];
    }
    const kind = value === undefined ? S.READ : S.WRITE;
    if (words instanceof Int32Array) {
      return this.#access(thread, kind, (words.byteOffset >> 2) + index, value ?? 0, 0) as number;
    }
    const at = 2 * index;
    if (thread.position < thread.log.length) return this.#recall(thread, kind, at) as number;
    this.#admit(thread, kind, at);
    if (value !== undefined) this.#words.writeDouble(at, value);
    const result = value ?? this.#words.readDouble(at);
    this.#remember(thread, kind, at, result);
    return result;
  }

  #failure(reason: string): ModelFailure {
    return new ModelFailure(this.#scenario, reason, this.#trace);
  }
}

const isInShortWait = ({ status, mayTimeOut, holds }: VirtualThread): boolean =>
  status === BLOCKED && holds === undefined && mayTimeOut;

/** Names an access for `#recall`. */
const placeOf = (kind: number, at: number): number => 16 * at + kind;
