/** The invocations of a worker group, and its threads, as statistics and the watch for stalls see them; runs on the thread that owns the pool. */
import { isBuiltin } from '../code/registry.js';
import { codeTable } from '../code/table.js';
import { load, or, store } from '../memory/atomics.js';
import {
  C_BLOCKED,
  C_LAST_WORKER,
  C_SLEEPERS,
  dequeWord,
  PUBLIC_DEQUE,
  READY_DEQUE,
  REQUEST_LOOK,
  REQUEST_PUBLISH,
  rootsSlot,
  STATE_JOINING,
  STATE_RUNNING,
  STATE_WAITING,
  slotWord,
  W_BOTTOM,
  W_ONLINE,
  W_REQUESTS,
  W_STATE,
  W_TOP,
} from '../memory/layout.js';
import { DONE, FAILED, NO_RECORD, PUBLIC, R_CODE, R_STATUS, stateOf } from '../memory/records.js';
import { Counters, plus } from '../observe/counters.js';
import type { LimitWait } from '../observe/limit-wait.js';
import type { GroupCounts, RecordHome } from '../observe/record-home.js';
import { host } from '../platform/host.js';
import { type ForkJoinTask, nameOf } from '../task/fork-join-task.js';
import { hooks } from '../worker/extension.js';
import { invocationOf, NO_INVOCATION } from '../worker/worker-slot.js';
import type { PoolSettings, SubmitOptions } from './options.js';
import type { GuardDelay } from './root-watch.js';
import type { RunningTask, StallHome, ThreadView } from './stall.js';
import type { WorkerGroup } from './worker-group.js';

interface Submitted {
  readonly task: ForkJoinTask<unknown>;
  readonly options: SubmitOptions;
  readonly entry: number;
  readonly sinceMs: number;
}

/** State of a pool at this moment. */
export interface PoolState {
  /** Invocations that no thread has begun. */
  readonly queued: number;
  /** Longest time that an invocation has waited, in milliseconds; 0 if none waits. */
  readonly oldestWaitMs: number;
  /** Forked tasks that thieves may take, and nobody has taken. */
  readonly queueDepth: number;
  /** Threads that sleep in a join, until another thread has run a task. */
  readonly waiting: number;
  /** Threads that are in a `blocking` section, or lend their place to a spare. */
  readonly blocked: number;
}

export const NOTHING_RUNS: PoolState = { queued: 0, oldestWaitMs: 0, queueDepth: 0, waiting: 0, blocked: 0 };

export class Overview implements StallHome, RecordHome {
  /** That of the latest look of the guard. */
  delay: GuardDelay = { setMs: 0, late: 0 };
  readonly #group: WorkerGroup;
  readonly #all: () => readonly Submitted[];

  constructor(group: WorkerGroup, all: () => readonly Submitted[]) {
    this.#group = group;
    this.#all = all;
  }

  get settings(): PoolSettings {
    return this.#group.settings;
  }

  nowMs(): number {
    return host().nowMs();
  }

  othersCpuMs(): number | undefined {
    return host().othersCpuMs?.();
  }

  cpuMs(slot: number): number | undefined {
    const { words, layout } = this.#group.memory;
    const osThread = load(words, slotWord(layout, slot) + W_ONLINE);
    return osThread > 1 ? host().cpuMsOf?.(osThread) : undefined;
  }

  slots(): number[] {
    const { layout, slots } = this.#group.memory;
    return Array.from({ length: slots - 1 }, (_, k) => k + 1).filter((slot) => slot !== rootsSlot(layout));
  }

  thread(slot: number): ThreadView {
    const { memory } = this.#group;
    const header = slotWord(memory.layout, slot);
    const requests = load(memory.words, header + W_REQUESTS);
    const isRunning = load(memory.words, header + W_STATE) === STATE_RUNNING;
    return {
      computes: isRunning && invocationOf(memory, slot) !== NO_INVOCATION,
      isAsked: (requests & REQUEST_LOOK) !== 0,
      isInSection: !this.settings.checked && (requests & REQUEST_PUBLISH) !== 0,
    };
  }

