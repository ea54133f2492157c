/**
 * A worker group: one generation of a pool's workers with their control memory; runs on the thread that owns the pool.
 *
 * A worker group is never repaired. When a worker dies in the middle of something, all are ended and the pool makes a new worker group
 * with fresh control memory, so no word of a half-finished protocol is ever read again. What crosses generations is
 * the shared heap, and that is put right thread by thread.
 */

import { unpackError } from '../code/error-transport.js';
import { add, load, notify, store, wait } from '../memory/atomics.js';
import { ControlMemory } from '../memory/control.js';
import { knownExternal, setShareBuffer } from '../memory/external-buffers.js';
import { type HeapHandle, heapHandle, heapThread, repairAfter, setDeadThreadProbe } from '../memory/heap.js';
import {
  C_PHASE,
  C_SETTLED,
  CALLER_SLOT,
  layoutOf,
  PHASE_CRASHED,
  PHASE_STOP,
  REQUEST_CANCEL,
  REQUEST_CHECKED,
  rootsSlot,
  slotWord,
  W_EXIT_CODE,
  W_EXITED,
  W_INVOCATION,
  W_ONLINE,
  W_REQUESTS,
} from '../memory/layout.js';
import { Counters, type CounterValues } from '../observe/counters.js';
import { host, type WorkerThread } from '../platform/host.js';
import { libraryScript } from '../platform/library-script.js';
import { version } from '../version.js';
import { requestOfAll } from '../worker/requests.js';
import type { FromWorker, ToWorker, WorkerData } from '../worker/serve.js';
import { wakeSlot } from '../worker/sleep.js';
import { NO_INVOCATION, WorkerSlot } from '../worker/worker-slot.js';
import type { PoolSettings } from './options.js';

/** How a worker ended that nobody had asked to. */
export interface Crash {
  readonly slot: number;
  readonly exitCode: number;
  /** An error that the worker did not catch. */
  readonly error: unknown;
  /** Why the pool itself ended the workers, if it did. */
  readonly endedBecause?: string;
}

/** A crash, when all workers are gone. */
export interface SettledCrash extends Crash {
  /** Somebody waited for the worker group, and gets it as an error. */
  readonly isReported: boolean;
}

/** The control memory, and the owner's slots in it. */
interface WorkerSlots {
  readonly memory: ControlMemory;
  readonly caller: WorkerSlot;
  readonly roots: WorkerSlot;
}

interface Member {
  readonly slot: number;
  heapThread: number;
  readonly thread: WorkerThread;
  error: unknown;
  gone: boolean;
}

/** How often a blocked owner looks whether its workers are dead (milliseconds). */
const DEATH_POLL_MS = 5;

/** Of a worker that was not given a number in the heap. */
const NO_THREAD = -1;

const groups = new Set<WorkerGroup>();
let made = 0;

/** Marks a worker group's blobs on the shared heap, whichever thread owns the worker group. */
const nextTag = (): number => heapThread() * 2 ** 16 + (++made % 2 ** 16);

/** A external buffer goes to every worker of every worker group of this thread. */
function shareBuffer(id: number, buffer: SharedArrayBuffer): void {
  for (const group of groups) group.broadcast({ type: 'external', id, buffer });
}

/** Asked by this thread when it waits for the heap's lock, which a worker may have taken to its grave. */
const isHeapThreadDead = (thread: number): boolean => [...groups].some((group) => group.hasLost(thread));

export class WorkerGroup {
  readonly settings: PoolSettings;
  /** Settles when all workers are up; rejects when one cannot start. */
  readonly ready: Promise<void>;
  readonly #onCrash: (crash: SettledCrash) => void;
  #members: Member[] = [];
  #online = 0;
  #settleReady: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #allGone: Promise<void>;
  #resolveGone: () => void = () => {};
  #crash: Crash | undefined;
  /** The first worker that a blocked owner found dead. */
  #found: Crash | undefined;
  /** Who needs the workers to keep the process alive. */
  readonly #needing = new Set<object>();
  #madeSlots: WorkerSlots | undefined;

