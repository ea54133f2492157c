/**
 * The observer of this thread (observe/observer.ts), and the way of accounts between threads; runs on every thread that computes.
 *
 * The owner of a pool writes what it wants into `C_OBSERVED` of the worker group before it submits anything. Each thread reads that word when
 * it takes a task or loads code, and sets or clears its own request bit. So nobody has to wait for a thread to be observed, and what was taken before
 * goes on as it began.
 */
import { and, or, store } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import { bytesAt } from '../memory/heap.js';
import { C_OBSERVED, REQUEST_OBSERVE } from '../memory/layout.js';
import { accountBlock, setAccount } from '../memory/record-kinds.js';
import type { Account, Observer } from '../observe/observer.js';
import type { RecordHome } from '../observe/record-home.js';
import { fromBytes, toBytes } from '../task/values.js';
import { hooks, offered } from './extension.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Nobody observes. */
const OFF = 0;

/** The wish of this realm for its pools. */
const observing = { mode: OFF };

/** The observer of this thread. */
export const observerHere = (): Observer | undefined => thread.observer;

/** Observes this thread from now on, and the pools that it uses; undefined ends that. */
export function observeHere(observer: Observer | undefined): void {
  thread.observer = observer;
  observing.mode = observer?.mode ?? OFF;
}

/** The mode of an observer that records: each worker group has a mode of its own, which says where its threads write to. */
export const RECORDS = -1;

/**
 * Tells the threads of a worker group what this realm wants. Called before anything is submitted to them.
 *
 * @param home what records asks of the pool
 */
export function askToObserve(memory: ControlMemory, home: RecordHome): void {
  thread.observer?.uses?.(home);
  let { mode } = observing;
  if (mode < OFF || (mode === OFF && home.settings.trace !== undefined)) mode = hooks.record(memory, home);
  if (memory.words[C_OBSERVED] === mode) return; // plain: sole writer
  offered('observing');
  store(memory.words, C_OBSERVED, mode); // published with the next root
}

/** The observer of this thread in what it is about to do for a worker group. */
export function observerOf(own: WorkerSlot): Observer | undefined {
  const mode = own.words[C_OBSERVED]; // plain: published with the root
  if (mode !== (thread.observer?.mode ?? OFF)) {
    thread.observer?.stops?.();
    thread.observer = mode === OFF ? undefined : mode < OFF ? hooks.recorder(own, mode) : hooks.observer(mode, own);
    own.sink = thread.observer;
  }
  const isBitSet = (own.requests[0] & REQUEST_OBSERVE) !== 0; // plain: sole writer of this bit
  const seesForks = thread.observer?.seesForks === true;
  if (isBitSet && !seesForks) and(own.words, own.requestsWord, ~REQUEST_OBSERVE);
  else if (!isBitSet && seesForks) or(own.words, own.requestsWord, REQUEST_OBSERVE);
  return thread.observer;
}

/** Runs on this thread what waits for nothing else, as a task of its own. */
export function observedApart<T>(body: () => T): T {
  const strand = thread.observer?.apart();
  if (strand === undefined) return body();
  try {
    return body();
  } finally {
    strand.leave();
    Object.assign(strand.mark, { account: strand.account() }).arrive();
  }
}

/** Makes the release of a call whose tasks were handed to a pool one by one: they have run beside each other. */
export const releasing =
  (release: () => void): (() => void) =>
  () => {
    thread.observer?.stageEnded();
    release();
  };

const HEAD_BYTES = 16;

/** Writes an account into the record of a task that is about to be completed. */
export function putAccount(memory: ControlMemory, record: number, account: Account | undefined): void {
  let block = 0;
  if (account !== undefined) {
    try {
      const bytes = toBytes(account);
      const at = memory.allocate(HEAD_BYTES + bytes.length);
      new Int32Array(bytesAt(at, HEAD_BYTES).buffer, at, 1)[0] = bytes.length; // plain, as the next: published with the outcome (P2)
      bytesAt(at + HEAD_BYTES, bytes.length).set(bytes);
      block = at / 16;
    } catch {
      // The heap is full: the forker learns nothing of what the task has cost.
    }
  }
  setAccount(memory.words, record, block);
}

/** Takes the account out of the record of a completed task; undefined if there is none. */
export function takeAccount(memory: ControlMemory, record: number): Account | undefined {
  const block = accountBlock(memory.words, record);
  if (block === 0) return undefined;
  setAccount(memory.words, record, 0);
  const at = block * 16;
  const [length] = new Int32Array(bytesAt(at, HEAD_BYTES).buffer, at, 1); // plain: see `putAccount`
  const bytes = bytesAt(at + HEAD_BYTES, length).slice(); // because decoders refuse shared bytes
  memory.free(at);
  return fromBytes(bytes) as Account;
}
