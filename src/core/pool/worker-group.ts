/**
 * A worker group: one generation of a pool's workers with their control memory; runs on the thread that owns the pool.
 *
 * A worker group is never repaired. When a worker dies, all workers of the group are ended, and the pool makes a new group with
 * fresh control memory. So no thread ever reads a word of a half-finished protocol. Only the shared heap outlives a group, and it
 * is repaired thread by thread.
 */

import { openData } from '../code/data-copy.js';
import { workerProgram } from '../library/worker-program.js';
import { add, load, notify, store, wait } from '../memory/atomics.js';
import { ControlMemory } from '../memory/control.js';
import { knownExternal, setShareBuffer } from '../memory/external-buffers.js';
import { currentHeap, keepArrays } from '../memory/heap.js';
import {
  C_COMPLETED,
  C_LACKS_CODE,
  C_PHASE,
  CALLER_SLOT,
  layoutOf,
  PHASE_CRASHED,
  PHASE_KILLED,
  PHASE_RUN,
  PHASE_STOP,
  REQUEST_CANCEL,
  REQUEST_PUBLISH,
  rootsSlot,
  slotWord,
  spareNumber,
  W_EXITED,
  W_INVOCATION,
  W_ONLINE,
  W_REQUESTS,
} from '../memory/layout.js';
import { Counters, type CounterValues } from '../observe/counters.js';
import { host, type WorkerThread } from '../platform/host.js';
import { version } from '../version.js';
import { hooks, type SpareHome } from '../worker/extension.js';
import { requestOfAll } from '../worker/requests.js';
import type { FromWorker, ToWorker, WorkerData } from '../worker/serve.js';
import { wakeSlot } from '../worker/sleep.js';
import { NO_INVOCATION, WorkerSlot } from '../worker/worker-slot.js';
import { type Crash, reasonOf } from './crash.js';
import { Deferred } from './deferred.js';
import { hasEnded, terminate } from './endings.js';
import { eventOf, Member, NO_THREAD, showsItsEnd } from './member.js';
import type { PoolSettings } from './options.js';

/** Time between two looks of a blocked owner whether its workers are dead (milliseconds). */
const DEATH_POLL_MS = 5;
/** Time that workers have to end by themselves, where a blocked owner cannot see their end otherwise (milliseconds). */
const LEAVE_MS = 1000;

const groups = new Set<WorkerGroup>();
let made = 0;

/** Sends an external buffer to every worker of every worker group of this thread. */
function shareBuffer(id: number, buffer: object | undefined): void {
  for (const group of groups) group.broadcast({ type: 'external', id, buffer });
}

/** From now on the buffers and platform objects that this thread names reach its workers, those that start later among them. */
export const shareWithWorkers = (): void => setShareBuffer(shareBuffer);

/** Asked when this thread waits for the heap's lock, which a dead worker may hold. */
const isHeapThreadDead = (thread: number): boolean => [...groups].some((group) => group.hasLost(thread));

/** Events of a worker group. */
export interface GroupEvents {
  /** All workers are gone, and their memory still has what they have written. */
  releasing(): void;
  crashed(crash: Crash): void;
}

export class WorkerGroup implements SpareHome {
  readonly settings: PoolSettings;
  readonly memory: ControlMemory;
  /** The slot where the owner computes under `invokeSync`. */
  readonly caller: WorkerSlot;
  /** The slot where the owner hands out roots. */
  readonly roots: WorkerSlot;
  readonly #events: GroupEvents;
  #members: Member[] = [];
  /** Time for which workers that are gone were up, by slot (milliseconds). */
  readonly #wasUpMs = new Map<number, number>();
  #online = 0;
  readonly #ready = new Deferred();
  readonly #allGone = new Deferred();
  #crash: Crash | undefined;
  /** Number of calls that need the workers, which keep the process alive meanwhile. */
  #users = 0;
  lacksSpares = false;
  /** Modules that workers have been importing for some time. */
  readonly slowImports = new Set<string>();