  running(slot: number): RunningTask {
    const { words, layout } = this.#group.memory;
    const { task, ms } = new Counters(words, slotWord(layout, slot)).running(this.nowMs());
    const root = invocationOf(this.#group.memory, slot);
    const invocation = this.#nameOf(root);
    if (task === 0) return { task: invocation, module: undefined, invocation, sinceMs: undefined, key: `root ${root}` };
    const { name, url } = codeTable().entry(load(words, task + R_CODE));
    const key = `${task} ${load(words, task + R_STATUS) >>> 16}`;
    const sinceMs = this.nowMs() - ms;
    return isBuiltin(url)
      ? { task: invocation, module: undefined, invocation, sinceMs, key }
      : { task: name, module: url, invocation, sinceMs, key };
  }

  /** Name of what was invoked, by the entry of its root. */
  #nameOf(invocation: number): string {
    const found = this.#all().find(({ entry }) => entry === invocation);
    return found === undefined ? 'an invocation' : (found.options.called ?? nameOf(found.task));
  }

  ask(slot: number): void {
    const { words, layout } = this.#group.memory;
    or(words, slotWord(layout, slot) + W_REQUESTS, REQUEST_LOOK);
  }

  counts(): GroupCounts | undefined {
    const group = this.#group;
    if (group.memory.isReleased) return undefined;
    const all = group.counters();
    const upMs = all.reduce((sum, _, slot) => sum + (slot <= this.settings.parallelism ? group.upMs(slot) : 0), 0);
    return { ...all.reduce(plus), upUs: upMs * 1000 };
  }

  limit(workers: number): void {
    const { memory } = this.#group;
    if (memory.isReleased) return;
    store(memory.words, C_LAST_WORKER, workers); // S6: before all are woken
    if (workers === 0) this.#group.wakeAll();
  }

  sleepers(): number {
    return load(this.#group.memory.words, C_SLEEPERS);
  }

  blocked(): number {
    return load(this.#group.memory.words, C_BLOCKED);
  }

  limits(): readonly LimitWait[] {
    return hooks.limits();
  }

  async stack(slot: number): Promise<string | undefined> {
    return this.#group.threadOf(slot)?.stack?.();
  }

  warn(message: string): void {
    host().warn(message);
  }

  queued(): number {
    return this.#queued().length;
  }

  lateMs(): number {
    return this.nowMs() - this.delay.setMs;
  }

  ended(): number {
    return this.delay.late + this.#all().filter(({ entry }) => [DONE, FAILED].includes(this.#stateOf(entry))).length;
  }

  #queued(): Submitted[] {
    return this.#all().filter(({ entry }) => this.#stateOf(entry) === PUBLIC);
  }

  /** The state of a root; one that waits for a record counts as public. */
  #stateOf(entry: number): number {
    const { roots, memory } = this.#group;
    return entry === NO_RECORD ? PUBLIC : stateOf(memory.words, roots.records.wordOf(entry));
  }

  state(): PoolState {
    const { memory } = this.#group;
    const { words, layout, slots } = memory;
    const nowMs = host().nowMs();
    const queued = this.#queued();
    let queueDepth = 0;
    let waiting = 0;
    for (let slot = 0; slot < slots; slot++) {
      if (slot === rootsSlot(layout)) continue;
      for (const deque of [PUBLIC_DEQUE, READY_DEQUE]) {
        const base = dequeWord(layout, slot, deque);
        queueDepth += Math.max(0, (load(words, base + W_BOTTOM) - load(words, base + W_TOP)) | 0); // for statistics
      }
      const state = load(words, slotWord(layout, slot) + W_STATE);
      const sleeps = state === STATE_JOINING || state === STATE_WAITING;
      if (sleeps && invocationOf(memory, slot) !== NO_INVOCATION) waiting++;
    }
    return {
      queued: queued.length,
      oldestWaitMs: queued.reduce((ms, { sinceMs }) => Math.max(ms, nowMs - sinceMs), 0),
      queueDepth,
      waiting,
      blocked: this.blocked(),
    };
  }
}
