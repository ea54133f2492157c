/**
 * This thread's slot in a worker group: its end of the deque, its records, and the deques that it may steal from.
 *
 * A worker has one slot for life. The thread that owns a pool takes the caller's slot for each `invokeSync`, and hands out work
 * through the roots' slot. `thread.own` is null outside a worker group.
 */
import { local } from '../deque/private-stack.js';
import { OwnerDeque, ThiefDeque } from '../deque/public-deque.js';
import { type Arena, ownArena } from '../memory/arena.js';
import { load, store } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { deferFrees } from '../memory/heap.js';
import {
  C_ASYNC,
  C_SPARES,
  CALLER_SLOT,
  DEQUES,
  HIGH_ROOTS,
  INBOX_DEQUE,
  LOW_ROOTS,
  PUBLIC_DEQUE,
  READY_DEQUE,
  rootsSlot,
  slotWord,
  spareNumber,
  spareSlot,
  W_EVENT,
  W_INVOCATION,
  W_REQUESTS,
  W_STATE,
} from '../memory/layout.js';
import { Pins } from '../memory/pins.js';
import { reasonOf, rootOf } from '../memory/record-kinds.js';
import { OwnerRecords } from '../memory/records.js';
import { type CounterName, Counters } from '../observe/counters.js';
import type { EventSink, Observer } from '../observe/observer.js';

/** An invocation is named by the entry of its root record; this stands for none. */
export const NO_INVOCATION = -1;

/** Stands for an invocation without workers, which has no record. Those with a listener have numbers below it. */
export const SEQUENTIAL = -2;

/** The state below an activation (activation.ts): all that its end puts back. */
export interface Activation {
  readonly sp: number;
  readonly base: number;
  /** Goes on while its tasks are published from above. */
  split: number;
  readonly floor: number;
  readonly requests: Int32Array;
  readonly own: WorkerSlot | null;
  readonly pool: PoolView | undefined;
  readonly look: (() => void) | undefined;
  readonly nestedSteals: number;
  readonly nestedOwn: number;
  readonly below: Activation | undefined;
  readonly attached: Attachment;
}

/** The work of a thread within an activation: all that the end of a task of another thread puts back. */
export interface Attachment {
  readonly invocation: number;
  readonly dependencies: number;
  readonly race: number;
  readonly running: Running | undefined;
}

/** A task that runs on this thread in a checked pool, or a piece of one, on top of those that it has interrupted. */
export interface Running {
  readonly below: Running | undefined;
}

/** A section of the private stack that `isolate` has begun. */
export interface Isolated {
  /** Position at which it begins. */
  readonly base: number;
  /** The race or isolation that tasks below it belong to, as `setRace` has it. */
  readonly race: number;
  readonly below: Isolated | undefined;
}

/** A pool, as tasks see it. */
export interface PoolView {
  readonly name: string;
  readonly parallelism: number;
}

export class WorkerSlot {
  readonly memory: ControlMemory;
  readonly words: Int32Array;
  readonly slot: number;
  readonly checked: boolean;
  /** Its deques, by number. */
  readonly deques: readonly OwnerDeque[];
  readonly deque: OwnerDeque;
  /** Forks of asynchronous tasks that were published. */
  readonly ready: OwnerDeque;
  readonly records: OwnerRecords;
  readonly counters: Counters;
  /** Takes what is noted: the observer of the thread, if there is one. */
  sink: EventSink | undefined;
  /**
   * Deques to take from: the public ones of caller and workers by slot, and that of normal roots; then those of high and of low roots;
   * then the ready ones of workers 1 to P; then both of each spare. Its own are never used.
   */
  readonly victims: ThiefDeque[];
  /** Places of the deques of roots in `victims`, by priority. */
  readonly normalRoots: number;
  readonly highRoots: number;
  readonly lowRoots: number;
  /** Its inbox, at the end of `victims`: what no other thread may take. */
  readonly inbox: number;
  /** Places of its own header words. */
  readonly requestsWord: number;
  readonly eventWord: number;
  readonly stateWord: number;
  readonly invocationWord: number;
  /** A view on the request word alone, for the private stack. */
  readonly requests: Int32Array;
  /** The victim of the last steal that succeeded. */
  lastVictim = 0;
  /** Set when it looks at roots before it steals: every other time. */
  takesRootsFirst = false;
  /** Set while it is counted among the searchers. */
  isSearching = false;
  /** Called when a join has slept a slice: on the caller's slot it looks for dead workers. */
  onSlice: () => void = () => {};
  /** Asks the owner for so many spares. */
  onBlocked: (spares: number) => void = () => {};
  /** Time at which it last ran a task on its empty stack (milliseconds). */
  ranMs = 0;
  /** Time that a spare rests before it leaves (milliseconds). */
  keepAliveMs = Number.POSITIVE_INFINITY;
  /** Place at which the deques of spares begin among `victims`. */
  readonly #ofSpares: number;
  #release: (() => void) | undefined;
  /** The arrays that tasks of the caller's invocation name. */
  readonly pins: Pins | undefined;

