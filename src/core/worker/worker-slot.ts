/**
 * This thread's slot in a worker group: its end of the deque, its records, and the ends it may steal from.
 *
 * Workers sit on one slot for life; the thread that owns a pool takes the caller's slot for each `invokeSync`, and
 * has the roots' slot to hand out work. All scheduling reads `thread.slot`, null outside a worker group.
 */
import { OwnerDeque, ThiefDeque } from '../deque/public-deque.js';
import { type Arena, ownArena } from '../memory/arena.js';
import { load, store } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { deferFrees } from '../memory/heap.js';
import { CALLER_SLOT, rootsSlot, slotWord, W_EVENT, W_INVOCATION, W_REQUESTS, W_STATE } from '../memory/layout.js';
import { OwnerRecords, R_CANCEL, recordOf } from '../memory/records.js';
import { Counters } from '../observe/counters.js';

/** Invocations are named by the entry of their root record; there is none outside. */
export const NO_INVOCATION = -1;

export class WorkerSlot {
  readonly memory: ControlMemory;
  readonly words: Int32Array;
  readonly slot: number;
  readonly checked: boolean;
  readonly deque: OwnerDeque;
  readonly records: OwnerRecords;
  readonly counters: Counters;
  /** Ends to steal from, by slot; the own one is never used. */
  readonly victims: ThiefDeque[];
  /** Own header words. */
  readonly requestsWord: number;
  readonly eventWord: number;
  readonly stateWord: number;
  readonly invocationWord: number;
  /** One word on the request word, for the private stack. */
  readonly requests: Int32Array;
  /** Where the last steal succeeded. */
  lastVictim = 0;
  /** Called when a join has slept a slice: the caller's slot looks whether the thief is alive. */
  onSlice: (thief: number) => void = () => {};
  #release: (() => void) | undefined;

  constructor(memory: ControlMemory, slot: number, checked: boolean) {
    const { words, layout } = memory;
    const header = slotWord(layout, slot);
    this.memory = memory;
    this.words = words;
    this.slot = slot;
    this.checked = checked;
    this.deque = new OwnerDeque(words, layout, slot);
    this.records = new OwnerRecords(words, layout, slot);
    this.counters = new Counters(words, header);
    this.victims = Array.from({ length: layout.slots }, (_, victim) => new ThiefDeque(words, layout, victim));
    this.requestsWord = header + W_REQUESTS;
    this.eventWord = header + W_EVENT;
    this.stateWord = header + W_STATE;
    this.invocationWord = header + W_INVOCATION;
    this.requests = words.subarray(this.requestsWord, this.requestsWord + 1);
  }

  /**
   * From here to the end of its invocation `free` waits: others may know its arrays, or loops of ours borrow them. For the
   * caller's slot, where most invocations come and go without; those of workers are held by whoever submitted them.
   */
  deferFrees(): void {
    if (this.slot === CALLER_SLOT) this.#release ??= deferFrees();
  }

  releaseFrees(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** First word of the root record of an invocation. */
  rootOf(invocation: number): number {
    const { layout } = this.memory;
    return recordOf(layout, rootsSlot(layout), invocation);
  }

  /** Why an invocation was cancelled, 0 while it was not. */
  cancelledBy(invocation: number): number {
    return invocation === NO_INVOCATION ? 0 : load(this.words, this.rootOf(invocation) + R_CANCEL);
  }
}

/** What this thread is doing; one per realm. */
export const thread = {
  own: null as WorkerSlot | null,
  /** The invocation whose tasks are on the private stack: one at a time. */
  invocation: NO_INVOCATION,
  /** What the jobs on the private stack need beside the library: code-table id + 1 of a list of codes, 0 for nothing. */
  dependencies: 0,
  /** Foreign steals nested in joins right now. */
  nestedSteals: 0,
  /** Own older tasks nested in joins right now. */
  nestedOwn: 0,
  /** Tasks run without a worker group (SequentialExecutor). */
  sequential: false,
  /** The pool that this thread computes for, as `getPool` shows it. */
  pool: undefined as { readonly name: string; readonly parallelism: number } | undefined,
};

/** Where this thread allocates what the tasks that it forks share: inside a task that is its worker group's arena. */
export const arenaOfThread = (): Arena => thread.own?.memory ?? ownArena;

/** Names the invocation this thread works on, for joins of other threads that look for it. */
export function setInvocation(own: WorkerSlot, invocation: number): void {
  thread.invocation = invocation;
  store(own.words, own.invocationWord, invocation);
}