  /** @throws RangeError when there is no memory for so many workers */
  constructor(settings: PoolSettings, events: GroupEvents) {
    const { parallelism, checked, maxSpares } = settings;
    const layout = layoutOf(parallelism, undefined, maxSpares);
    const tag = currentHeap().thread * 2 ** 16 + (++made % 2 ** 16); // marks the group's blobs on the heap, whichever thread owns it
    const memory = new ControlMemory(new SharedArrayBuffer(layout.totalBytes), layout, tag);
    this.settings = settings;
    this.memory = memory;
    for (let slot = 0; slot <= rootsSlot(layout); slot++) {
      store(memory.words, slotWord(layout, slot) + W_INVOCATION, NO_INVOCATION);
      if (checked) store(memory.words, slotWord(layout, slot) + W_REQUESTS, REQUEST_PUBLISH);
    }
    this.caller = new WorkerSlot(memory, CALLER_SLOT, checked);
    this.caller.onSlice = () => this.#lookForTheDead();
    this.roots = new WorkerSlot(memory, rootsSlot(layout), checked);
    this.#events = events;
    shareWithWorkers(); // here, because a caller without workers encodes too, in checked mode
    this.#ready.promise.catch(() => {}); // the promise rejects for every caller that awaits it
  }

  /** Resolves when all workers are up; rejects when one cannot start. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get started(): boolean {
    return this.#members.length > 0;
  }

  /**
   * Starts the workers; they come up while this thread goes on.
   *
   * @throws what `createWorker` throws, or the platform for options that it does not take. The group is to be killed then: some workers
   *   may have started, and others wait
   */
  start(): void {
    if (this.started) return;
    currentHeap().lock.isDead = isHeapThreadDead;
    for (let slot = 1; slot <= this.settings.parallelism; slot++) {
      this.#members.push(this.#spawn(slot));
      groups.add(this);
    }
    for (const member of this.#members) this.#begin(member);
  }

  #spawn(slot: number): Member {
    const spare = spareNumber(this.memory.layout, slot);
    const event = eventOf(this.settings.name, slot, spare);
    const options = { ...this.settings, program: workerProgram, name: event.name };
    const thread = host().spawn(options, {
      message: (message) => this.#hear(member, message as FromWorker),
      error: (error) => {
        member.error ??= error;
      },
      leaving: (code) => this.#ended(member, code),
      exit: (code) => this.#left(member, code),
      runsOn: () => this.#lose(member),
      hasLeft: () => !this.#isOnline(slot) || this.#lastWords(slot) !== undefined, // before it is online, it runs no tasks
    });
    const member = new Member(slot, event, thread);
    return member;
  }