  constructor(memory: ControlMemory, slot: number, checked: boolean) {
    const { words, layout } = memory;
    const header = slotWord(layout, slot);
    this.memory = memory;
    this.words = words;
    this.slot = slot;
    this.checked = checked;
    this.deques = Array.from({ length: DEQUES }, (_, deque) => new OwnerDeque(words, layout, slot, deque));
    this.deque = this.deques[PUBLIC_DEQUE];
    this.ready = this.deques[READY_DEQUE];
    this.records = new OwnerRecords(words, layout, slot);
    this.counters = new Counters(words, header);
    this.normalRoots = rootsSlot(layout);
    this.victims = Array.from({ length: this.normalRoots + 1 }, (_, victim) => new ThiefDeque(words, layout, victim));
    this.highRoots = this.victims.push(new ThiefDeque(words, layout, this.normalRoots, HIGH_ROOTS)) - 1;
    this.lowRoots = this.victims.push(new ThiefDeque(words, layout, this.normalRoots, LOW_ROOTS)) - 1;
    for (let worker = 1; worker <= layout.parallelism; worker++)
      this.victims.push(new ThiefDeque(words, layout, worker, READY_DEQUE));
    this.#ofSpares = this.victims.length;
    for (let spare = 1; spare <= layout.maxSpares; spare++) {
      const victim = spareSlot(layout, spare);
      this.victims.push(new ThiefDeque(words, layout, victim), new ThiefDeque(words, layout, victim, READY_DEQUE));
    }
    this.pins = slot === CALLER_SLOT ? new Pins() : undefined;
    this.inbox = this.victims.push(new ThiefDeque(words, layout, slot, INBOX_DEQUE)) - 1;
    this.requestsWord = header + W_REQUESTS;
    this.eventWord = header + W_EVENT;
    this.stateWord = header + W_STATE;
    this.invocationWord = header + W_INVOCATION;
    this.requests = words.subarray(this.requestsWord, this.requestsWord + 1);
  }

  /**
   * Something has happened on this thread: counts it, and tells an observer if there is one.
   *
   * @param amount what is counted
   * @param about what it concerns: a record, the entry of a record, a state, a slot, a job
   */
  note(event: CounterName, amount = 1, about = 0): void {
    this.counters.count(event, amount);
    this.sink?.noted(event, amount, about, local.forks);
  }

  /**
   * Makes `free` wait until the invocation of the caller's slot has ended, because other threads may know its arrays. Most of the
   * caller's invocations end without. For invocations of workers, the thread that submitted them does this.
   */
  deferFrees(): void {
    if (this.slot === CALLER_SLOT) this.#release ??= deferFrees();
  }

  releaseFrees(): void {
    if (this.#release === undefined) return;
    this.#release();
    this.#release = undefined;
    this.pins?.release();
  }

  /** Number of `victims` that may have work: ready deques count once an asynchronous task has run, or a spare. */
  get victimCount(): number {
    const spares = load(this.words, C_SPARES);
    if (spares > 0) return this.#ofSpares + 2 * spares;
    return load(this.words, C_ASYNC) === 0 ? this.lowRoots + 1 : this.#ofSpares;
  }

  /** Place of the public deque of a slot among `victims`. */
  victimOf(slot: number): number {
    const spare = spareNumber(this.memory.layout, slot);
    return spare <= 0 ? slot : this.#ofSpares + 2 * (spare - 1);
  }

  /** Reason why an invocation was cancelled; 0 if it was not. */
  cancelledBy(invocation: number): number {
    return invocation === NO_INVOCATION ? 0 : reasonOf(this.words, rootOf(this.memory.layout, invocation));
  }
}

/** The state of this thread; one per realm. */
export const thread = {
  own: null as WorkerSlot | null,
  /** The invocation whose tasks are on the private stack: one at a time. */
  invocation: NO_INVOCATION,
  /** The code that jobs on the private stack need beside the library: code-table id + 1 of a list of codes, 0 for none. */
  dependencies: 0,
  /** The race that the tasks on the private stack belong to, as `setRace` has it: one at a time; 0 for none. */
  race: 0,
  /** The innermost isolation on the private stack. */
  isolated: undefined as Isolated | undefined,
  /** Number of steals that are nested in joins now. */
  nestedSteals: 0,
  /** Number of its own older tasks that are nested in joins now. */
  nestedOwn: 0,
  /** The activation below a root that this thread has given way to. */
  below: undefined as Activation | undefined,
  /** In a checked pool: what runs now. */
  running: undefined as Running | undefined,
  /** The pool that this thread computes for, as `getPool` shows it. */
  pool: undefined as PoolView | undefined,
  /** The observer of what this thread runs. */
  observer: undefined as Observer | undefined,
  /** Without a worker group: throws once the work on the private stack has to end. Undefined if nothing can end it. */
  look: undefined as (() => void) | undefined,
};

/** The arena in which this thread allocates what tasks share: inside a task in its worker group's arena. */
export const arenaOfThread = (): Arena => thread.own?.memory ?? ownArena;

/** Names the invocation that this thread works for, so that other threads see it. */
export function setInvocation(own: WorkerSlot, invocation: number): void {
  thread.invocation = invocation;
  store(own.words, own.invocationWord, invocation);
}

/** The invocation that the thread of a slot works for. */
export const invocationOf = ({ words, layout }: ControlMemory, slot: number): number =>
  load(words, slotWord(layout, slot) + W_INVOCATION);