  constructor(settings: PoolSettings, onCrash: (crash: SettledCrash) => void) {
    this.settings = settings;
    this.#onCrash = onCrash;
    setShareBuffer(shareBuffer); // here: a caller without workers encodes too, in checked mode
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => {}); // whoever waits hears of it
    this.#allGone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
  }

  get memory(): ControlMemory {
    return this.#slots.memory;
  }

  /** Where the owner computes under `invokeSync`. */
  get caller(): WorkerSlot {
    return this.#slots.caller;
  }

  /** Where the owner hands out roots. */
  get roots(): WorkerSlot {
    return this.#slots.roots;
  }

  /** Made when first needed: the first worker's thread starts meanwhile. */
  get #slots(): WorkerSlots {
    this.#madeSlots ??= this.#makeSlots();
    return this.#madeSlots;
  }

  #makeSlots(): WorkerSlots {
    const { parallelism, checked } = this.settings;
    const layout = layoutOf(parallelism);
    const memory = new ControlMemory(new SharedArrayBuffer(layout.totalBytes), layout, nextTag());
    for (let slot = 0; slot < layout.slots; slot++) {
      store(memory.words, slotWord(layout, slot) + W_INVOCATION, NO_INVOCATION);
      if (checked) store(memory.words, slotWord(layout, slot) + W_REQUESTS, REQUEST_CHECKED);
    }
    const caller = new WorkerSlot(memory, CALLER_SLOT, checked);
    caller.onSlice = () => this.#lookForTheDead();
    return { memory, caller, roots: new WorkerSlot(memory, rootsSlot(layout), checked) };
  }

  get started(): boolean {
    return this.#members.length > 0;
  }

  /**
   * Starts the workers; they come up while this thread goes on.
   *
   * @throws what `createWorker` throws, or the platform of options that it does not take; those before it may have started
   */
  start(): void {
    if (this.started) return;
    setDeadThreadProbe(isHeapThreadDead);
    const { parallelism } = this.settings;
    for (let slot = 1; slot <= parallelism; slot++) {
      this.#members.push(this.#spawn(slot));
      groups.add(this);
    }
    try {
      for (const member of this.#members) this.#begin(member);
    } catch (error) {
      for (const { thread, heapThread } of this.#members) if (heapThread === NO_THREAD) thread.terminate(); // they would wait
      if (this.#madeSlots === undefined) {
        // No memory: none of them has begun, and nobody waits for their end.
        this.#members = [];
        groups.delete(this);
      }
      throw error;
    }
  }

  #spawn(slot: number): Member {
    const { name, execArgv, resourceLimits, preload, createWorker } = this.settings;
    const options = {
      library: libraryScript,
      name: `${name}-${slot}`,
      resourceLimits,
      preload,
      ...(execArgv === undefined ? {} : { execArgv }),
      ...(createWorker === undefined ? {} : { createWorker }),
    };
    const thread = host().spawn(options, {
      message: (message) => this.#hear(member, message as FromWorker),
      error: (error) => {
        member.error ??= error;
      },
      exit: (code) => this.#left(member, code),
    });
    const member: Member = { slot, heapThread: NO_THREAD, thread, error: undefined, gone: false };
    return member;
  }

  /** Tells a worker its place in the worker group. */
  #begin(member: Member): void {
    const { memory } = this; // first: it may be refused
    const heap = heapHandle();
    member.heapThread = heap.thread;
    member.thread.begin(this.#dataFor(member.slot, memory, heap));
  }

  #dataFor(slot: number, memory: ControlMemory, heap: HeapHandle): WorkerData {
    const { settings } = this;
    return {
      version,
      control: memory.buffer,
      layout: memory.layout,
      tag: memory.tag,
      slot,
      checked: settings.checked,
      heap,
      poolName: settings.name,
      preload: settings.preload,
      external: knownExternal(),
      byName: settings.createWorker !== undefined,
    };
  }

  #hear(member: Member, message: FromWorker): void {
    if (message.type === 'ready') {
      if (++this.#online === this.settings.parallelism) this.#settleReady?.resolve();
    } else if (message.type === 'threw') {
      member.error = unpackError(message.error);
    } else {
      const reason = `furcate: a worker of pool '${this.settings.name}' could not start: ${message.reason}`;
      this.#settleReady?.reject(new Error(reason));
      this.#fail({ slot: member.slot, exitCode: 1, error: new Error(reason) });
    }
  }

  #left(member: Member, exitCode: number): void {
    member.gone = true;
    if (!this.started) return; // it has never begun
    if (member.heapThread !== NO_THREAD) repairAfter(member.heapThread);
    this.#fail(this.#crashOf(member, exitCode));
    if (this.#members.every(({ gone }) => gone)) {
      groups.delete(this);
      this.memory.release();
      this.#settleReady?.reject(
        new Error(`furcate: the workers of pool '${this.settings.name}' ended while they started.`),
      );
      this.#resolveGone();
    }
  }

  /** The first death counts, which a blocked owner may have found, and a worker's last words: others were ended for it. */
  #crashOf({ slot, error }: Member, exitCode: number): Crash {
    return this.#found ?? { slot, exitCode: this.#lastWords(slot) ?? exitCode, error };
  }

  /** The exit code that a worker left behind, if it could. */
  #lastWords(slot: number): number | undefined {
    const { words, layout } = this.memory;
    const header = slotWord(layout, slot);
    return load(words, header + W_EXITED) === 0 ? undefined : load(words, header + W_EXIT_CODE);
  }

  /** Ends workers that nothing else stops; as after a crash, new ones take their place. */
  endWorkers(because: string): void {
    this.#fail({ slot: 0, exitCode: 1, error: undefined, endedBecause: because });
  }

  /** A worker died: nothing more is started, and all others end too. */
  #fail(crash: Crash): void {
    if (this.#crash !== undefined || load(this.memory.words, C_PHASE) === PHASE_STOP) return;
    this.#crash = crash;
    const isReported = this.#found !== undefined || this.#needing.size > 0;
    this.#markCrashed();
    for (const { thread, gone } of this.#members) if (!gone) thread.terminate();
    // By then its error is known, if it had one.
    void this.#allGone.then(() =>
      this.#onCrash({ ...crash, error: crash.error ?? this.#members[crash.slot - 1]?.error, isReported }),
    );
  }

  #markCrashed(): void {
    const { words } = this.memory;
    store(words, C_PHASE, PHASE_CRASHED); // S7
    requestOfAll(this.memory, REQUEST_CANCEL);
    this.#wakeAll();
  }

  get crashed(): boolean {
    return load(this.memory.words, C_PHASE) === PHASE_CRASHED;
  }

  #wakeAll(): void {
    for (let slot = 0; slot <= this.settings.parallelism; slot++) wakeSlot(this.memory, slot);
    add(this.memory.words, C_SETTLED, 1);
    notify(this.memory.words, C_SETTLED);
  }

  broadcast(message: ToWorker): void {
    for (const { thread, gone } of this.#members) if (!gone) thread.post(message);
  }

  /** Keeps the process alive while something is in flight, or someone waits for the workers to come up. */
  keepAlive(who: object, needed: boolean): void {
    const before = this.#needing.size > 0;
    if (needed) this.#needing.add(who);
    else this.#needing.delete(who);
    if (this.#needing.size > 0 === before) return;
    for (const { thread } of this.#members) {
      if (needed) thread.ref();
      else thread.unref();
    }
  }

  /** Lets the workers finish what they run, and ends them; resolves when they are gone. */
  async stop(): Promise<void> {
    if (!this.started) return;
    store(this.memory.words, C_PHASE, PHASE_STOP); // S7: before all are woken
    this.#wakeAll();
    await this.#ended();
  }

  /** Ends the workers at once; resolves when they are gone, and nothing of them runs any more. */
  async kill(): Promise<void> {
    if (!this.started) return;
    store(this.memory.words, C_PHASE, PHASE_STOP);
    requestOfAll(this.memory, REQUEST_CANCEL);
    this.#wakeAll();
    for (const { thread, gone } of this.#members) if (!gone) thread.terminate();
    await this.#ended();
  }

  async #ended(): Promise<void> {
    for (const { thread, gone } of this.#members) if (!gone) thread.ref(); // the process waits for them
    await this.#allGone;
  }

  /** Behind a join that blocks the owner: is every worker alive? No event loop runs meanwhile. */
  #lookForTheDead(): void {
    if (this.crashed) return;
    const dead = this.#members.find(({ slot, thread }) => !this.#isAlive(slot, thread));
    if (dead === undefined) return;
    dead.thread.drainMessages(); // its error, which no event brings while this thread blocks
    this.#found = { slot: dead.slot, exitCode: this.#lastWords(dead.slot) ?? 1, error: dead.error };
    this.#markCrashed();
  }

  /** Is it the heap thread of a worker of this worker group that has died? */
  hasLost(heapThread: number): boolean {
    const member = this.#members.find((each) => each.heapThread === heapThread);
    return member !== undefined && !this.#isAlive(member.slot, member.thread);
  }

  #isAlive(slot: number, thread: WorkerThread): boolean {
    if (this.#lastWords(slot) !== undefined) return false;
    return !this.#isOnline(slot) || thread.isRunning();
  }

  #isOnline(slot: number): boolean {
    return load(this.memory.words, slotWord(this.memory.layout, slot) + W_ONLINE) !== 0;
  }

  /** After a crash seen by a blocked owner: ends all workers, blocking until none can run; says how the first one died. */
  endBlocking(): Crash {
    for (const { thread } of this.#members) thread.terminate();
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    // One that was not online has run no task, and starts none: it is ended already, and may never come up.
    const mayRun = ({ slot, thread }: Member): boolean => this.#isOnline(slot) && this.#isAlive(slot, thread);
    while (this.#members.some(mayRun)) wait(nobody, 0, 0, DEATH_POLL_MS);
    return this.#found ?? { slot: 0, exitCode: 1, error: undefined };
  }

  counters(): { readonly slot: number; readonly values: CounterValues }[] {
    if (this.#madeSlots === undefined) return [];
    return Array.from({ length: this.settings.parallelism + 1 }, (_, slot) => ({
      slot,
      values: new Counters(this.memory.words, slotWord(this.memory.layout, slot)).read(),
    }));
  }
}