  /** Tells a worker its place in the worker group. */
  #begin(member: Member): void {
    const { settings, memory } = this;
    const heap = currentHeap().handle();
    member.heapThread = heap.thread;
    member.thread.begin({
      version,
      control: memory.buffer,
      layout: memory.layout,
      tag: memory.tag,
      slot: member.slot,
      checked: settings.checked,
      heap,
      poolName: settings.name,
      preload: settings.preload,
      external: knownExternal(),
      byName: settings.createWorker !== undefined,
      keepAliveMs: settings.keepAliveMs,
      graceMs: settings.graceMs,
      isWatched: settings.stallMs > 0,
    } satisfies WorkerData);
  }

  #hear(member: Member, message: FromWorker): void {
    if (message.type === 'ready') {
      member.isUp(this.settings.onWorkerStart);
      if (!this.#isSpare(member) && ++this.#online === this.settings.parallelism) this.#ready.resolve();
    } else if (message.type === 'blocked') hooks.blocked(this, message.spares);
    else if (message.type === 'slow import') {
      if (message.isOver) this.slowImports.delete(message.url);
      else this.slowImports.add(message.url);
    } else member.error = openData(message.error);
  }

  /** Nothing ends it: what it may touch stays as it is, for as long as the process. */
  #lose(member: Member): void {
    member.runsOn = true;
    keepArrays();
    this.#left(member, 1);
  }

  #left(member: Member, exitCode: number): void {
    this.#wasUpMs.set(member.slot, this.upMs(member.slot));
    member.isGone(this.settings.onWorkerStop);
    const isDead = member.heapThread !== NO_THREAD && !member.runsOn;
    if (isDead) currentHeap().lock.breakLockOf(member.heapThread); // others may wait for it
    if (this.#hasLeft(member)) {
      this.#members = this.#members.filter((other) => other !== member);
      hooks.gone(this, this.#isOnline(member.slot), member.error);
    } else this.#ended(member, exitCode);
    const isLast = this.#members.every(({ gone }) => gone);
    hasEnded(member.thread, () => {
      if (isDead) currentHeap().repairAfter(member.heapThread);
      if (isLast) this.#release();
    });
  }

  /** It is a crash unless all workers should end. */
  #ended(member: Member, exitCode: number): void {
    if (this.#hasLeft(member)) return;
    this.#fail({ worker: member, exitCode: this.#lastWords(member.slot) ?? exitCode, isReported: this.isInUse });
  }

  #isSpare({ slot }: Member): boolean {
    return spareNumber(this.memory.layout, slot) > 0;
  }

  /** Checks whether this is a spare that has rested for long enough, or that could not start. Neither is a crash. */
  #hasLeft(member: Member): boolean {
    return this.#isSpare(member) && (member.slot >= this.memory.slots || !this.#isOnline(member.slot));
  }

  threadOf(slot: number): WorkerThread | undefined {
    return this.#members.find((member) => member.slot === slot && !member.gone)?.thread;
  }

  startMember(slot: number): void {
    const member = this.#spawn(slot);
    this.#members.push(member);
    if (this.isInUse) member.thread.ref?.();
    this.#begin(member);
  }

  /** Number of spares that serve or rest. */
  get spares(): number {
    const { layout, slots } = this.memory;
    return this.#members.filter(({ slot }) => slot > rootsSlot(layout) && slot < slots && this.#isOnline(slot)).length;
  }

  /** All workers are gone. */
  #release(): void {
    groups.delete(this);
    this.#events.releasing();
    hooks.ended(this.memory);
    this.memory.release({ mayBeWritten: this.#members.some(({ runsOn }) => runsOn) });
    const why = reasonOf(this.#crash?.worker.error);
    const what = `furcate: the workers of pool '${this.settings.name}' ended while they started${why}.`;
    this.#ready.reject(new Error(what));
    this.#allGone.resolve();
    if (this.#crash !== undefined) this.#events.crashed(this.#crash);
  }

  /** The exit code that a worker left behind, if it could. */
  #lastWords(slot: number): number | undefined {
    const { words, layout } = this.memory;
    const word = load(words, slotWord(layout, slot) + W_EXITED);
    return word === 0 ? undefined : word >> 1;
  }

  /** Ends workers that nothing else stops; as after a crash, new ones take their place. */
  endWorkers(because: string): void {
    this.#fail({
      worker: { name: '', error: undefined },
      exitCode: 1,
      isReported: this.isInUse,
      endedBecause: because,
    });
  }

  /** A worker died: nothing more starts, and all other workers end too. */
  #fail(crash: Crash): void {
    if (this.#noteCrash(crash)) this.#terminate();
  }

  /** Stops what the workers run at its next fork, join or block; false if they are stopping already. */
  #noteCrash(crash: Crash): boolean {
    if (this.#crash !== undefined || load(this.memory.words, C_PHASE) !== PHASE_RUN) return false;
    this.#crash = crash;
    store(this.memory.words, C_PHASE, PHASE_CRASHED); // S7
    requestOfAll(this.memory, REQUEST_CANCEL);
    this.wakeAll();
    return true;
  }

  /** From here on the process waits for their end: the heap is of no use to others before. */
  #terminate(members: readonly Member[] = this.#members): void {
    this.retain();
    for (const { thread, gone } of members) if (!gone) terminate(thread);
  }

  /** Wakes all threads, whatever they sleep for. */
  wakeAll(): void {
    for (let slot = 0, { slots } = this.memory; slot < slots; slot++) wakeSlot(this.memory, slot);
    add(this.memory.words, C_COMPLETED, 1);
    notify(this.memory.words, C_COMPLETED);
  }

  broadcast(message: ToWorker): void {
    for (const { thread, gone } of this.#members) if (!gone) thread.post(message);
  }

  /** Keeps the process alive for a call that needs the workers, until the function that it returns is called. */
  retain(): () => void {
    if (this.#users++ === 0) for (const { thread } of this.#members) thread.ref?.();
    return () => {
      if (--this.#users === 0) for (const { thread } of this.#members) thread.unref?.();
    };
  }

  /** True if a worker could not load code. An engine may remember that for as long as the thread lives. */
  get lacksCode(): boolean {
    return load(this.memory.words, C_LACKS_CODE) !== 0;
  }

  /** True if a call needs the workers. */
  get isInUse(): boolean {
    return this.#users > 0;
  }

  /** Lets the workers finish what they run, and ends them; resolves when they are gone. */
  stop(): Promise<void> {
    return this.#end(PHASE_STOP);
  }

  #end(phase: number): Promise<void> {
    if (!this.started) return Promise.resolve();
    store(this.memory.words, C_PHASE, phase); // S7: before all are woken
    this.wakeAll();
    this.retain(); // for good: the process waits for them, though calls that end meanwhile need them no more
    return this.#allGone.promise;
  }

  /** Ends the workers at once; resolves when they are gone, and nothing of them runs any more. */
  kill(): Promise<void> {
    const ended = this.#end(PHASE_KILLED); // first: a worker that leaves its loop ends nothing by itself
    requestOfAll(this.memory, REQUEST_CANCEL);
    this.#terminate();
    return ended;
  }

  /** Called by a join that blocks the owner, whose event loop cannot hear of a dead worker meanwhile. */
  #lookForTheDead(): void {
    if (this.memory.hasCrashed) return;
    const dead = this.#members.find((member) => !this.#isAlive(member) && !this.#hasLeft(member));
    if (dead === undefined) return;
    dead.thread.drainMessages?.(); // brings its error, since no event does while this thread blocks
    const crash = { worker: dead, exitCode: this.#lastWords(dead.slot) ?? 1, isReported: true };
    if (this.#noteCrash(crash)) this.#terminate(this.#members.filter(showsItsEnd)); // `endBlocking` ends the others
  }

  /** Checks whether this is the heap thread of a worker of this group that has died. */
  hasLost(heapThread: number): boolean {
    return this.#members.some((member) => member.heapThread === heapThread && !this.#isAlive(member));
  }

  #isAlive({ slot, thread }: Member): boolean {
    return this.#lastWords(slot) === undefined && (!this.#isOnline(slot) || thread.isRunning?.() !== false);
  }

  #isOnline(slot: number): boolean {
    return load(this.memory.words, slotWord(this.memory.layout, slot) + W_ONLINE) !== 0;
  }

  /** After a crash seen by a blocked owner: blocks until no worker can run; says how the first one died. */
  endBlocking(): Crash {
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    // A worker that was not online has run no task, and starts none: it is ended already, and may never come up.
    const mayRun = (member: Member): boolean => this.#isOnline(member.slot) && this.#isAlive(member);
    const patientUntilMs = host().nowMs() + LEAVE_MS;
    const isAwaited = (member: Member): boolean =>
      mayRun(member) && (showsItsEnd(member) || host().nowMs() < patientUntilMs);
    while (this.#members.some(isAwaited)) wait(nobody, 0, 0, DEATH_POLL_MS);
    this.#terminate();
    return this.#crash as Crash;
  }

  /** Time for which workers of a slot have been up (milliseconds). */
  upMs(slot: number): number {
    return (this.#wasUpMs.get(slot) ?? 0) + (this.#members.find((member) => member.slot === slot)?.upMs() ?? 0);
  }

  /** The counters of all threads, by slot; a task that runs counts as time that its thread was busy. */
  counters(): CounterValues[] {
    const { words, layout } = this.memory;
    return Array.from({ length: layout.slots }, (_, slot) => {
      const counters = new Counters(words, slotWord(layout, slot));
      const values = counters.read();
      values.busyUs += 1000 * counters.running(host().nowMs()).ms;
      return values;
    });
  }
}
